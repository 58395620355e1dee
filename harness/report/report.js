// The sections of a report: its model is {head, cells}, as the program `report` prints them.

const flagName = (flag) => flag.replaceAll("-", " ");
const problemNames = (one) => [...new Set(one.problems.map((problem) => problem.flag))].sort().map(flagName);
const nameOf = (one) => one.load ?? one.condition;
const times = (one) => [el("b", null, `${one.ratio}×`), " ", one.interval, one.mark];

// What the sections read of each cell besides what the program printed.
function prepare({ head, cells }) {
  const runs = new Map(cells.filter((one) => one.charts.runs).map((one) => [one.experiment, one.charts.runs]));
  cells.forEach((one, i) => {
    one.id = `c${i + 1}`;
    one.program = one.texts.program;
    one.f = `${one.program} ${one.condition ?? ""} ${one.load ?? ""}`;
    one.slowed = one.texts.slowdown !== "-";
    one.mark = one.survives && head.texts.family ? " †" : "";
    one.runs = runs.get(one.experiment) ?? {};
  });
}

// ---- the answer: target x load

// Levels of one load in order: by number, then by name.
const levelNumber = (level) => Number(/^[^0-9]*([0-9]+(?:\.[0-9]+)?)/.exec(level ?? "")?.[1] ?? NaN);
const byLevel = (a, b) => (Number.isNaN(levelNumber(a)) - Number.isNaN(levelNumber(b)))
  || levelNumber(a) - levelNumber(b) || words.compare(a ?? "", b ?? "");

function heatEntry(one) {
  const flags = problemNames(one);
  const marks = flags.length === 0 ? null : el("small", null,
    flags.length > 2 ? `${flags.length} problems` : flags.join(", "));
  if (one.ratio === null) return [el("a", { href: `#${one.id}` }, el("b", null, "not known")), marks];
  const hint = one.distinguishable === false ? "noise" : one.values.ratio < 1
    ? (one.main === "wall time" ? "faster" : "better") : null;
  return [el("a", { href: `#${one.id}` }, el("b", null, `${one.ratio}×`), " ", el("span", null, one.interval),
    one.mark), hint && el("small", null, hint), marks];
}
function heatCell(cells) {
  if (!cells) return { c: "none", t: el("small", null, "not measured") };
  const worst = cells.reduce((a, b) => (b.values.ratio > a.values.ratio ? b : a));
  const sure = worst.distinguishable !== false && worst.ratio !== null;
  return { ...heated({ heat: worst.values.ratio, sure, hatch: cells.some((one) => one.problems.length > 0) }),
    t: cells.map((one, i) => [i > 0 && el("br"), heatEntry(one)]) };
}

const levelOf = (one) => one.level ?? (one.load !== null && one.load !== one.condition ? one.condition : null);
const columnOf = (one) => JSON.stringify([nameOf(one), levelOf(one)]);
function heatTable({ metric, cells }, number) {
  const groups = grouped(cells, nameOf).map(([name, mine]) => ({ name,
    levels: [...new Set(mine.map(levelOf))].sort(byLevel) }));
  const isPlain = (group) => group.levels.length === 1 && group.levels[0] === null;
  const head = el("thead", null,
    el("tr", null, el("th", { scope: "col", rowspan: 2, "data-sort": true }, "Target"),
      groups.map((group) => (isPlain(group)
      ? el("th", { scope: "col", rowspan: 2, "data-sort": true }, group.name)
        : el("th", { scope: "colgroup", colspan: group.levels.length }, group.name)))),
    el("tr", null, groups.map((group) => (isPlain(group) ? null : group.levels
      .map((level) => el("th", { scope: "col", "data-sort": true }, level ?? "one level"))))));
  const columns = groups.flatMap((group) => group.levels.map((level) => JSON.stringify([group.name, level])));
  const rows = grouped(cells, (one) => one.program).map(([target, mine]) => {
    const found = new Map(grouped(mine, columnOf));
    return { f: target, cells: [target, ...columns.map((column) => heatCell(found.get(column)))] };
  });
  const what = metric === "wall time" ? "Slowdown" : `Ratio of ${metric}`;
  return table({ id: `heat${number || ""}`, kind: "heat",
    caption: `${what} of each target (rows) under each load and level (columns)`, columns: [], head, rows });
}

