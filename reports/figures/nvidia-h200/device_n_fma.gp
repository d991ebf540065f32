# N_FMA of NVIDIA H200
# Draw it again, in this folder:
#   gnuplot device_n_fma.gp                     makes device_n_fma.svg
#   gnuplot -e "format='pdf'" device_n_fma.gp   makes device_n_fma.pdf
#   gnuplot -e "format='tex'" device_n_fma.gp   makes device_n_fma-latex.tex and device_n_fma-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 3.5; height = 2.6  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "device_n_fma.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "device_n_fma.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "device_n_fma-latex.tex"
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
set xrange [0:270.008]
set yrange [0:2403.67]
set key top left Left reverse
set xlabel T('FMAs of an SM between load and use (thousands)', 'FMAs of an SM between load and use (thousands)') offset 0,0.4
set ylabel T('One round (cycles)', 'One round (cycles)') offset 0.3,0
set arrow from first 84.1287, graph 0 to first 84.1287, graph 0.6 nohead dashtype 3 linewidth 1 linecolor rgb '#0072b2'
set arrow from first 123.336, graph 0 to first 123.336, graph 0.6 nohead dashtype 3 linewidth 1 linecolor rgb '#d55e00'
plot 'device_n_fma.dat' index 0 using ($1/1e3):2 with linespoints pointtype 6 pointsize 0.4 linewidth 1.2 linecolor rgb '#0072b2' title T('one SM, device idle: 84.1 thousand', 'one SM, device idle: 84.1 thousand'), \
  'device_n_fma.dat' index 1 using ($1/1e3):2 with linespoints pointtype 8 pointsize 0.4 linewidth 1.2 linecolor rgb '#d55e00' title T('all SMs, 16 KiB each: 123.3 thousand', 'all SMs, 16 KiB each: 123.3 thousand')
unset output
