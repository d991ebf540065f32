#!/usr/bin/env python3
"""How far the order in which blocks end differs from launch to launch (EQUATIONS.md A5).

Usage: end_orders.py FOLDER >end_orders.csv
FOLDER: what block_timeline wrote for a file that has each case three times, one behind the other.
`of_running`: sqrt(12) times the deviation of a block's place, over the blocks that run at once: the width of a
window in which all blocks come in any order, if they were in it as they are here.
"""
import csv
import math
import pathlib
import statistics
import sys

SMS, LAUNCHES = 132, 3  # of the H200; of each case


def places(path):
    """Each block's place in the order of ends; blocks that end at the same time share the mean of theirs."""
    with open(path, newline="") as file:
        ends = {int(row["block"]): int(row["ns"]) for row in csv.DictReader(file)}
    ordered, place = sorted(ends, key=ends.get), {}
    begin = 0
    for i in range(1, len(ordered) + 1):
        if i == len(ordered) or ends[ordered[i]] != ends[ordered[begin]]:
            for block in ordered[begin:i]:
                place[block] = (begin + i - 1) / 2
            begin = i
    return place


def blocks_per_sm(path):
    """Most blocks of one SM at the same time."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    most = 0
    for sm in {row["sm"] for row in rows}:
        events = [(int(r["begin"]), 1) for r in rows if r["sm"] == sm]
        events += [(int(r["end"]), -1) for r in rows if r["sm"] == sm]
        running = 0
        for _, change in sorted(events):
            running += change
            most = max(most, running)
    return most


def main():
    folder = pathlib.Path(sys.argv[1])
    with open(folder / "summary.csv", newline="") as file:
        cases = list(csv.DictReader(file))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["family", "shape", "config", "blocks", "blocks_per_sm", "of_running"])
    for first in range(0, len(cases), LAUNCHES):
        case = cases[first]
        files = [folder / f"blocks_{first + i}.csv" for i in range(LAUNCHES)]
        orders = [places(f) for f in files]
        pairs = [(a, b) for i, a in enumerate(orders) for b in orders[i + 1 :]]
        apart = statistics.mean(statistics.pstdev([a[k] - b[k] for k in a]) for a, b in pairs) / math.sqrt(2)
        per_sm = blocks_per_sm(files[0])
        running = min(len(orders[0]), per_sm * SMS)
        window = math.sqrt(12) * apart / running
        out.writerow([case["family"], case["shape"], case["config"], len(orders[0]), per_sm, f"{window:.3f}"])


if __name__ == "__main__":
    main()