// The metrics of the cells, the main ones first, each with all cells as cells of this metric.
function byMetric(head, cells) {
  const others = cells.flatMap((one) => one.metrics.filter((m) => m.ratio !== null).map((m) => m.texts.metric));
  return [...new Set([...cells.map((one) => one.main), ...others])].map((metric) => ({
    metric,
    cells: cells.flatMap((one) => (one.main === metric ? one : one.metrics
      .filter((m) => m.texts.metric === metric && m.ratio !== null).map((m) => ({
      ...one, main: metric, ratio: m.ratio, interval: m.interval, distinguishable: m.distinguishable,
        values: { ...one.values, ratio: m.ratio_value }, mark: m.survives && head.texts.family ? " †" : "",
    })))),
  }));
}

const statistic = (head) => (head.legend.statistic === null ? "" : ` (${head.legend.statistic})`);
function heatMap(head, cells) {
  const metrics = byMetric(head, cells.filter((one) => one.slowed));
  const intro = metrics.length === 1 && metrics[0].metric === "wall time"
    ? `How many times as long a target takes under a load as alone${statistic(head)}, with the ${head.level} confidence interval ${head.legend.scope}.`
    : `How many times worse each metric of a target is under a load than alone${statistic(head)}: above 1 is worse also where higher is better. With the ${head.level} confidence interval ${head.legend.scope}.`;
  const floors = [...new Set(cells.map((one) => one.floor).filter(Boolean))].sort().slice(0, 5);
  return [details("How sure is this?", false, el("p", null, intro, " Each cell leads to its figures."),
    floors.map((text) => el("p", null, text)),
    [head.texts.family, head.legend.unseen].filter(Boolean).map((text) => el("p", null, text, "."))),
    heatLegend(["noise", "not distinguishable from noise"], ["less", "faster"],
      ["h1 hatch", "hatched edge: it has a problem"]), metrics.map(heatTable)];
}

function waitingTable({ waiting }) {
  if (waiting.length === 0) return null;
  const rows = waiting.map((one) => ({ f: one.name, cells: [one.name, one.state, one.reason ?? ""] }));
  return el("div", { id: "waiting" }, el("h3", null, `Not done: ${plural(waiting.length, "cell", "cells")}`),
    folded(waiting.length, 20, "Show them", table({ id: "waiting-table",
      caption: "Cells without a result, or with one that is not final", columns: ["Cell", "State", "Why"], rows })));
}
// Without a load the answer is a time.
function timesAlone(head, cells) {
  const items = cells.slice(0, 12).map((one) => el("li", { "data-f": one.program }, el("b", null, one.program),
    one.main === "wall time" ? " takes " : `: ${one.main} `,
    el("b", null, one.texts.alone),
      `${statistic(head)} (${[plural(one.values.runs, "run", "runs"), ...problemNames(one)].join(", ")})`));
  return list(cells.length > 12 ? [...items, "the others are in the table below"] : items);
}
// A table of an experiment: {columns, rows}, whose columns say what is text.
function anyTable({ columns, rows }, id, caption) {
  return table({ id, caption, columns: columns
    .map(({ title, left }) => ({ title: capital(title), kind: left ? "" : "n" })),
    rows: rows.map(({ texts }) => ({ f: `${texts.variant ?? texts.condition} ${texts.load ?? ""}`,
      cells: columns.map(({ key }) => texts[key]) })) });
}
const capacities = (cells) => cells.filter((one) => one.capacity)
  .map(({ capacity }, i) => [el("h3", null, capacity.title), capacity.lines.map((line) => el("p", null, line)),
  anyTable(capacity, `capacity-${i}`, "Capacity in each condition")]);
