#!/usr/bin/env python3
"""What the profiler saw of each traffic case (record.sh, traffic.csv) as rows for validation/recorded/<gpu>/traffic.csv.

Usage: traffic_rows.py OUT/traffic.csv > validation/recorded/<gpu>/traffic.csv
"""
import csv
import io
import sys

LAUNCHES = 4  # of each case; the last finds in L2 what those before it left
COUNTERS = {
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_written_bytes": "dram__bytes_write.sum",
    "sectors_read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "sectors_written": "lts__t_sectors_srcunit_tex_op_write.sum",
}


def main():
    text = open(sys.argv[1]).read()
    start = text.index('"ID"')
    cases = []  # the program names each case once a pass
    for line in text[:start].splitlines():
        if not line.startswith("==") and line.count(",") == 3 and line not in cases:
            cases.append(line)
    table = list(csv.reader(io.StringIO(text[start:])))
    head, units, rows = table[0], table[1], table[2:]
    if len(rows) != LAUNCHES * len(cases):
        sys.exit(f"{sys.argv[1]}: {len(rows)} launches, expected {LAUNCHES} of each of {len(cases)} cases")
    for counter in COUNTERS.values():
        if units[head.index(counter)] not in ("byte", "sector"):
            sys.exit(f"{sys.argv[1]}: {counter} in '{units[head.index(counter)]}', expected bytes or sectors")
    print(f"# Nsight Compute, launch {LAUNCHES} of {LAUNCHES}, no cache control; made by validation/counters/record.sh and traffic_rows.py")
    print("family,shape,config,code_hash," + ",".join(COUNTERS))
    for i, case in enumerate(cases):
        row = rows[LAUNCHES * i + LAUNCHES - 1]
        print(case + "," + ",".join(row[head.index(c)].replace(",", "") for c in COUNTERS.values()))


main()
