#!/usr/bin/env python3
"""What the profiler saw of each case of a list (record.sh, warm_*.csv) as rows for validation/recorded/<gpu>/.

Usage: traffic_rows.py OUT/warm_NAME.csv LAUNCHES COUNTED PLACES > validation/recorded/<gpu>/NAME.csv
       traffic_rows.py OUT/NAME_places.csv RANGE 0 PLACES > validation/recorded/<gpu>/NAME_places.csv
LAUNCHES: of each case at each of PLACES in memory; COUNTED: the last so many there, which find in L2 what those before
left. A row is the mean over them and over the places. RANGE: launches that were counted as one.
"""
import csv
import io
import sys

# Sums over the GPU. Lookups of L2 are of the partition next to the SM: what it has not may hit in the other one, to
# which it goes by the fabric. (Parts of one launch's counters come from several runs: hits and misses may be up to a
# few per cent more or fewer than the sectors.)
COUNTERS = {
    "dram_read_bytes": "dram__bytes_read",
    "dram_written_bytes": "dram__bytes_write",
    "sectors_read": "lts__t_sectors_srcunit_tex_op_read",  # by SMs from L2
    "sectors_written": "lts__t_sectors_srcunit_tex_op_write",
    "reads_hit": "lts__t_sectors_srcunit_tex_op_read_lookup_hit",
    "reads_missed": "lts__t_sectors_srcunit_tex_op_read_lookup_miss",
    "writes_hit": "lts__t_sectors_srcunit_tex_op_write_lookup_hit",
    "writes_missed": "lts__t_sectors_srcunit_tex_op_write_lookup_miss",
    "fabric_sectors": "lts__t_sectors_srcunit_ltcfabric",  # between the partitions, both ways
    "fabric_hit": "lts__t_sectors_srcunit_ltcfabric_lookup_hit",
    "l1_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",  # asked of L1 by loads and copies
    "l1_hit": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit",
    "duration_ns": "gpu__time_duration",
    "cycles": "smsp__cycles_elapsed",  # of all schedulers
    "active_cycles": "smsp__cycles_active",  # in which a scheduler has a warp
    "issue_cycles": "smsp__issue_active",  # in which it issues
    "instructions": "smsp__inst_executed",
}
UNITS = ("byte", "sector", "ns", "cycle", "inst")


def main():
    launches, counted, places = (int(word) for word in sys.argv[2:])
    in_range = 1
    if not counted:
        launches, counted, in_range = 1, 1, launches
    text = open(sys.argv[1]).read()
    start = text.index('"ID"')
    cases = []  # the program names each case once a pass
    for line in text[:start].splitlines():
        if not line.startswith("==") and line.count(",") == 3 and line not in cases:
            cases.append(line)
    table = list(csv.reader(io.StringIO(text[start:])))
    head, units, rows = table[0], table[1], table[2:]
    if len(rows) != launches * places * len(cases):
        sys.exit(f"{sys.argv[1]}: {len(rows)} launches, expected {launches * places} of each of {len(cases)} cases")
    wanted = COUNTERS if in_range == 1 else {name: COUNTERS[name] for name in list(COUNTERS)[:4]}
    at = {name: head.index(counter + ".sum") for name, counter in wanted.items()}
    for name, column in at.items():
        if units[column] not in UNITS:
            sys.exit(f"{sys.argv[1]}: {name} in '{units[column]}', expected one of {UNITS}")
    which = f"launch {launches} of {launches}" if counted == 1 else f"mean of the last {counted} of {launches}"
    if in_range > 1:
        which = f"mean of {in_range} launches right behind each other"
    where = f" at each of {places} places" if places > 1 else ""
    print(f"# Nsight Compute, {which}{where}, no cache control; made by validation/counters/record.sh and traffic_rows.py")
    print("family,shape,config,code_hash," + ",".join(wanted) + ",least_dram_bytes,most_dram_bytes")
    for i, case in enumerate(cases):
        ends = [launches * (places * i + place + 1) for place in range(places)]
        last = [row for end in ends for row in rows[end - counted : end]]
        value = {name: [float(row[column].replace(",", "")) / in_range for row in last] for name, column in at.items()}
        dram = [r + w for r, w in zip(value["dram_read_bytes"], value["dram_written_bytes"])]
        means = [sum(v) / len(last) for v in value.values()]
        print(case + "," + ",".join(f"{v:.0f}" for v in [*means, min(dram), max(dram)]))


main()