const answer = (head, cells) => section("answer", "The answer",
  cells.some((one) => one.slowed) ? heatMap(head, cells) : cells.some((one) => one.capacity) ? capacities(cells)
    : timesAlone(head, cells), waitingTable(head));

// ---- programs against each other

const VARIANTS_MOST = 40; // rows of a chart
function variantChart({ metric, limit, points: all }) {
  const shown = all.slice(0, VARIANTS_MOST);
  return { title: `Ratio of ${metric} of each variant to the reference`, bold: metric,
    caption: "ratio to the reference", f: metric, rows: shown.map((point) => point.name),
    text: shown.map((point) => `${point.name}: ${point.times}`).join("; "),
      make: () => ratioRows(shown, "ratio, above 1 is worse [×]", limit) };
}
function variants(cells) {
  const all = cells.map((one) => one.variants).filter(Boolean);
  if (all.length === 0) return null;
  return section("variants", "Variants",
    el("p", null,
      "Each variant against the first one, measured in the same blocks, alone and under each load. A ratio above 1 is worse. Dashed lines: no difference, and the limit of --at-most where there is one; a ring cannot be distinguished from noise."),
    all.map((one, i) => [el("h3", null, one.title), list(one.lines),
      figuresOf(one.charts.filter((chart) => chart.points.length > 0).map(variantChart)),
      one.tables.map((part, k) => anyTable(part, `variants-${i}-${k}`, `Variants: ${part.metric}`)),
      one.changes.rows.length > 0 && anyTable(one.changes, `changes-${i}`,
        "Whether a load changes the ratio of a variant to the reference")]));
}

// ---- every cell

const number = (key) => (one) => [one.texts[key], one.values[key]];
const cellColumns = (head) => [
  { title: "Target", of: (one) => one.program },
  { title: "Load", of: (one) => nameOf(one) ?? "none" },
  { title: "Level", kind: "n", of: (one) => [one.level ?? "-", levelNumber(one.level)] },
  { title: "Runs", kind: "n", of: number("runs") },
  { title: head.legend.main === "wall time" ? "Slowdown" : "Ratio", kind: "n",
    of: (one) => [one.ratio === null ? "-" : times(one), one.values.ratio] },
  { title: "Problems", kind: "w", of: (one) => [...(one.distinguishable === false ? ["noise"] : []),
    ...problemNames(one)].join(", ") },
  { title: "Alone", kind: "n", of: number("alone") },
  { title: "Under load", kind: "n", of: number("loaded") },
  { title: "User time", kind: "n", of: number("user") },
  { title: "System time", kind: "n", of: number("system") },
  { title: "Memory", kind: "n", of: number("memory") },
  { title: "Load achieved", kind: "n", of: number("achieved") },
  ...(head.hosts.length > 1 ? [{ title: "Host", of: (one) => one.host ?? "unknown" }] : []),
];
function metricTable(head, cells) {
  const rows = cells.flatMap((one) => one.metrics.map((metric) => metric.texts));
  if (rows.length === 0) return null;
  const columns = head.columns.cell_metrics.filter(({ key }) => key !== "of_alone"
    || rows.some((texts) => texts.of_alone !== "-"));
  return [el("h3", null, "Other metrics"), table({ id: "metric-table",
    caption: "Each metric of --metric other than the main one",
    columns: columns.map(({ key, title }) => ({ title: capital(title).replace(/^Program/, "Target"),
      kind: ["program", "load", "metric"].includes(key) ? "" : "n" })),
    rows: rows.map((texts) => ({ f: `${texts.program} ${texts.load}`,
      cells: columns.map(({ key }) => texts[key]) })) })];
}
// What else is known of each condition's wall time: runs, mean, variance, outliers, the other interval. A baseline that
// several loads share is there once.
function cautionTable(head, cells) {
  const line = (one, load, texts) => ({ f: `${one.program} ${load}`,
    cells: [one.program, load, ...[0, 1, 2, texts.length - 2, texts.length - 1].map((i) => texts[i])] });
  const rows = cells.flatMap((one, i) => [
    ...(cells[i - 1]?.experiment === one.experiment && cells[i - 1].variant === one.variant ? []
      : [line(one, "alone", one.alone)]),
    ...(one.loaded === null ? [] : [line(one, one.texts.load, one.loaded)]),
  ]);
  const titles = ["Runs", "Mean (s)", "Variance (s²)", "Outliers",
    `Wall if runs depend on each other [${head.level}] (${head.metrics[0].table_unit})`];
  return details("Mean, variance and outliers of each condition, and the interval that also holds where runs depend on each other", false,
    table({ id: "caution-table", caption: "Wall time of each condition",
      columns: ["Target", "Load", ...titles.map((title) => ({ title, kind: "n" }))], rows }));
}
const saidElsewhere = /^\* |: [0-9]+ sessions: |: service[:,] |: Besides, |: [0-9.]+ .*it waited for a CPU: |: --metric wall_without_wait_s | % computing/;
function everyCell(head, cells) {
  const { main, key } = head.legend;
  const [memory, ...meaning] = head.metrics.at(-1).meaning.split(", ");
  const of = main === null ? "Alone, under load and ratio are of each cell's main metric."
    : `Alone, under load and ${main === "wall time" ? "slowdown are of the wall time" : `ratio are of ${main}`}.`;
  const columns = cellColumns(head);
  const lines = cells.flatMap((one) => one.lines).filter((text) => saidElsewhere.test(text));
  return section("cells", "Every cell", el("p", null,
    `${of} ${key}; → is from alone to under load; ${memory} is ${meaning.join(", ")}.`),
    table({ id: "cell-table", kind: "counted", caption: "Figures of each target under each load", columns,
      rows: cells.map((one) => ({ id: one.id, f: one.f, cells: columns.map((column) => column.of(one)) })) }),
    metricTable(head, cells), cautionTable(head, cells), lines.length > 0 && list(lines));
}

