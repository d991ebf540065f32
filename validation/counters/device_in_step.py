#!/usr/bin/env python3
"""Whether the blocks of an SM, and those of all SMs, stay in step from wave to wave (EQUATIONS.md S9).

Usage: device_in_step.py FOLDER... >device_in_step.csv
FOLDER: what block_timeline wrote. A row for each case of two waves and more:
`period`: cycles from a block's begin to that of the one behind as many as run at once, median.
`own`, `device`: Kuramoto's order parameter of the ends within two periods, |mean of exp(2 pi i end / period)|:
of each SM's blocks, mean over SMs, and of all SMs' together; both the mean of four places of the launch. 1 where
all end at the same time, about 1/sqrt(blocks) where they end at any.
"""
import cmath
import csv
import math
import pathlib
import statistics
import sys

PLACES = (0.15, 0.35, 0.55, 0.75)  # of the launch, where the ends are looked at


def order(ends, period):
    return abs(sum(cmath.exp(2j * math.pi * end / period) for end in ends)) / len(ends)


def orders(path, clock_hz):
    """Blocks at once, period, order of an SM and of the device; None for less than two waves."""
    with open(path, newline="") as file:
        blocks = [{name: int(row[name]) for name in ("sm", "begin", "end", "ns")} for row in csv.DictReader(file)]
    of_sm = {}
    for block in blocks:
        of_sm.setdefault(block["sm"], []).append(block)
    first = min(block["ns"] for block in blocks)
    for block in blocks:
        block["cycle"] = (block["ns"] - first) * clock_hz / 1e9
    at_once, periods = [], []
    for own in of_sm.values():
        own.sort(key=lambda block: block["begin"])
        at_once.append(sum(block["begin"] < min(other["end"] for other in own) for block in own))
    at_once = int(statistics.median(at_once))
    for own in of_sm.values():
        begins = [block["begin"] for block in own]
        periods += [begins[i + at_once] - begins[i] for i in range(at_once, len(own) - at_once)]
    if len(periods) < len(of_sm):
        return None
    period = statistics.median(periods)
    last = max(block["cycle"] for block in blocks)
    of_one, of_all = [], []
    for place in PLACES:
        from_ = place * last
        near = [[b["cycle"] for b in own if from_ <= b["cycle"] < from_ + 2 * period] for own in of_sm.values()]
        near = [ends for ends in near if len(ends) >= at_once]
        if near:
            of_one.append(statistics.mean(order(ends, period) for ends in near))
            of_all.append(order([end for ends in near for end in ends], period))
    return at_once, period, statistics.mean(of_one), statistics.mean(of_all)


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("family shape config kernel_us blocks at_once period own device".split())
    for folder in map(pathlib.Path, sys.argv[1:]):
        with open(folder / "summary.csv", newline="") as file:
            cases = list(csv.DictReader(file))
        for case in cases:
            found = orders(folder / f"blocks_{case['row']}.csv", float(case["clock_hz"]))
            if found:
                at_once, period, own, device = found
                out.writerow([case["family"], case["shape"], case["config"], f"{float(case['plain_s']) * 1e6:.2f}",
                              case["blocks"], at_once, round(period), f"{own:.2f}", f"{device:.2f}"])


if __name__ == "__main__":
    main()
