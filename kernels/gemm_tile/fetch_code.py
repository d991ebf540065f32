#!/usr/bin/env python3
"""The tables of fetch_code.cpp, from the committed mixes: what a step's copies are in machine code.

    python3 kernels/gemm_tile/fetch_code.py        (needs numpy)

A row is a launch whose multiply-adds' loop holds the copies (mixes without `round` and `last`). Regressed by
least squares, once again without what is three deviations off: a trip's counts, by the depth of a step for each
tile of a thread, by the share of trips that copy, and by that share times the copies of A and B, of one word
and of four.
"""
import csv
import pathlib
import re

import numpy

COUNTS = ["issued", "integer_mad", "integer", "memory", "pipe_cycles", "queue_cycles", "chain_cycles",
          "shared_waits", "queue_waits"]
FEWEST_ROWS = 10  # of a kind of copy


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def launches(folder):
    """Parts by name of each launch that was read, with the constants of its code."""
    constants = {row["code_hash"]: row["key"] for row in rows_of(folder / "code_records/sm_90.csv") if "gemm" in row["key"]}
    parts, code = {}, None
    for row in rows_of(folder / "code_mixes/sm_90.csv"):
        if row["part"] == "core":
            if parts:
                yield code, parts
            parts, code = {}, constants.get(row["code_hash"])
        if code is not None:
            parts[row["part"]] = {name: float(value) for name, value in row.items() if name not in ("code_hash", "part")}
    if parts:
        yield code, parts


def regress(rows):
    tiles = sorted({row["tile"] for row in rows})
    columns = [[1.0] * len(rows)] + [[row["depth"] * (row["tile"] == tile) for row in rows] for tile in tiles]
    names = ["trip"]
    of_copies = [[row["share"] for row in rows]]
    for operand in "ab":
        for words in (1, 4):
            if sum(row[operand + "_words"] == words for row in rows) > FEWEST_ROWS:
                names.append(f"{operand}{words}")
                of_copies.append([row["share"] * row[operand] * (row[operand + "_words"] == words) for row in rows])
    x = numpy.array(columns + of_copies).T
    print("  " + "count".ljust(14) + "".join(name.rjust(8) for name in names) + "  median residual, of")
    for count in COUNTS:
        y = numpy.array([row[count] for row in rows])
        found = numpy.linalg.lstsq(x, y, rcond=None)[0]
        off = numpy.abs(y - x @ found)
        kept = off < 3 * off.std()
        found = numpy.linalg.lstsq(x[kept], y[kept], rcond=None)[0]
        residual = numpy.median(numpy.abs(y - x @ found))
        print("  " + count.ljust(14) + "".join(f"{value:8.1f}" for value in found[len(columns):])
              + f"  {residual:.1f}, {y.mean():.0f}")


def main():
    kinds = {}
    for key, parts in launches(pathlib.Path(__file__).resolve().parent.parent):
        if "round" in parts or "last" in parts:
            continue
        of = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", key)}
        threads = of["TILE_M"] * of["TILE_N"] // (of["THREAD_M"] * of["THREAD_N"])
        ffma = of["TILE_K"] * of["THREAD_M"] * of["THREAD_N"]
        row = {"tile": (of["THREAD_M"], of["THREAD_N"]), "depth": of["TILE_K"],
               "a": of["TILE_M"] * of["TILE_K"] / of["VEC_A"] / threads, "a_words": of["VEC_A"],
               "b": of["TILE_N"] * of["TILE_K"] / of["VEC_B"] / threads, "b_words": of["VEC_B"]}
        row["share"] = parts["core"]["copies"] * ffma / (row["a"] + row["b"])
        if row["share"] > 1.05:  # the loop's trips are not steps
            continue
        row.update({count: parts["core"][count] * ffma for count in COUNTS})
        kinds.setdefault((key.split("/")[0], of["ASYNC"]), []).append(row)
    for (family, asynchronous), rows in sorted(kinds.items()):
        print(f"{family}, {'asynchronous' if asynchronous else 'through registers'}: {len(rows)} launches")
        regress(rows)


main()
