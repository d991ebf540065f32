# Distribution of the prediction error
# Draw it again, in this folder:
#   gnuplot error_distribution.gp                     makes error_distribution.svg
#   gnuplot -e "format='pdf'" error_distribution.gp   makes error_distribution.pdf
#   gnuplot -e "format='tex'" error_distribution.gp   makes error_distribution-latex.tex and error_distribution-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.5  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "error_distribution.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "error_distribution.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "error_distribution-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1486; set rmargin at screen 0.9571
set bmargin at screen 0.1680; set tmargin at screen 0.9120
set xrange [0:30]
set yrange [0:100]
set ytics 25
set xlabel T('Absolute relative error (%)', 'Absolute relative error (\%)') offset 0,0.4
set ylabel T('Configs at or below it (%)', 'Configs at or below it (\%)') offset 0.3,0
set arrow from 10, graph 0 to 10, graph 1 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060' back
set label T('10 %', '10\,\%') at 10, graph 1.04 center font ',7' textcolor rgb '#404040'
set arrow from 25, graph 0 to 25, graph 1 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060' back
set label T('25 %', '25\,\%') at 25, graph 1.04 center font ',7' textcolor rgb '#404040'
set key bottom right Left reverse opaque
plot 'error_distribution.dat' index 0 using (100*$1):(100*$2) with linespoints linewidth 1.6 dashtype 1 pointtype 6 pointsize 0.5 pointinterval 25 linecolor rgb '#0072b2' title T('chang\_multi (n = 30260)', 'chang\_multi (n = 30260)'), \
  'error_distribution.dat' index 1 using (100*$1):(100*$2) with linespoints linewidth 1.6 dashtype 2 pointtype 8 pointsize 0.5 pointinterval 25 linecolor rgb '#d55e00' title T('chang\_single (n = 10455)', 'chang\_single (n = 10455)'), \
  'error_distribution.dat' index 2 using (100*$1):(100*$2) with linespoints linewidth 1.6 dashtype 3 pointtype 4 pointsize 0.5 pointinterval 25 linecolor rgb '#009e73' title T('implicit\_gemm (n = 14640)', 'implicit\_gemm (n = 14640)'), \
  'error_distribution.dat' index 3 using (100*$1):(100*$2) with linespoints linewidth 1.6 dashtype 4 pointtype 12 pointsize 0.5 pointinterval 25 linecolor rgb '#cc79a7' title T('sgemm (n = 5924)', 'sgemm (n = 5924)')
unset output
