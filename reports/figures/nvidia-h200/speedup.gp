# Speed-up over the fastest library algorithm
# Draw it again, in this folder:
#   gnuplot speedup.gp                     makes speedup.svg
#   gnuplot -e "format='pdf'" speedup.gp   makes speedup.pdf
#   gnuplot -e "format='tex'" speedup.gp   makes speedup-latex.tex and speedup-latex.pdf, for \input{} with graphicx and xcolor
reset
if (!exists("format")) format = "svg"
T(enhanced, latex) = (format eq "tex") ? latex : enhanced
width = 7.16; height = 3.29  # inches
if (format eq "svg") {
  set terminal svg enhanced size 96*width,96*height font "Helvetica,8" fontscale 1.3333 linewidth 1.3333 background "#ffffff"
  set output "speedup.svg"
}
if (format eq "pdf") {
  set terminal pdfcairo enhanced size width,height font "Helvetica,8" linewidth 1
  set output "speedup.pdf"
}
if (format eq "tex") {
  # LaTeX sets the text in the document's font; its size is fixed here, so that keys keep their spacing.
  set terminal cairolatex pdf input colourtext size width,height font ",8" linewidth 2 header '\fontsize{8}{9}\selectfont'
  set output "speedup-latex.tex"
}
set encoding utf8
set border 3 linewidth 0.7
set tics out nomirror scale 0.5
set grid linecolor rgb "#d8d8d8" linewidth 0.4 dashtype 1
set key samplen 1.2 spacing 1.05
# Marks with error bars have a blank box around them, which hides what is drawn below; 0 would mean 1.
set pointintervalbox 0.01
set lmargin at screen 0.0698; set rmargin at screen 0.9832
set bmargin at screen 0.4225; set tmargin at screen 0.8936
set xrange [-0.7:47.7]
set yrange [0:9.422]
unset grid
set grid ytics linecolor rgb '#d8d8d8' linewidth 0.4 dashtype 1
set xtics rotate by 90 right font ',6' scale 0 (T('chang-mc-7-c512-k1', 'chang-mc-7-c512-k1') 0, T('chang-mc-7-c512-k3', 'chang-mc-7-c512-k3') 1, T('chang-mc-7-c512-k5', 'chang-mc-7-c512-k5') 2, T('chang-mc-14-c512-k1', 'chang-mc-14-c512-k1') 3, T('chang-mc-14-c512-k3', 'chang-mc-14-c512-k3') 4, T('chang-mc-14-c512-k5', 'chang-mc-14-c512-k5') 5, T('chang-mc-14-c256-k1', 'chang-mc-14-c256-k1') 6, T('chang-mc-14-c256-k3', 'chang-mc-14-c256-k3') 7, T('chang-mc-14-c256-k5', 'chang-mc-14-c256-k5') 8, T('chang-mc-28-c256-k1', 'chang-mc-28-c256-k1') 9, T('chang-mc-28-c256-k3', 'chang-mc-28-c256-k3') 10, T('chang-mc-28-c256-k5', 'chang-mc-28-c256-k5') 11, T('chang-mc-28-c128-k1', 'chang-mc-28-c128-k1') 12, T('chang-mc-28-c128-k3', 'chang-mc-28-c128-k3') 13, T('chang-mc-28-c128-k5', 'chang-mc-28-c128-k5') 14, T('chang-mc-56-c128-k1', 'chang-mc-56-c128-k1') 15, T('chang-mc-56-c128-k3', 'chang-mc-56-c128-k3') 16, T('chang-mc-56-c128-k5', 'chang-mc-56-c128-k5') 17, T('chang-mc-56-c64-k1', 'chang-mc-56-c64-k1') 18, T('chang-mc-56-c64-k3', 'chang-mc-56-c64-k3') 19, T('chang-mc-56-c64-k5', 'chang-mc-56-c64-k5') 20, T('chang-mc-112-c64-k1', 'chang-mc-112-c64-k1') 21, T('chang-mc-112-c64-k3', 'chang-mc-112-c64-k3') 22, T('chang-mc-112-c64-k5', 'chang-mc-112-c64-k5') 23, T('chang-mc-224-c64-k1', 'chang-mc-224-c64-k1') 24, T('chang-mc-224-c64-k3', 'chang-mc-224-c64-k3') 25, T('chang-mc-224-c64-k5', 'chang-mc-224-c64-k5') 26, T('chang-mc-512-c64-k1', 'chang-mc-512-c64-k1') 27, T('chang-mc-512-c64-k3', 'chang-mc-512-c64-k3') 28, T('chang-mc-512-c64-k5', 'chang-mc-512-c64-k5') 29, T('chang-sc-28-m512-k1', 'chang-sc-28-m512-k1') 30, T('chang-sc-28-m512-k3', 'chang-sc-28-m512-k3') 31, T('chang-sc-28-m512-k5', 'chang-sc-28-m512-k5') 32, T('chang-sc-56-m256-k1', 'chang-sc-56-m256-k1') 33, T('chang-sc-56-m256-k3', 'chang-sc-56-m256-k3') 34, T('chang-sc-56-m256-k5', 'chang-sc-56-m256-k5') 35, T('chang-sc-112-m128-k1', 'chang-sc-112-m128-k1') 36, T('chang-sc-112-m128-k3', 'chang-sc-112-m128-k3') 37, T('chang-sc-112-m128-k5', 'chang-sc-112-m128-k5') 38, T('chang-sc-224-m64-k1', 'chang-sc-224-m64-k1') 39, T('chang-sc-224-m64-k3', 'chang-sc-224-m64-k3') 40, T('chang-sc-224-m64-k5', 'chang-sc-224-m64-k5') 41, T('chang-sc-512-m32-k1', 'chang-sc-512-m32-k1') 42, T('chang-sc-512-m32-k3', 'chang-sc-512-m32-k3') 43, T('chang-sc-512-m32-k5', 'chang-sc-512-m32-k5') 44, T('chang-sc-1024-m32-k1', 'chang-sc-1024-m32-k1') 45, T('chang-sc-1024-m32-k3', 'chang-sc-1024-m32-k3') 46, T('chang-sc-1024-m32-k5', 'chang-sc-1024-m32-k5') 47)
set ylabel T('Speed-up (×)', 'Speed-up ($\times$)') offset 0.3,0
set key at screen 0.5, screen 0.99 center top horizontal maxrows 1 Left reverse
set style fill solid 1 noborder
geometric = 2.2385; arithmetic = 2.421
plot 'speedup.dat' using 1:2:(0.7) with boxes linecolor rgb '#56b4e9' title T('fastest measured config', 'fastest measured config'), \
  'speedup.dat' using 1:3 with points pointtype 13 pointsize 0.7 linecolor rgb '#000000' title T('config chosen by the model', 'config chosen by the model'), \
  1 with lines linewidth 1 linecolor rgb '#000000' notitle, \
  geometric with lines linewidth 1.2 dashtype 2 linecolor rgb '#d55e00' title T('geometric mean 2.24×', 'geometric mean 2.24$\times$'), \
  arithmetic with lines linewidth 1.2 dashtype 3 linecolor rgb '#009e73' title T('arithmetic mean 2.42×', 'arithmetic mean 2.42$\times$')
unset output
