# Time over P for chang-sc-224-m64-k1
# Draw it again, in this folder:
#   gnuplot time_over_p.gp                     makes time_over_p.svg
#   gnuplot -e "format='pdf'" time_over_p.gp   makes time_over_p.pdf
#   gnuplot -e "format='tex'" time_over_p.gp   makes time_over_p-latex.tex and time_over_p-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.9  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "time_over_p.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "time_over_p.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "time_over_p-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1486; set rmargin at screen 0.9714
set bmargin at screen 0.1448; set tmargin at screen 0.7379
unit = 1e-06  # seconds in one unit of the axis
set logscale xy
set xrange [0.869565:257.6]
set yrange [4.77019:131.688]
set xtics ('' 0.9 1, '1' 1, '2' 2, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '200' 200)
set ytics ('5' 5, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1, '50' 50, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100)
set xlabel T('P (pieces)', 'P (pieces)') offset 0,0.4
set ylabel T('Time (µs)', 'Time ($\mu$s)') offset 0.3,0
set label T('chang-sc-224-m64-k1  N1 C1 224x224 M64 K1 s1 p0', 'chang-sc-224-m64-k1  N1 C1 224x224 M64 K1 s1 p0') at screen 0.5, screen 0.965 center font ',7.5'
set errorbars 0.4
set key at screen 0.5, screen 0.94 center top maxrows 3 Left reverse width -1
plot 'time_over_p.dat' index 0 using 1:($3/unit):($4/unit) with filledcurves linecolor rgb '#cfe3f0' title T('predicted, interval', 'predicted, interval'), \
  'time_over_p.dat' index 0 using 1:($2/unit) with lines linewidth 1.4 linecolor rgb '#0072b2' title T('predicted', 'predicted'), \
  'time_over_p.dat' index 1 using 1:($2/unit):($3/unit):($4/unit) with yerrorbars pointtype 7 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' title T('measured, p10 to p90', 'measured, p10 to p90'), \
  'time_over_p.dat' index 2 using 1:($2/unit) with points pointtype 9 pointsize 1.1 linewidth 1.2 linecolor rgb '#0072b2' title T('predicted choice: P = 1', 'predicted choice: P = 1'), \
  'time_over_p.dat' index 3 using 1:($2/unit) with points pointtype 64 pointsize 1.3 linewidth 1.2 linecolor rgb '#000000' title T('fastest measured: P = 1', 'fastest measured: P = 1')
unset output
