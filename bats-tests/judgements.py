#!/usr/bin/env python3
"""judgements FOLDER REPORT...: whether all that is said of the ratios of the experiments in FOLDER agrees with their judgement, in each
format. REPORT... is the command that reports. Prints what does not; exit status 1 if anything does not."""
import csv
import io
import json
import os
import re
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
wrong = []
REMARKS = {"unknown": "(unclear)", "no": "(no effect)", "yes": ""}


def report(*words):
    return subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout


def expect(is_so, *said):
    if not is_so:
        wrong.append(" ".join(str(one) for one in said))


def effect_of(ratio):
    return ratio["judgement"]["effect"]


def judgement(ratio, where):
    """A judgement by itself: what it says follows from the interval that stands beside it."""
    effect, ci = effect_of(ratio), ratio["ci"]
    apart = ci is not None and (ci[0] > 1 or ci[1] < 1)
    if effect == "yes":
        expect(apart or ratio["constant"], where, "an effect whose interval has 1 in it", ci)
    if effect == "no" and ci is not None:
        expect(max(1 - ci[0], ci[1] - 1) <= 0.05, where, "no effect, and an interval that goes beyond 5 %", ci)
    expect(ratio["distinguishable"] in (None, effect == "yes"), where, "distinguishable is not the judgement")
    expect(not ratio.get("survives") or effect == "yes", where, "it survives, and is no effect")


def sentence(text, slowdown, where):
    effect, ci = effect_of(slowdown), slowdown["ci"]
    if ci is None:
        return
    words = {"yes": re.search(r"times as (long|high) \([0-9.]+ to .* sure\)", text), "no": "no effect" in text and "either way" in text,
             "unknown": "unclear" in text or "anything from" in text or "may still be chance" in text}
    expect([one for one in words if words[one]] == [effect], where, effect, "is told as:", text)


def one_experiment(name):
    model = json.loads(report(os.path.join(folder, name), "--format", "json"))
    for cell in model["cells"]:
        for ratio in (cell["all_slowdowns"] or []) + (cell.get("comparisons") or []):
            judgement(ratio, f"{name} {cell['condition']} {ratio['metric']}")
    if any(cell["capacity"] or cell["protection"] or cell["variant"] for cell in model["cells"]):
        return
    lines = [line for line in report(os.path.join(folder, name)).split("\n") if line.startswith("Beside ")]
    for cell in model["cells"]:
        slowdown = cell["slowdown"]
        if not slowdown:
            continue
        said = [line for line in lines if re.match(re.escape(f"Beside {cell['condition']}") + r"( \(|\b)", line)]
        for text in said[:1]:
            sentence(text, slowdown, f"{name} {cell['condition']}")
            load = slowdown["judgement"]["load"]
            expect((" But " in text) == (load is not None and not load["arrived"]), name, "how much of the load arrived is", load, "and told as:", text)


def tables(model):
    cells = [cell for cell in model["cells"] if cell["slowdown"] and cell["slowdown"]["ci"]]
    ratios = {}
    for cell in cells:
        ratios.setdefault(effect_of(cell["slowdown"]), []).append(cell)
    for effect, own in ratios.items():
        print(f"# {effect}: {len(own)} slowdowns")
    expect(set(ratios) == {"yes", "no", "unknown"}, "not each kind is there:", list(ratios))
    for form in ("terminal", "md", "latex", "github"):
        text = report(folder, "--format", form)
        expect(not re.search(r"\((unclear|no effect|no interval)\)[*}]* *(†|\\?\$\\dagger)", text), form, "marks what is no effect")
        expect(not re.search(r"(\*\*|\\textbf\{)[^*}|&]*\((unclear|no effect|no interval)\)", text), form, "has in bold what is no effect")
    terminal = report(folder)
    for effect, remark in REMARKS.items():
        if remark:
            expect(terminal.count(remark) >= len(ratios[effect]), "terminal:", remark, terminal.count(remark), "of", len(ratios[effect]))


def export(model):
    effects = {(cell["experiment"], cell["condition"], ratio["metric"]): effect_of(ratio)
               for cell in model["cells"] for ratio in cell["all_slowdowns"] or []}
    rows = 0
    for row in csv.DictReader(io.StringIO(report(folder, "--format", "csv"))):
        key = (row["experiment"], row["condition"], row["metric"])
        if not row["slowdown"] or key not in effects:
            continue
        rows += 1
        expect(row["distinguishable"] in ("", "true" if effects[key] == "yes" else "false"), "csv", key, effects[key], row["distinguishable"])
    expect(rows > 100, "csv has only", rows, "slowdowns")


for name in sorted(os.listdir(folder)):
    one_experiment(name)
model = json.loads(report(folder, "--format", "json"))
tables(model)
export(model)
print("\n".join(wrong[:20]))
sys.exit(1 if wrong else 0)
