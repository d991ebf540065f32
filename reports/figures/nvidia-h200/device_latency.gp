# Memory latency of NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_latency.gp                     makes device_latency.svg
#   gnuplot -e "format='pdf'" device_latency.gp   makes device_latency.pdf
#   gnuplot -e "format='tex'" device_latency.gp   makes device_latency-latex.tex and device_latency-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.6  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_latency.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_latency.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_latency-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1600; set rmargin at screen 0.9657
set bmargin at screen 0.1615; set tmargin at screen 0.9538
set logscale x 2
set xrange [3150.7692:6.5431142e+08]
set yrange [0:811.595]
set xtics ('4K' 4096, '16K' 16384, '64K' 65536, '256K' 262144, '1M' 1048576, '4M' 4194304, '16M' 16777216, '64M' 67108864, '256M' 268435456)
set xlabel T('Footprint (bytes, K = 1024)', 'Footprint (bytes, K = 1024)') offset 0,0.4
set ylabel T('Latency (cycles)', 'Latency (cycles)') offset 0.3,0
unset key
set arrow from graph 0, first 31.9834 to graph 1, first 31.9834 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060'
set label T('L1 32', 'L1 32') at graph 0.015, first 31.9834 left offset 0,0.6 font ',7' textcolor rgb '#404040'
set arrow from graph 0, first 282.188 to graph 1, first 282.188 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060'
set label T('L2 282', 'L2 282') at graph 0.015, first 282.188 left offset 0,0.6 font ',7' textcolor rgb '#404040'
set arrow from graph 0, first 660.783 to graph 1, first 660.783 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060'
set label T('DRAM 661', 'DRAM 661') at graph 0.015, first 660.783 left offset 0,0.6 font ',7' textcolor rgb '#404040'
set arrow from first 233472, graph 0 to first 233472, graph 1 nohead dashtype 2 linewidth 0.8 linecolor rgb '#d55e00'
set label T('L1/shared 228 KiB', 'L1/shared 228 KiB') at first 233472, graph 0.97 left offset 0.5,0 font ',7' textcolor rgb '#a04000'
set arrow from first 62914560, graph 0 to first 62914560, graph 1 nohead dashtype 2 linewidth 0.8 linecolor rgb '#d55e00'
set label T('L2 60.0 MiB', 'L2 60.0 MiB') at first 62914560, graph 0.89 right offset -0.5,0 font ',7' textcolor rgb '#a04000'
plot 'device_latency.dat' using 1:3:4 with filledcurves linecolor rgb '#cfe3f0', \
  'device_latency.dat' using 1:2 with linespoints pointtype 7 pointsize 0.3 linewidth 1.2 linecolor rgb '#0072b2'
unset output
