"""Validates profiles against profile.schema.json: every shipped one conforms, broken ones do not.

Usage: profile_schema_test.py FOLDER (of profile.schema.json and profiles/). Exit 77: no jsonschema module.
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
    validator_class = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("skipped: the Python module jsonschema (4 or later) is absent")
    sys.exit(77)


def broken(profile):
    """(what is wrong, profile) for profiles that must be refused."""

    def change(edit):
        other = copy.deepcopy(profile)
        edit(other)
        return other

    def parameter(name, **members):
        return lambda p: p["parameters"][name].update(members)

    latency = "dram_latency_cycles"
    curve = {"x_unit": "bytes", "y_unit": "cycles", "x": [1], "y": [1], "kind": "measured", "source": "test"}
    return [
        ("another schema version", change(lambda p: p.update(schema="tilecast-device/2"))),
        ("an unknown key", change(lambda p: p.update(gpu="x"))),
        ("an unknown parameter", change(lambda p: p["parameters"].update(latency=p["parameters"][latency]))),
        ("no sm_count", change(lambda p: p["parameters"].pop("sm_count"))),
        ("no source", change(lambda p: p["parameters"][latency].pop("source"))),
        ("an empty source", change(parameter(latency, source=""))),
        ("an unknown kind", change(parameter(latency, kind="guessed"))),
        ("a wrong unit", change(parameter(latency, unit="ns"))),
        ("a negative value", change(parameter(latency, value=-1))),
        ("a zero value", change(parameter(latency, value=0))),
        ("a fraction of an SM", change(parameter("sm_count", value=28.5))),
        ("text for a number", change(parameter(latency, value="258"))),
        ("an interval of one", change(parameter(latency, interval=[1]))),
        ("a bad compute capability", change(lambda p: p.update(compute_capability="sm_90"))),
        ("a curve without y", change(
            lambda p: p.update(curves={"latency_over_footprint": {k: curve[k] for k in curve if k != "y"}}))),
        ("only one side of an interval", change(
            lambda p: p.update(curves={"latency_over_footprint": {**curve, "y_low": [1]}}))),
    ]


def main(folder):
    schema = json.loads((folder / "profile.schema.json").read_text())
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    failures = 0

    profiles = sorted((folder / "profiles").glob("*.json"))
    if not profiles:
        print("no profiles found")
        return 1
    for path in profiles:
        for error in validator.iter_errors(json.loads(path.read_text())):
            print(f"{path.name}: /{'/'.join(map(str, error.absolute_path))}: {error.message}")
            failures += 1

    good = json.loads((folder / "profiles" / "gtx-1080-ti.json").read_text())
    cases = broken(good)
    for what, profile in cases:
        if validator.is_valid(profile):
            print(f"accepted, though it has {what}")
            failures += 1
    print(f"{len(profiles)} profiles, {len(cases)} broken ones, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
