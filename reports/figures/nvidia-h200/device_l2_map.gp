# L2 latency of NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_l2_map.gp                     makes device_l2_map.svg
#   gnuplot -e "format='pdf'" device_l2_map.gp   makes device_l2_map.pdf
#   gnuplot -e "format='tex'" device_l2_map.gp   makes device_l2_map-latex.tex and device_l2_map-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.8  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_l2_map.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_l2_map.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_l2_map-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1429; set rmargin at screen 0.7857
set bmargin at screen 0.1500; set tmargin at screen 0.9571
set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', 5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')
unset grid
set border 15
unset key
set xrange [-0.5:63.5]
set yrange [0-0.5:131+0.5]
set cbrange [223:526]
set xlabel T('Line of a 2 MiB page (64 of them, in order)', 'Line of a 2 MiB page (64 of them, in order)') offset 0,0.4
set ylabel T('SM', 'SM') offset 0,0
set cblabel T('Latency (cycles)', 'Latency (cycles)') offset 1.2,0
set colorbox user origin screen 0.8143, screen 0.1500 size screen 0.0343, screen 0.8071
plot 'device_l2_map.dat' using 1:2:3 with image pixels notitle
unset output
