# Error of every model
# Draw it again, in this folder:
#   gnuplot model_errors.gp                     makes model_errors.svg
#   gnuplot -e "format='pdf'" model_errors.gp   makes model_errors.pdf
#   gnuplot -e "format='tex'" model_errors.gp   makes model_errors-latex.tex and model_errors-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 3.33  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "model_errors.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "model_errors.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "model_errors-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.3000; set rmargin at screen 0.9657
set bmargin at screen 0.1261; set tmargin at screen 0.8739
set logscale x
set xrange [1.448:1072]
set yrange [0.4:7.6]
set xtics ('2' 2, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '200' 200, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000)
set ytics scale 0 (T('analytic', 'analytic') 7, T('sim', 'sim') 6, T('both', 'both') 5, T('roofline', 'roofline') 4, T('hong\_kim', 'hong\_kim') 3, T('triton', 'triton') 2, T('origami', 'origami') 1)
unset grid
set grid xtics linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1
set xlabel T('Absolute error, median to 90th percentile (%)', 'Absolute error, median to 90th percentile (\%)') offset 0,0.4
set key at screen 0.5, screen 0.99 center top horizontal maxrows 2 Left reverse
set bars 0.4
plot 'model_errors.dat' index 0 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 6 pointsize 0.55 linewidth 1 linecolor rgb '#0072b2' title T('chang\_multi', 'chang\_multi'), \
  'model_errors.dat' index 1 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 8 pointsize 0.55 linewidth 1 linecolor rgb '#d55e00' title T('chang\_single', 'chang\_single'), \
  'model_errors.dat' index 2 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 4 pointsize 0.55 linewidth 1 linecolor rgb '#009e73' title T('implicit\_gemm', 'implicit\_gemm'), \
  'model_errors.dat' index 3 using (100*$2):1:(100*$2):(100*$3) with xerrorbars pointtype 12 pointsize 0.55 linewidth 1 linecolor rgb '#cc79a7' title T('sgemm', 'sgemm')
unset output