// ---- where the time went

const causes = { execution: "more CPU time", cpu: "waiting for the CPU", memory: "waiting for memory",
  io: "waiting for the disk", steal: "taken by the host", unexplained: "unexplained" };
const causeClass = (cause) => `a${Object.keys(causes).indexOf(cause)}`;
function bar(shares) {
  const percent = (number) => Number((number * 100).toFixed(2));
  const before = (i) => shares.slice(0, i).reduce((sum, one) => sum + one.share, 0);
  const parts = shares.map(({ cause, share }, i) =>
    el("rect", { class: causeClass(cause), x: percent(before(i)), y: 0, width: percent(share), height: 10 }));
  const label = shares.map(({ cause, share }) => `${fixed(share * 100, 0)} % ${causes[cause]}`).join(", ");
  return el("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img",
    "aria-label": label }, parts);
}
function attributions(cells) {
  const known = cells.filter((one) => one.shares);
  if (known.length === 0) return null;
  const percent = (fraction) => `+${fixed(fraction * 100, decimalsOf(Math.max(fraction * 100, 0.01)))} %`;
  return section("attribution", "Where the extra time went",
    el("p", null,
      "For each slowdown that can be distinguished from noise: the extra wall time by cause, as far as the kernel's own figures show it. Points are percent of the time alone."),
    el("ul", { class: "legend", "aria-label": "Colours of the bars" },
      Object.entries(causes).map(([cause, text]) => el("li", null, el("i", { class: causeClass(cause) }), text))),
    table({ id: "attribution-table", caption: "Extra time of each cell by cause",
      columns: ["Target", "Load", { title: "Extra", kind: "n" }, { title: "Shares", sort: false },
        { title: "In words", kind: "w" }],
      rows: known.map((one) => ({ f: one.f, cells: [one.program, one.condition,
        [percent(one.values.ratio - 1), one.values.ratio - 1], { t: bar(one.shares) }, one.attribution] })) }));
}

// ---- problems and notes

