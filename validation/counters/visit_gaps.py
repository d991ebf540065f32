#!/usr/bin/env python3
"""How far apart a block's neighbouring warps visit their units, from visits_N.csv of block_timeline.

usage: visit_gaps.py FOLDER > visit_gaps.csv

For each chang_single case of FOLDER/summary.csv and each visit behind the first: the mean and the median, over all
pairs of warps next to each other in a block, of the time between their beginnings of that visit, as a share of the
time that the first of the two takes for it; and the warps that an SM's schedulers have at once.
"""
import collections
import csv
import statistics
import sys

SCHEDULERS = 4


def visits_of(path):
    """{(block, warp): {visit: cycle}}"""
    visits = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            visits[int(row["block"]), int(row["warp"])][int(row["visit"])] = int(row["cycle"])
    return visits


def blocks_at_once(path):
    """Of most SMs: blocks that begin before the first of them ends."""
    blocks = collections.defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            blocks[row["sm"]].append((int(row["begin"]), int(row["end"])))
    return statistics.mode(sum(begin < min(e for _, e in b) for begin, _ in b) for b in blocks.values())


def gaps(visits, visit):
    shares = []
    for (block, warp), own in visits.items():
        other = visits.get((block, warp + 1), {})
        if visit in own and visit + 1 in own and visit in other:
            shares.append(abs(own[visit] - other[visit]) / (own[visit + 1] - own[visit]))
    return shares


def main():
    folder = sys.argv[1]
    print("shape,config,warps_on_scheduler,visit,pairs,mean_of_visit,median_of_visit")
    with open(f"{folder}/summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["family"] != "chang_single":
            continue
        visits = visits_of(f"{folder}/visits_{row['row']}.csv")
        at_once = blocks_at_once(f"{folder}/blocks_{row['row']}.csv")
        warps = at_once * int(row["threads"]) / 32 / SCHEDULERS
        for visit in range(1, 1 + max(max(v) for v in visits.values())):
            shares = gaps(visits, visit)
            if len(shares) > 100:
                print(f"{row['shape']},{row['config']},{warps:g},{visit},{len(shares)},"
                      f"{statistics.mean(shares):.4f},{statistics.median(shares):.4f}")


if __name__ == "__main__":
    main()
