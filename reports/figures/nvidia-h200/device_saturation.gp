# Bytes in flight that DRAM takes, NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_saturation.gp                     makes device_saturation.svg
#   gnuplot -e "format='pdf'" device_saturation.gp   makes device_saturation.pdf
#   gnuplot -e "format='tex'" device_saturation.gp   makes device_saturation-latex.tex and device_saturation-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.8  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_saturation.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_saturation.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_saturation-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1429; set rmargin at screen 0.9657
set bmargin at screen 0.1500; set tmargin at screen 0.9571
set xrange [0:59.1802]
set yrange [0:5.07798]
set xlabel T('Bytes in flight on each SM (KiB)', 'Bytes in flight on each SM (KiB)') offset 0,0.4
set ylabel T('DRAM read (TB/s)', 'DRAM read (TB/s)') offset 0.3,0
set key bottom right opaque font ',7' title T('V_s at 95 %', '$V_s$ at 95\,\%') font ',7'
set arrow from first 19.4551, graph 0 to first 19.4551, graph 1 nohead dashtype 3 linewidth 0.9 linecolor rgb '#0072b2'
set arrow from first 19.7112, graph 0 to first 19.7112, graph 1 nohead dashtype 3 linewidth 0.9 linecolor rgb '#d55e00'
set arrow from first 21.3367, graph 0 to first 21.3367, graph 1 nohead dashtype 3 linewidth 0.9 linecolor rgb '#009e73'
set arrow from first 23.5827, graph 0 to first 23.5827, graph 1 nohead dashtype 3 linewidth 0.9 linecolor rgb '#cc79a7'
set arrow from first 26.9001, graph 0 to first 26.9001, graph 1 nohead dashtype 3 linewidth 0.9 linecolor rgb '#e69f00'
set arrow from first 11.2036, graph 0 to first 11.2036, graph 1 nohead linewidth 1 linecolor rgb '#606060'
set label T('Little 11.2', 'Little 11.2') at first 11.2036, graph 0.95 right offset -0.4,0 font ',7' textcolor rgb '#404040'
plot 'device_saturation.dat' index 0 using 1:($2/1e12) with linespoints pointtype 6 pointsize 0.35 linewidth 1.1 linecolor rgb '#0072b2' title T('16-byte loads: 19.5 KiB', '16-byte loads: 19.5 KiB'), \
  'device_saturation.dat' index 1 using 1:($2/1e12) with linespoints pointtype 8 pointsize 0.35 linewidth 1.1 linecolor rgb '#d55e00' title T('4-byte loads: 19.7 KiB', '4-byte loads: 19.7 KiB'), \
  'device_saturation.dat' index 2 using 1:($2/1e12) with linespoints pointtype 4 pointsize 0.35 linewidth 1.1 linecolor rgb '#009e73' title T('cp.async: 21.3 KiB', 'cp.async: 21.3 KiB'), \
  'device_saturation.dat' index 3 using 1:($2/1e12) with linespoints pointtype 12 pointsize 0.35 linewidth 1.1 linecolor rgb '#cc79a7' title T('bulk copies: 23.6 KiB', 'bulk copies: 23.6 KiB'), \
  'device_saturation.dat' index 4 using 1:($2/1e12) with linespoints pointtype 10 pointsize 0.35 linewidth 1.1 linecolor rgb '#e69f00' title T('few warps, 8 loads each: 26.9 KiB', 'few warps, 8 loads each: 26.9 KiB')
unset output
