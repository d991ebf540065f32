# Time over M' and W'x for chang-mc-28-c256-k1
# Draw it again, in this folder:
#   gnuplot tile_heatmap.gp                     makes tile_heatmap.svg
#   gnuplot -e "format='pdf'" tile_heatmap.gp   makes tile_heatmap.pdf
#   gnuplot -e "format='tex'" tile_heatmap.gp   makes tile_heatmap-latex.tex and tile_heatmap-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 7.16; height = 2.9  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "tile_heatmap.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "tile_heatmap.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "tile_heatmap-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
unit = 1e-06  # seconds in one unit of the colour scale
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
unset grid
set border 15
set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#efefef' fillstyle solid noborder
set xrange [-0.5:11.5]
set yrange [-0.5:24.5]
set xtics ('32' 0, '96' 2, '160' 4, '224' 6, '320' 8, '448' 10)
set ytics ('4' 0, '24' 3, '48' 6, '72' 9, '96' 12, '120' 15, '160' 18, '208' 21, '256' 24)
set cbrange [6.64832:72.4937]
set logscale cb
set cbtics ('' 7 1, '' 8 1, '' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1, '50' 50, '' 60 1, '' 70 1)
set cblabel T('Time (µs)', 'Time ($\mu$s)') offset 1.2,0
set xlabel T('W''_x (pixels)', '$W''_x$ (pixels)') offset 0,0.4
set label 100 T('chang-mc-28-c256-k1  N1 C256 28x28 M256 K1 s1 p0  S = 64 B', 'chang-mc-28-c256-k1  N1 C256 28x28 M256 K1 s1 p0  S = 64 B') at screen 0.5, screen 0.96 center font ',7.5'
set multiplot
unset key
set lmargin at screen 0.0726; set rmargin at screen 0.4630
set bmargin at screen 0.1448; set tmargin at screen 0.8345
set ylabel T('M'' (filters)', '$M''$ (filters)') offset 0.3,0
unset colorbox
set title T('predicted', 'predicted') offset 0,-0.7
plot 'tile_heatmap.dat' index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):($3/unit) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
  'tile_heatmap.dat' index 2 using 1:2:(0.3) with circles fillstyle empty border linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2-0.2):(0.4):(0.4) with vectors nohead linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2+0.2):(0.4):(-0.4) with vectors nohead linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 2 using 1:2:(0.3) with circles fillstyle empty border linewidth 1.3 linecolor rgb '#000000' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2-0.2):(0.4):(0.4) with vectors nohead linewidth 1.3 linecolor rgb '#000000' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2+0.2):(0.4):(-0.4) with vectors nohead linewidth 1.3 linecolor rgb '#000000' notitle
set lmargin at screen 0.5049; set rmargin at screen 0.8953
set bmargin at screen 0.1448; set tmargin at screen 0.8345
unset ylabel
unset label 100
set ytics ('' 0, '' 3, '' 6, '' 9, '' 12, '' 15, '' 18, '' 21, '' 24)
set colorbox user origin screen 0.9092, screen 0.1448 size screen 0.0168, screen 0.6897
set title T('measured', 'measured') offset 0,-0.7
plot 'tile_heatmap.dat' index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):($3/unit) with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
  'tile_heatmap.dat' index 2 using 1:2:(0.3) with circles fillstyle empty border linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2-0.2):(0.4):(0.4) with vectors nohead linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2+0.2):(0.4):(-0.4) with vectors nohead linewidth 3 linecolor rgb '#ffffff' notitle, \
  'tile_heatmap.dat' index 2 using 1:2:(0.3) with circles fillstyle empty border linewidth 1.3 linecolor rgb '#000000' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2-0.2):(0.4):(0.4) with vectors nohead linewidth 1.3 linecolor rgb '#000000' notitle, \
  'tile_heatmap.dat' index 3 using ($1-0.2):($2+0.2):(0.4):(-0.4) with vectors nohead linewidth 1.3 linecolor rgb '#000000' notitle
unset multiplot
unset output
