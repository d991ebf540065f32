# Roofline of NVIDIA H200
# Draw it again, in this folder:
#   gnuplot roofline.gp                     makes roofline.svg
#   gnuplot -e "format='pdf'" roofline.gp   makes roofline.pdf
#   gnuplot -e "format='tex'" roofline.gp   makes roofline-latex.tex and roofline-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 3.4  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "roofline.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "roofline.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "roofline-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1600; set rmargin at screen 0.9657
set bmargin at screen 0.1235; set tmargin at screen 0.8176
peak = 66.306  # Tflop/s
set logscale xy
set xrange [0.136977:3467.41]
set yrange [0.000243121:212.179]
set xtics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1)
set ytics ('' 0.0003 1, '' 0.0004 1, '' 0.0005 1, '' 0.0006 1, '' 0.0007 1, '' 0.0008 1, '' 0.0009 1, '0.001' 0.001, '' 0.002 1, '' 0.003 1, '' 0.004 1, '' 0.005 1, '' 0.006 1, '' 0.007 1, '' 0.008 1, '' 0.009 1, '0.01' 0.01, '' 0.02 1, '' 0.03 1, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '0.1' 0.1, '' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1)
set xlabel T('Arithmetic intensity (flop per compulsory byte)', 'Arithmetic intensity (flop per compulsory byte)') offset 0,0.4
set ylabel T('Rate (Tflop/s)', 'Rate (Tflop/s)') offset 0.5,0
set key at screen 0.5, screen 0.995 center top horizontal maxcols 2 width -5 Left reverse font ',7'
set samples 400
set label T('FMA 66.3 Tflop/s', 'FMA 66.3 Tflop/s') at 3302.3, peak right offset 0,0.5 font ',7'
plot (x*4.53738 < peak ? x*4.53738 : peak) with lines linewidth 1.3 dashtype 1 linecolor rgb '#404040' title T('DRAM read 4.54 TB/s', 'DRAM read 4.54 TB/s'), \
  (x*9.52506 < peak ? x*9.52506 : peak) with lines linewidth 1.3 dashtype 2 linecolor rgb '#404040' title T('L2 read 9.53 TB/s', 'L2 read 9.53 TB/s'), \
  'roofline.dat' index 0 using 1:($2/1e12) with points pointtype 6 pointsize 0.6 linewidth 0.8 linecolor rgb '#0072b2' title T('chang\_multi', 'chang\_multi'), \
  'roofline.dat' index 1 using 1:($2/1e12) with points pointtype 8 pointsize 0.6 linewidth 0.8 linecolor rgb '#0072b2' title T('chang\_multi (predicted)', 'chang\_multi (predicted)'), \
  'roofline.dat' index 2 using 1:($2/1e12) with points pointtype 4 pointsize 0.6 linewidth 0.8 linecolor rgb '#d55e00' title T('chang\_single', 'chang\_single'), \
  'roofline.dat' index 3 using 1:($2/1e12) with points pointtype 12 pointsize 0.6 linewidth 0.8 linecolor rgb '#d55e00' title T('chang\_single (predicted)', 'chang\_single (predicted)'), \
  'roofline.dat' index 4 using 1:($2/1e12) with points pointtype 10 pointsize 0.6 linewidth 0.8 linecolor rgb '#009e73' title T('implicit\_gemm', 'implicit\_gemm'), \
  'roofline.dat' index 5 using 1:($2/1e12) with points pointtype 2 pointsize 0.6 linewidth 0.8 linecolor rgb '#009e73' title T('implicit\_gemm (predicted)', 'implicit\_gemm (predicted)'), \
  'roofline.dat' index 6 using 1:($2/1e12) with points pointtype 1 pointsize 0.6 linewidth 0.8 linecolor rgb '#cc79a7' title T('sgemm', 'sgemm')
unset output
