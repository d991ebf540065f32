timeout 30 ncu --csv --clock-control none --cache-control none -k regex:chang --page source --print-source sass --section SourceCounters --section WarpStateStats --warp-sampling-interval 0 ./launch_cases src.csv 2 1 > $OUT/source.csv 2> $OUT/source_err.txt
xz -6 $OUT/source.csv
