#!/usr/bin/env python3
"""Holds the table of FINDINGS.md against the committed profiles: values, intervals and those of other cards."""
import json
import pathlib
import re
import sys

# The order of the column "elsewhere".
elsewhere = ["former-profile", "first-machine", "second-machine", "two-gpus-0", "two-gpus-1", "fourth-machine", "sixth-machine"]
scales = {"KiB an SM": 1024, "thousand FMAs": 1e3, "MB": 1e6, "TB/s": 1e12, "us": 1e-6, "cycles": 1, "FMA/cycle": 1, "": 1}


def parameter(profile, key):
    return profile["parameters"].get(key)


def matches(text, value):
    """Whether `text` is `value` rounded to the digits it shows."""
    digits = len(text.split(".")[1]) if "." in text else 0
    return abs(float(text) - value) <= 0.5000001 * 10 ** -digits


def main(folder):
    folder = pathlib.Path(folder)
    here = folder / "microbench/results/nvidia-h200"
    own = json.loads((folder / "model/device/profiles/h200.json").read_text())
    others = [json.loads((here / "repeated" / f"{name}.json").read_text()) for name in elsewhere]
    rows = failures = 0

    def check(where, text, value):
        nonlocal failures
        if not matches(text, value):
            print(f"FINDINGS.md: {where}: {text}, the profile has {value:.6g}")
            failures += 1

    for line in (here / "FINDINGS.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        key = re.search(r"`(\w+)`", cells[0])
        if not line.startswith("|") or len(cells) != 5 or not key:
            continue
        key = key.group(1)
        unit = next(u for u in scales if cells[4].startswith(u))
        scale = scales[unit] * (own["parameters"]["sm_count"]["value"] if unit == "KiB an SM" else 1)
        rows += 1
        check(key, cells[1], parameter(own, key)["value"] / scale)
        interval = parameter(own, key).get("interval")
        if key == "v_s_little_bytes":  # derived: its inputs at the ends of their intervals
            ends = [[own["parameters"][k]["interval"][i] for k in ("dram_read_bytes_per_s", "dram_latency_cycles")] +
                    [own["parameters"]["sm_clock_hz"]["interval"][1 - i]] for i in (0, 1)]
            interval = [read * latency / clock for read, latency, clock in ends]
        if interval:
            shown = re.findall(r"[\d.]+", cells[2])
            if len(shown) != 2:
                print(f"FINDINGS.md: {key}: '{cells[2]}', expected an interval")
                failures += 1
            else:
                for text, end in zip(shown, interval):
                    check(f"{key}, interval", text, end / scale)
        shown = cells[3].split(", ")
        if len(shown) != len(others):
            print(f"FINDINGS.md: {key}: {len(shown)} values of other cards, expected {len(others)}")
            failures += 1
            continue
        for name, text, profile in zip(elsewhere, shown, others):
            found = parameter(profile, key)
            if found:
                check(f"{key}, {name}", text, found["value"] / scale)
    print(f"{rows} rows of FINDINGS.md, {failures} failures")
    return 0 if rows >= 25 and failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
