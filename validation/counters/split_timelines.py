#!/usr/bin/env python3
"""Split gemms phase by phase: time stamps of their first blocks beside the simulator's (EQUATIONS.md S12).

Usage: split_timelines.py CASES.csv FOLDER TILECAST DEVICE >split_timelines.csv
CASES.csv: gemms with split_k > 1; FOLDER: what block_timeline wrote for them; TILECAST: the program, with NVRTC and
nvdisasm. Cycles; measured: medians over the blocks that begin in the first 2500 cycles, of their slowest warps;
simulated: the slowest warp of the simulated SM's first block.
first    until the first step
steps    from there until the last step is done
met      until the cluster has met, with the first pass's sums written
read     until the first pass is summed up and stored
passes   until the last one is
end      until the block's end
outside  what the launch takes besides its longest SM, of launches whose blocks all run at once (measured with what the
         stamps' own stores take, 0.3 us and more)
Blocks of a cluster may have a step more or less: `steps` and `met` together are alike.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

CLOCK_MHZ = 1980  # of the H200's SMs
PHASES = ("first", "steps", "met", "read", "passes", "end", "outside")


def measured(folder, number, launch):
    with open(folder / f"blocks_{number}.csv", newline="") as file:
        blocks = list(csv.DictReader(file))
    first_blocks = [b for b in blocks if float(b["begin"]) < 2500]

    def at(name):
        return statistics.median(float(b[name]) for b in first_blocks)

    marks = [at(name) for name in ("first_most", "last_most", "met_most", "read_most", "left_most", "end")]
    outside = float(launch["stamped_s"]) * CLOCK_MHZ * 1e6 - max(float(b["end"]) for b in blocks)
    return [b - a for a, b in zip([0] + marks, marks)] + [outside]


def events_of_warps(trace):
    """Of the first block's warps: (begin, end, name) in cycles, in order."""
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("ph") == "X"]
    block = min(e["pid"] for e in events)
    warps = {}
    for e in events:
        if e["pid"] == block:
            begin, end = (round(t * CLOCK_MHZ) for t in (e["ts"], e["ts"] + e["dur"]))
            warps.setdefault(e["tid"], []).append((begin, end, e["name"]))
    return [sorted(w) for w in warps.values() if any(name.startswith("warp") for _, _, name in w)]


def main_and_sums(warp):
    """The loop of its steps, and those of its sums behind it."""
    loops = [e for e in warp if e[2].startswith("loop")]
    steps = max(loops, key=lambda e: e[1] - e[0])
    return steps, [e for e in loops if e[0] >= steps[1]]


def simulated(program, device, case):
    shape = ",".join(case[k] for k in ("N", "C", "H", "W", "M", "K", "stride", "pad"))
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        out = subprocess.run(
            [program, "simulate", "-d", device, "-f", case["family"], "--conv", shape, "--config",
             case["config"].replace(" ", ","), "--trace", trace, "--every-trip", "--format", "json", "-q"],
            check=True, capture_output=True, text=True).stdout
        warps = events_of_warps(trace)
    split = [main_and_sums(warp) for warp in warps]
    passes = max(len(sums) for _, sums in split)
    marks = [0] * 6
    for warp, (steps, sums) in zip(warps, split):
        met = [e for e in warp if e[2] == "barrier"][-2 * passes]  # two of the cluster's a pass
        # A warp without a share of the sum is done with it as it meets the others.
        read, left = (sums[0][1], sums[-1][1]) if sums else (met[1], met[1])
        of_warp = (steps[0], steps[1], met[1], read, left, max(e[1] for e in warp))
        marks = [max(a, b) for a, b in zip(marks, of_warp)]
    outside = json.loads(out)["time_s"] * CLOCK_MHZ * 1e6 - marks[-1]
    return [b - a for a, b in zip([0] + marks, marks)] + [outside]


def main():
    cases_path, folder, program, device = sys.argv[1:]
    folder = pathlib.Path(folder)
    with open(cases_path, newline="") as file:
        cases = list(csv.DictReader(file))
    with open(folder / "summary.csv", newline="") as file:
        launches = list(csv.DictReader(file))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["family", "shape", "config"] + [f"{p}{s}" for p in PHASES for s in ("", "_simulated")])
    for number, (case, launch) in enumerate(zip(cases, launches)):
        pairs = zip(measured(folder, number, launch), simulated(program, device, case))
        out.writerow([case["family"], launch["shape"], case["config"]] + [round(x) for pair in pairs for x in pair])


if __name__ == "__main__":
    main()
