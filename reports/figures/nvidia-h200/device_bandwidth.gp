# DRAM bandwidth of NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_bandwidth.gp                     makes device_bandwidth.svg
#   gnuplot -e "format='pdf'" device_bandwidth.gp   makes device_bandwidth.pdf
#   gnuplot -e "format='tex'" device_bandwidth.gp   makes device_bandwidth-latex.tex and device_bandwidth-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.6  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_bandwidth.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_bandwidth.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_bandwidth-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.1486; set rmargin at screen 0.9571
set bmargin at screen 0.1615; set tmargin at screen 0.9538
set logscale x 2
set xrange [56320:15571354]
set yrange [0:5.39202]
set xtics ('64K' 65536, '128K' 131072, '256K' 262144, '512K' 524288, '1M' 1048576, '2M' 2097152, '4M' 4194304, '8M' 8388608)
set xlabel T('Bytes in flight, whole device (K = 1024)', 'Bytes in flight, whole device (K = 1024)') offset 0,0.4
set ylabel T('Bandwidth (TB/s)', 'Bandwidth (TB/s)') offset 0.3,0
set key at graph 0.02, graph 0.86 left top Left reverse font ',7'
set arrow from graph 0, first 4.8143 to graph 1, first 4.8143 nohead dashtype 3 linewidth 0.8 linecolor rgb '#606060'
set label T('peak 4.81 TB/s', 'peak 4.81 TB/s') at graph 0.015, first 4.8143 left offset 0,0.6 font ',7' textcolor rgb '#404040'
set arrow from first 1606792.7, graph 0 to first 1606792.7, graph 1 nohead dashtype 2 linewidth 1 linecolor rgb '#d55e00'
set arrow from first 2629702.1, graph 0 to first 2629702.1, graph 1 nohead dashtype 4 linewidth 1 linecolor rgb '#d55e00'
plot 'device_bandwidth.dat' index 0 using 1:($2/1e12) with linespoints pointtype 6 pointsize 0.4 linewidth 1.2 linecolor rgb '#0072b2' title T('read', 'read'), \
  'device_bandwidth.dat' index 1 using 1:($2/1e12) with linespoints pointtype 8 pointsize 0.4 linewidth 1.2 linecolor rgb '#009e73' title T('write', 'write'), \
  keyentry with lines dashtype 2 linewidth 1 linecolor rgb '#d55e00' title T('V_s by Little, 1.53 MiB', '$V_s$ by Little, 1.53 MiB'), \
  keyentry with lines dashtype 4 linewidth 1 linecolor rgb '#d55e00' title T('V_{s,95} measured, 2.51 MiB', '$V_{s,95}$ measured, 2.51 MiB')
unset output
