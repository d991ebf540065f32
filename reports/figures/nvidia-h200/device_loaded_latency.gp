# DRAM latency under load, NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_loaded_latency.gp                     makes device_loaded_latency.svg
#   gnuplot -e "format='pdf'" device_loaded_latency.gp   makes device_loaded_latency.pdf
#   gnuplot -e "format='tex'" device_loaded_latency.gp   makes device_loaded_latency-latex.tex and device_loaded_latency-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.6  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_loaded_latency.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_loaded_latency.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_loaded_latency-latex.tex"
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
set xrange [0:4.73457]
set yrange [0:2109.24]
set key top left Left reverse
set xlabel T('DRAM bandwidth taken by the other SMs (TB/s)', 'DRAM bandwidth taken by the other SMs (TB/s)') offset 0,0.4
set ylabel T('Latency (cycles)', 'Latency (cycles)') offset 0.3,0
plot 'device_loaded_latency.dat' using ($1/1e12):3:4 with filledcurves linecolor rgb '#cfe3f0' title T('10 % to 90 %', '10 \% to 90 \%'), \
  'device_loaded_latency.dat' using ($1/1e12):2 with linespoints pointtype 7 pointsize 0.3 linewidth 1.2 linecolor rgb '#0072b2' title T('median', 'median'), \
  'device_loaded_latency.dat' using ($1/1e12):5 with lines dashtype 2 linewidth 1.2 linecolor rgb '#d55e00' title T('mean', 'mean')
unset output
