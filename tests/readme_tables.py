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


MODEL_NAMES = {
    "analytic": "**analytic**",
    "analytic_similar": "analytic, similar code",
    "analytic_read_3": "analytic, similar code, then own of the 3 fastest",
    "sim": "**sim**",
    "both": "**both**, their geometric mean",
    "roofline": "plain roofline",
    "hong_kim": "Hong and Kim 2009",
    "triton": "Triton's formula",
    "origami": "Origami's tile model",
    "paper": "rules of Chang et al. (choose, say no time)",
}


def blind(tilecast):
    """Scores of the committed blind run; None where there is none (exit code 5)."""
    command = [tilecast, "compare", "-d", DEVICE, "--blind", "recorded", "--format", "json", "-q"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 5:
        return None
    result.check_returncode()
    return json.loads(result.stdout)


def percent(share):
    return "-" if share is None else f"{100 * share:.1f}".replace("-0.0", "0.0")


def scores_table(scores):
    lines = [
        "| NVIDIA H200, every recorded config | layers | configs | median error [%] | mean | p90 | worst "
        "| rank correlation | regret of the predicted best [%] | over 10 % in [% of layers] | best of its first 3 |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for s in scores:
        lines.append(
            f"| `{s['family']}` | {s['layers']} | {s['n']} | {percent(s['median_abs_error'])} "
            f"| {percent(s['mean_abs_error'])} | {percent(s['p90_abs_error'])} | {percent(s['max_abs_error'])} "
            f"| {s['spearman']:.3f} | {percent(s['top1_regret_mean'])} (worst {percent(s['top1_regret_max'])}) "
            f"| {percent(s['top1_regret_over_10'])} | {percent(s['top3_regret_mean'])} |")
    return lines


def models_table(scores):
    families = ("chang_single", "chang_multi", "sgemm", "implicit_gemm")
    models = list(dict.fromkeys(s["model"] for s in scores))
    lines = [
        "| median error, regret of the choice [%] | " + " | ".join(f"`{f}`" for f in families) + " |",
        "|---|" + "---|" * len(families),
    ]
    for model in models:
        cells = []
        for family in families:
            found = [s for s in scores if s["model"] == model and s["family"] == family]
            cells.append(f"{percent(found[0]['median_abs_error'])}, {percent(found[0]['top1_regret_mean'])}" if found else "-")
        lines.append(f"| {MODEL_NAMES.get(model, model)} | " + " | ".join(cells) + " |")
    return lines


def blind_table(scores):
    if scores is None:
        return ["The blind evaluation has not been recorded yet: `tilecast validate --freeze`, `validate --blind`, "
                "`compare --blind` are its three steps."]
    scores = [s for s in scores if s["data"] == "evaluation"]
    lines = [
        "| evaluation rows, frozen before they were measured | layers | configs | median error [%] | mean | p90 | bias | rank correlation "
        "| regret of the predicted best [%] | over 10 % in [% of layers] | best of its first 3 | in 90 % interval [%] |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for s in scores:
        if s["model"] not in ("analytic", "sim", "both"):
            continue
        lines.append(
            f"| `{s['family']}`, **{s['model']}** | {s['layers']} | {s['n']} | {percent(s['median_abs_error'])} "
            f"| {percent(s['mean_abs_error'])} | {percent(s['p90_abs_error'])} | {percent(s['mean_signed_error'])} "
            f"| {s['spearman']:.3f} | {percent(s['top1_regret_mean'])} (worst {percent(s['top1_regret_max'])}) "
            f"| {percent(s['top1_regret_over_10'])} | {percent(s['top3_regret_mean'])} | {percent(s['interval_coverage'])} |")
    families = list(dict.fromkeys(s["family"] for s in scores))
    of = {(s["model"], s["family"]): s for s in scores}
    lines += [
        "",
        "| the same rows: median error, regret of the choice (worst) [%] | " + " | ".join(f"`{f}`" for f in families) + " |",
        "|---|" + "---|" * len(families),
    ]
    for model in MODEL_NAMES:
        cells = [of.get((model, f)) for f in families]
        if any(cells):
            lines.append(f"| {MODEL_NAMES[model]} | " + " | ".join(
                f"{percent(c['median_abs_error'])}, {percent(c['top1_regret_mean'])} ({percent(c['top1_regret_max'])})" if c else "-"
                for c in cells) + " |")
    return lines


def blind_summary(scores):
    if scores is None:
        return []
    lines = []
    for model, cost in (("analytic", "microseconds a prediction"), ("sim", "milliseconds"), ("both", "milliseconds")):
        of = [s for s in scores if s["data"] == "evaluation" and s["model"] == model]

        if not of:
            continue

        def spread(key):
            return " to ".join(percent(f(s[key] for s in of)) for f in (min, max))

        lines.append(
            f"- {MODEL_NAMES[model]} ({cost}): median error {spread('median_abs_error')} % by family; the config that it says is fastest "
            f"takes {spread('top1_regret_mean')} % longer than the fastest of those drawn, {percent(max(s['top1_regret_max'] for s in of))} % at worst.")
    families = {s["family"]: s for s in scores if s["data"] == "evaluation" and s["model"] == "analytic"}
    configs, pairs = (sum(s[key] for s in families.values()) for key in ("n", "layers"))
    return [f"{configs} configs on {pairs} pairs of a layer and a kernel family, of layers kept out of development, were predicted before they ran on an H200:", *lines]


# What a graph node costs more once a library, or cuMemsetD32, has run in the process (FINDINGS.md).
LAUNCH_AFTER_LIBRARY = 0.18e-6


def speedup_table(layers):
    slower = {}
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
        slower[family] = statistics.mean(r["speedup_over_cudnn"] * r["best_time_s"] / (r["best_time_s"] + LAUNCH_AFTER_LIBRARY) for r in rows)
        lines.append(
            f"| `{family}` on `{suite}` | {len(rows)} | {statistics.mean(best):.2f} ({min(best):.2f}, {max(best):.2f}) "
            f"| {statistics.mean(model):.2f} ({min(model):.2f}, {max(model):.2f}) |")
    lines += ["", "The paper reports 2.6 and 1.39 on a GTX 1080 Ti against cuDNN 7.1. Kernels and libraries are timed in graphs of identical launches; "
              "what a library does once makes each later launch of its process 0.18 us slower on an H200 "
              "([FINDINGS](microbench/results/nvidia-h200/FINDINGS.md)), which is not in our kernels' times: a mean speed-up of "
              f"{slower['chang_single']:.2f} and {slower['chang_multi']:.2f} if it were."]
    return lines


CODE_NAMES = {
    "own": "its own machine code, read",
    "similar": "the three most similar codes that were read",
    "estimated": "no code: the family's formulas",
}


def codes_table(scores_by_code):
    families = ("chang_single", "chang_multi", "sgemm", "implicit_gemm")
    lines = [
        "| what the analytic model knows of the kernel: median error, p90, regret [%] | "
        + " | ".join(f"`{f}`" for f in families) + " |",
        "|---|" + "---|" * len(families),
    ]
    for code, scores in scores_by_code.items():
        of = {s["family"]: s for s in scores}
        cells = [", ".join(percent(of[f][k]) for k in ("median_abs_error", "p90_abs_error", "top1_regret_mean"))
                 for f in families]
        lines.append(f"| {CODE_NAMES[code]} | " + " | ".join(cells) + " |")
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
    new = replace(old, "scores", scores_table(compare(tilecast, "--by-family")))
    new = replace(new, "models", models_table(compare(tilecast, "--model", "fast", "--by-family")))
    codes = {code: compare(tilecast, "--code", code, "--by-family") for code in CODE_NAMES}
    new = replace(new, "codes", codes_table(codes))
    of_blind = blind(tilecast)
    new = replace(new, "summary", blind_summary(of_blind))
    new = replace(new, "blind", blind_table(of_blind))
    new = replace(new, "speedup", speedup_table(compare(tilecast, "--by-layer")))
    if "--write" in sys.argv:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "README.md", "recorded data"))
        sys.exit(1)


if __name__ == "__main__":
    main()