function findingList(title, all) {
  if (all.length === 0) return null;
  return [el("h3", null, title), grouped(all, (one) => one.flag)
    .map(([flag, items]) => details(`${flagName(flag)}: ${plural(items.length, "time", "times")}`, items.length <= 6,
    list([...items.slice(0, 30).map((one) => el("li", { "data-f": `${one.who ?? ""} ${one.condition ?? ""}` },
      el("b", null, [one.who, one.condition].filter((text) => text !== null).join(", ")), `: ${one.text}`)),
      ...(items.length > 30 ? [`and ${items.length - 30} more of this kind, which --format json lists`] : [])])))];
}
function findings(head, cells) {
  const own = cells.flatMap((one) => [...one.problems
    .map((problem) => ({ ...problem, who: one.program, problem: true })),
    ...one.notes.map((note) => ({ ...note, who: one.program }))]);
  const all = [...own, ...head.warnings.map((one) => ({ flag: one.kind, condition: null, text: one.message,
    who: one.cell, problem: true }))];
  const keyed = grouped(all, (one) => [one.flag, one.who, one.condition, one.text]
    .map((text) => text ?? "").join("\0"));
  const once = keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, [first]]) => first);
  return section("flags", "Problems and notes",
    once.length === 0 ? el("p", null, "None: no drift, no outliers, no short load, no foreign load was seen.")
    : [el("p", null,
      "A problem is a reason not to trust a figure, a note is good to know. The text is given once for each kind and condition."),
      findingList("Problems", once.filter((one) => one.problem)),
        findingList("Notes", once.filter((one) => !one.problem))]);
}

// ---- where, and how again

function environment(head) {
  const shown = head.hosts.slice(0, 50);
  if (shown.length === 0) return null;
  return section("environment", "Environment",
    facts({ facts: "environment-table", caption: "Where it was measured",
    titles: shown.map((host) => host.host ?? "unknown"), of: shown.map(({ host, kind, ...rest }) => rest) }),
    head.hosts.length > 50 && el("p", null, `${head.hosts.length - 50} more hosts are in --format json.`),
    head.texts.between.length > 0 && [el("h3", null, "The same target alone, on several hosts"),
      list(head.texts.between)]);
}

const pre = (...texts) => el("pre", { tabindex: 0 }, texts);
const isSet = (value) => value !== null && value !== false && value !== ""
  && !(Array.isArray(value) && value.length === 0);
const settingText = (value) => (Array.isArray(value) ? value.map(settingText).join(", ") : typeof value === "object"
  ? JSON.stringify(value) : String(value));
function reproduce({ campaign, name, settings, again }, cells) {
  const commands = [...new Set(cells.map((one) => one.again))].sort();
  return section("reproduce", "How to reproduce it",
    campaign && [el("p", null, "Campaign ", el("b", null, campaign.name ?? name),
      campaign.file !== "" && [", file ", el("code", null, campaign.file), ": ", el("code", null, again)]),
      campaign.text && [el("h3", null, "Campaign file"), pre(campaign.text)]],
    commands.length > 0 && [el("h3", null, "Commands"),
      folded(commands.length, 3, `${commands.length} experiments, a command each`, pre(commands.join("\n")))],
    settings.length > 0 && [el("h3", null, "Settings"),
      settings.slice(0, 5).map((one) => pre(Object.entries(one).filter(([, value]) => isSet(value))
        .map(([key, value]) => `${key} = ${settingText(value)}`).join("\n"))),
      settings.length > 5 && el("p", null, `${settings.length - 5} more sets of settings are in the records.`)],
    el("p", null, "Program versions are in the table above. This page is made from the records alone: ",
      el("code", null, "jostle report DIR --format html"), " writes the same bytes again."));
}

function reportSections(model) {
  const { head, cells } = model;
  prepare(model);
  return [answer(head, cells), variants(cells), everyCell(head, cells), ...chartSections(head, cells),
    attributions(cells), findings(head, cells), environment(head), reproduce(head, cells)];
}
