# Predicted against measured time
# Draw it again, in this folder:
#   gnuplot parity.gp                     makes parity.svg
#   gnuplot -e "format='pdf'" parity.gp   makes parity.pdf
#   gnuplot -e "format='tex'" parity.gp   makes parity-latex.tex and parity-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 3.3  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "parity.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "parity.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "parity-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1771; set rmargin at screen 0.9429
set bmargin at screen 0.1273; set tmargin at screen 0.9758
unit = 1e-06  # seconds in one unit of the axes
set logscale xy
set xrange [0.801438:120693]
set yrange [0.801438:120693]
set xtics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '100000' 100000)
set ytics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '100000' 100000)
set xlabel T('Measured time (µs)', 'Measured time ($\mu$s)') offset 0,0.4
set ylabel T('Predicted time (µs)', 'Predicted time ($\mu$s)') offset 0.3,0
set key top left Left reverse font ',7'
set samples 2
plot '+' using 1:($1*0.75):($1*1.25) with filledcurves linecolor rgb '#e6e6e6' notitle, \
  '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  'parity.dat' index 0 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.45 linewidth 0.6 linecolor rgb '#0072b2' title T('chang\_multi: n = 30260, median 2 %', 'chang\_multi: n = 30260, median 2\,\%'), \
  'parity.dat' index 1 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.45 linewidth 0.6 linecolor rgb '#d55e00' title T('chang\_single: n = 10455, median 3 %', 'chang\_single: n = 10455, median 3\,\%'), \
  'parity.dat' index 2 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.45 linewidth 0.6 linecolor rgb '#009e73' title T('implicit\_gemm: n = 14640, median 2 %', 'implicit\_gemm: n = 14640, median 2\,\%'), \
  'parity.dat' index 3 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.45 linewidth 0.6 linecolor rgb '#cc79a7' title T('sgemm: n = 5924, median 3 %', 'sgemm: n = 5924, median 3\,\%'), \
  x with lines linecolor rgb '#000000' linewidth 0.8 notitle, \
  keyentry with boxes fillstyle solid 1 noborder linecolor rgb '#c4c4c4' title T('±10 %', '$\pm$10\,\%'), \
  keyentry with boxes fillstyle solid 1 noborder linecolor rgb '#e6e6e6' title T('±25 %', '$\pm$25\,\%')
unset output
