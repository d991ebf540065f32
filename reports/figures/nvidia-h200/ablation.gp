# Error without each bound
# Draw it again, in this folder:
#   gnuplot ablation.gp                     makes ablation.svg
#   gnuplot -e "format='pdf'" ablation.gp   makes ablation.pdf
#   gnuplot -e "format='tex'" ablation.gp   makes ablation-latex.tex and ablation-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 6.73  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "ablation.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "ablation.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "ablation-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.3000; set rmargin at screen 0.9657
set bmargin at screen 0.0624; set tmargin at screen 0.9376
set logscale x
set xrange [1.609:41.79]
set yrange [0.4:17.6]
set xtics ('2' 2, '' 3 1, '' 4 1, '5' 5, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1)
set ytics scale 0 (T('all bounds', 'all bounds') 17, T('without fma', 'without fma') 16, T('without issue', 'without issue') 15, T('without ports', 'without ports') 14, T('without alu', 'without alu') 13, T('without shared', 'without shared') 12, T('without chain', 'without chain') 11, T('without overlap', 'without overlap') 10, T('without l2', 'without l2') 9, T('without dram', 'without dram') 8, T('without latency', 'without latency') 7, T('without barrier', 'without barrier') 6, T('without cluster', 'without cluster') 5, T('without fetch', 'without fetch') 4, T('without launch', 'without launch') 3, T('without together', 'without together') 2, T('without pace', 'without pace') 1)
unset grid
set grid xtics linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1
set xlabel T('Absolute error, median to 90th percentile (%)', 'Absolute error, median to 90th percentile (\%)') offset 0,0.4
set key at screen 0.5, screen 0.99 center top horizontal maxrows 2 Left reverse
set bars 0.4
plot 'ablation.dat' index 0 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 6 pointsize 0.55 linewidth 1 linecolor rgb '#0072b2' title T('chang\_multi', 'chang\_multi'), \
  'ablation.dat' index 1 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 8 pointsize 0.55 linewidth 1 linecolor rgb '#d55e00' title T('chang\_single', 'chang\_single'), \
  'ablation.dat' index 2 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 4 pointsize 0.55 linewidth 1 linecolor rgb '#009e73' title T('implicit\_gemm', 'implicit\_gemm'), \
  'ablation.dat' index 3 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 12 pointsize 0.55 linewidth 1 linecolor rgb '#cc79a7' title T('sgemm', 'sgemm')
unset output
