"""The tables of README.md, made from the recorded data.

    readme_tables.py TILECAST README            compares; exits with 1 and the difference
    readme_tables.py TILECAST README --write    rewrites the tables between their markers
"""

import difflib
import json
import statistics
import subprocess
import sys

DEVICE = "h200"


def compare(tilecast, *options):
    command = [tilecast, "compare", "-d", DEVICE, "--format", "json", "-q", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def percent(share):
    return "-" if share is None else f"{100 * share:.1f}"


def scores_table(scores):
    lines = [
        "| NVIDIA H200, every recorded config | layers | configs | median error [%] | mean | p90 | worst "
        "| rank correlation | regret of the predicted best [%] | best of its first 3 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for s in scores:
        lines.append(
            f"| `{s['family']}` on `{s['suite']}` | {s['layers']} | {s['n']} | {percent(s['median_abs_error'])} "
            f"| {percent(s['mean_abs_error'])} | {percent(s['p90_abs_error'])} | {percent(s['max_abs_error'])} "
            f"| {s['spearman']:.3f} | {percent(s['top1_regret_mean'])} (worst {percent(s['top1_regret_max'])}) "
            f"| {percent(s['top3_regret_mean'])} |")
    return lines


def speedup_table(layers):
    lines = [
        "## Speed of the kernels",
        "",
        "Best config against the best of every cuDNN 9 algorithm and graph plan in true fp32 (inaccurate ones included), and the "
        "config that the analytic model chose without running one (these layers are development data: the model was improved after they were seen):",
        "",
        "| | layers | speed-up of the best config: mean (least, most) | of the model's choice: mean (least, most) |",
        "|---|---|---|---|",
    ]
    for family, suite in (("chang_single", "chang-single"), ("chang_multi", "chang-multi")):
        rows = [r for r in layers if r["family"] == family and r["suite"] == suite]
        best = [r["speedup_over_cudnn"] for r in rows]
        model = [r["speedup_over_cudnn"] / (1 + r["model_regret"]) for r in rows]
        lines.append(
            f"| `{family}` on `{suite}` | {len(rows)} | {statistics.mean(best):.2f} ({min(best):.2f}, {max(best):.2f}) "
            f"| {statistics.mean(model):.2f} ({min(model):.2f}, {max(model):.2f}) |")
    lines += ["", "The paper reports 2.6 and 1.39 on a GTX 1080 Ti against cuDNN 7.1."]
    return lines


def replace(text, marker, lines):
    begin = text.index(f"<!-- {marker}: begin")
    begin = text.index("-->", begin) + len("-->")
    end = text.index(f"<!-- {marker}: end -->")
    return text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:]


def main():
    tilecast, readme = sys.argv[1:3]
    with open(readme, encoding="utf-8") as file:
        old = file.read()
    new = replace(old, "scores", scores_table(compare(tilecast)))
    new = replace(new, "speedup", speedup_table(compare(tilecast, "--by-layer")))
    if "--write" in sys.argv:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "README.md", "recorded data"))
        sys.exit(1)


if __name__ == "__main__":
    main()
