# Predicted against measured time by every model
# Draw it again, in this folder:
#   gnuplot model_parity.gp                     makes model_parity.svg
#   gnuplot -e "format='pdf'" model_parity.gp   makes model_parity.pdf
#   gnuplot -e "format='tex'" model_parity.gp   makes model_parity-latex.tex and model_parity-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 7.16; height = 3.877  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "model_parity.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "model_parity.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "model_parity-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
unit = 1e-06  # seconds in one unit of the axes
set logscale xy
set xrange [0.82016:64636]
set yrange [0.10662:4.972e+05]
set samples 2
set multiplot
set lmargin at screen 0.0922; set rmargin at screen 0.9888
set bmargin at screen 0.1161; set tmargin at screen 0.9871
unset border
unset tics
unset grid
set key at screen 0.5, screen 0.99 center top horizontal maxrows 1 Left reverse
plot NaN with points pointtype 6 pointsize 0.6 linecolor rgb '#0072b2' title T('chang\_multi', 'chang\_multi'), NaN with points pointtype 8 pointsize 0.6 linecolor rgb '#d55e00' title T('chang\_single', 'chang\_single'), NaN with points pointtype 4 pointsize 0.6 linecolor rgb '#009e73' title T('implicit\_gemm', 'implicit\_gemm'), NaN with points pointtype 12 pointsize 0.6 linecolor rgb '#cc79a7' title T('sgemm', 'sgemm')
unset key
set border 3
set tics out nomirror scale 0.5
set grid linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1
set lmargin at screen 0.0922; set rmargin at screen 0.3038; set bmargin at screen 0.5193; set tmargin at screen 0.8710
set xtics ('' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '100000' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('analytic', 'analytic') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 0 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 1 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 2 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 3 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.3205; set rmargin at screen 0.5321; set bmargin at screen 0.5193; set tmargin at screen 0.8710
set xtics ('' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('sim', 'sim') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 4 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 5 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 6 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 7 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.5489; set rmargin at screen 0.7605; set bmargin at screen 0.5193; set tmargin at screen 0.8710
set xtics ('' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('both', 'both') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 8 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 9 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 10 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 11 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.7772; set rmargin at screen 0.9888; set bmargin at screen 0.5193; set tmargin at screen 0.8710
set xtics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('roofline', 'roofline') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 12 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 13 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 14 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 15 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.0922; set rmargin at screen 0.3038; set bmargin at screen 0.1161; set tmargin at screen 0.4678
set xtics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '100000' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('hong\_kim', 'hong\_kim') offset 0,-0.7
set label 1 T('Measured time (µs)', 'Measured time ($\mu$s)') at screen 0.5, screen 0.0310 center
set label 2 T('Predicted time (µs)', 'Predicted time ($\mu$s)') at screen 0.0140, screen 0.5 center rotate by 90
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 16 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 17 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 18 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 19 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.3205; set rmargin at screen 0.5321; set bmargin at screen 0.1161; set tmargin at screen 0.4678
set xtics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('triton', 'triton') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 20 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 21 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 22 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 23 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
set lmargin at screen 0.5489; set rmargin at screen 0.7605; set bmargin at screen 0.1161; set tmargin at screen 0.4678
set xtics ('' 0.9 1, '1' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '10' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '100' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '1000' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '10000' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1)
set ytics ('' 0.2 1, '' 0.3 1, '' 0.4 1, '' 0.5 1, '' 0.6 1, '' 0.7 1, '' 0.8 1, '' 0.9 1, '' 1, '' 2 1, '' 3 1, '' 4 1, '' 5 1, '' 6 1, '' 7 1, '' 8 1, '' 9 1, '' 10, '' 20 1, '' 30 1, '' 40 1, '' 50 1, '' 60 1, '' 70 1, '' 80 1, '' 90 1, '' 100, '' 200 1, '' 300 1, '' 400 1, '' 500 1, '' 600 1, '' 700 1, '' 800 1, '' 900 1, '' 1000, '' 2000 1, '' 3000 1, '' 4000 1, '' 5000 1, '' 6000 1, '' 7000 1, '' 8000 1, '' 9000 1, '' 10000, '' 20000 1, '' 30000 1, '' 40000 1, '' 50000 1, '' 60000 1, '' 70000 1, '' 80000 1, '' 90000 1, '' 100000, '' 200000 1, '' 300000 1, '' 400000 1)
set xtics nomirror
set ytics nomirror
set title T('origami', 'origami') offset 0,-0.7
plot '+' using 1:($1*0.9):($1*1.1) with filledcurves linecolor rgb '#c4c4c4' notitle, \
  x with lines linecolor rgb '#000000' linewidth 0.7 notitle, \
  'model_parity.dat' index 24 using ($1/unit):($2/unit) with points pointtype 6 pointsize 0.35 linewidth 0.6 linecolor rgb '#0072b2' notitle, \
  'model_parity.dat' index 25 using ($1/unit):($2/unit) with points pointtype 8 pointsize 0.35 linewidth 0.6 linecolor rgb '#d55e00' notitle, \
  'model_parity.dat' index 26 using ($1/unit):($2/unit) with points pointtype 4 pointsize 0.35 linewidth 0.6 linecolor rgb '#009e73' notitle, \
  'model_parity.dat' index 27 using ($1/unit):($2/unit) with points pointtype 12 pointsize 0.35 linewidth 0.6 linecolor rgb '#cc79a7' notitle
unset multiplot
unset output
