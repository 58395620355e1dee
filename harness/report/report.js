// The sections of a report: its model is {head, cells}, as the program `report` prints them.

const flagName = (flag) => flag.replaceAll("-", " ");
const problemNames = (one) => [...new Set(one.problems.map((problem) => problem.flag))].sort().map(flagName);
const nameOf = (one) => one.load ?? one.condition;
const times = (one) => [el("b", null, `${one.ratio}×`), " ", one.interval, one.mark];

// What the sections read of each cell besides what the program printed.
function prepare({ head, cells }) {
  cells.forEach((one, i) => {
    one.id = `c${i + 1}`;
    one.program = one.texts.program;
    one.f = `${one.program} ${one.condition ?? ""} ${one.load ?? ""}`;
    one.slowed = one.texts.slowdown !== "-";
    one.mark = one.survives && head.texts.family ? " †" : "";
  });
}

// ---- the answer: target x load

// Levels of one load in order: by number, then by name.
const levelNumber = (level) => Number(/^[^0-9]*([0-9]+(?:\.[0-9]+)?)/.exec(level ?? "")?.[1] ?? NaN);
const byLevel = (a, b) => (Number.isNaN(levelNumber(a)) - Number.isNaN(levelNumber(b)))
  || levelNumber(a) - levelNumber(b) || words.compare(a ?? "", b ?? "");

// What the judgement of a ratio says that is no effect.
const effectHints = { no: "no effect", unknown: "unclear" };

function heatEntry(one) {
  const flags = problemNames(one);
  const said = flags.length > 2 ? `${flags.length} problems` : flags.join(", ");
  const marks = flags.length > 0 && el("small", null, said);
  if (one.ratio === null) return [el("a", { href: `#${one.id}` }, el("b", null, "not known")), marks];
  const better = one.main === "wall time" ? "faster" : "better";
  const hint = effectHints[one.effect] ?? (one.values.ratio < 1 ? better : null);
  const figure = [el("b", null, `${one.ratio}×`), " ", el("span", null, one.interval), one.mark];
  return [el("a", { href: `#${one.id}` }, figure), hint && el("small", null, hint), marks];
}
function heatCell(cells) {
  if (!cells) return { c: "none", t: el("small", null, "not measured") };
  const worst = cells.reduce((a, b) => (b.values.ratio > a.values.ratio ? b : a));
  const sure = worst.distinguishable !== false && worst.ratio !== null;
  const hatch = cells.some((one) => one.problems.length > 0);
  return heated({ heat: worst.values.ratio, sure, hatch, t: cells.map((one, i) => [i > 0 && el("br"), heatEntry(one)]) });
}

const levelOf = (one) => one.level ?? (one.load !== null && one.load !== one.condition ? one.condition : null);
const columnOf = (one) => JSON.stringify([nameOf(one), levelOf(one)]);
function heatTable({ metric, cells }, number) {
  const levelsOf = (mine) => [...new Set(mine.map(levelOf))].sort(byLevel);
  const groups = grouped(cells, nameOf).map(([name, mine]) => ({ name, levels: levelsOf(mine) }));
  const isPlain = ({ levels }) => levels.length === 1 && levels[0] === null;
  const title = (text, rowspan) => el("th", { scope: "col", rowspan, "data-sort": true }, text);
  const above = (group) => el("th", { scope: "colgroup", colspan: group.levels.length }, group.name);
  const below = (group) => !isPlain(group) && group.levels.map((level) => title(level ?? "one level"));
  const head = el("thead", null,
    el("tr", null, title("Target", 2), groups.map((group) => (isPlain(group) ? title(group.name, 2) : above(group)))),
    el("tr", null, groups.map(below)));
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
  const asMetric = (one, m) => ({
    ...one, main: m.texts.metric, ratio: m.ratio, interval: m.interval, distinguishable: m.distinguishable, effect: m.effect,
    values: { ...one.values, ratio: m.ratio_value }, mark: m.survives && head.texts.family ? " †" : "",
  });
  const ofMetric = (one, metric) => (one.main === metric ? [one]
    : one.metrics.filter((m) => m.texts.metric === metric && m.ratio !== null).map((m) => asMetric(one, m)));
  return [...new Set([...cells.map((one) => one.main), ...others])]
    .map((metric) => ({ metric, cells: cells.flatMap((one) => ofMetric(one, metric)) }));
}

const statistic = (head) => (head.legend.statistic === null ? "" : ` (${head.legend.statistic})`);
function heatMap(head, cells) {
  const metrics = byMetric(head, cells.filter((one) => one.slowed));
  const interval = `the ${head.level} confidence interval ${head.legend.scope}.`;
  const intro = metrics.length === 1 && metrics[0].metric === "wall time"
    ? `How many times as long a target takes under a load as alone${statistic(head)}, with ${interval}`
    : `How many times worse each metric of a target is under a load than alone${statistic(head)}: above 1 is worse `
      + `also where higher is better. With ${interval}`;
  const floors = [...new Set(cells.map((one) => one.floor).filter(Boolean))].sort().slice(0, 5);
  return [details("How sure is this?", false, el("p", null, intro, " Each cell leads to its figures."),
    floors.map((text) => el("p", null, text)),
    [head.texts.family, head.legend.unseen].filter(Boolean).map((text) => el("p", null, text, "."))),
    heatLegend(["noise", "no effect, or unclear"], ["less", "faster"],
      ["h1 hatch", "hatched edge: it has a problem"]), metrics.map(heatTable)];
}

function waitingTable({ waiting }) {
  if (waiting.length === 0) return null;
  const rows = waiting.map((one) => ({ f: one.name, cells: [one.name, one.state, one.reason ?? ""] }));
  return el("div", { id: "waiting" }, el("h3", null, `Not done: ${plural(waiting.length, "cell", "cells")}`),
    folded(waiting.length, 20, "Show them", table({
      id: "waiting-table", caption: "Cells without a result, or with one that is not final",
      columns: ["Cell", "State", "Why"], rows,
    })));
}
// Without a load the answer is a time.
function timesAlone(head, cells) {
  const items = cells.slice(0, 12).map((one) => {
    const more = [plural(one.values.runs, "run", "runs"), ...problemNames(one)].join(", ");
    return el("li", { "data-f": one.program }, el("b", null, one.program),
      one.main === "wall time" ? " takes " : `: ${one.main} `, el("b", null, one.texts.alone), `${statistic(head)} (${more})`);
  });
  return list(cells.length > 12 ? [...items, "the others are in the table below"] : items);
}
// A table of an experiment: {columns, rows}, whose columns say what is text.
function anyTable({ columns, rows }, id, caption) {
  const found = (texts) => `${texts.variant ?? texts.condition} ${texts.load ?? ""}`;
  return table({
    id, caption, columns: columns.map(({ title, left }) => ({ title: capital(title), kind: left ? "" : "n" })),
    rows: rows.map(({ texts }) => ({ f: found(texts), cells: columns.map(({ key }) => texts[key]) })),
  });
}
function capacities(searched) {
  return searched.map(({ capacity }, i) => [
    el("h3", null, capacity.title), capacity.lines.map((line) => el("p", null, line)),
    anyTable(capacity, `capacity-${i}`, "Capacity in each condition"),
  ]);
}
function protections(cells) {
  return cells.filter((one) => one.protection).map(({ protection }, i) => [
    el("h3", null, protection.title), anyTable(protection, `protection-${i}`, "What each setting leaves, and what the neighbour keeps"),
    protection.lines.map((line) => el("p", null, line)),
  ]);
}
function answer(head, cells) {
  const searched = cells.filter((one) => one.capacity);
  const shown = cells.some((one) => one.slowed) ? heatMap(head, cells)
    : searched.length > 0 ? capacities(searched) : timesAlone(head, cells);
  return section("answer", "The answer", protections(cells), shown, waitingTable(head));
}

// ---- programs against each other

function variants(cells) {
  const all = cells.map((one) => one.variants).filter(Boolean);
  if (all.length === 0) return null;
  return section("variants", "Variants",
    el("p", null,
      "Each variant against the first one, measured in the same blocks, alone and under each load. A ratio above 1 is ",
      "worse. Dashed lines: no difference, and the limit of --at-most where there is one; a ring: no clear ",
      "difference."),
    all.map((one, i) => [el("h3", null, one.title), list(one.lines),
      figuresOf(one.figures),
      one.tables.map((part, k) => anyTable(part, `variants-${i}-${k}`, `Variants: ${part.metric}`)),
      one.changes.rows.length > 0 && anyTable(one.changes, `changes-${i}`,
        "Whether a load changes the ratio of a variant to the reference")]));
}

// ---- every cell

const number = (key) => (one) => [one.texts[key], one.values[key]];
const ownCells = ["program", "load", "runs", "alone", "loaded", "slowdown", "of_alone"];
const cellColumns = (head) => [
  { title: "Target", of: (one) => one.program },
  { title: "Load", of: (one) => nameOf(one) ?? "none" },
  { title: "Level", kind: "n", of: (one) => [one.level ?? "-", levelNumber(one.level)] },
  { title: "Runs", kind: "n", of: number("runs") },
  { title: head.legend.main === "wall time" ? "Slowdown" : "Ratio", kind: "n",
    of: (one) => [one.ratio === null ? "-" : times(one), one.values.ratio] },
  { title: "Problems", kind: "w",
    of: (one) => problemNames(one).join(", ") },
  { title: "Alone", kind: "n", of: number("alone") },
  { title: "Under load", kind: "n", of: number("loaded") },
  // The others as every format has them.
  ...head.columns.cells.filter(({ key }) => !ownCells.includes(key)).map(({ key, title, left }) =>
    ({ title: capital(title).replace(/^(User|System)$/, "$1 time"), kind: left ? "" : "n", of: number(key) })),
  ...(head.hosts.length > 1 ? [{ title: "Host", of: (one) => one.host ?? "unknown" }] : []),
];
function metricTable(head, cells) {
  const rows = cells.flatMap((one) => one.metrics.map((metric) => metric.texts));
  if (rows.length === 0) return null;
  const isShown = (key) => key !== "of_alone" || rows.some((texts) => texts.of_alone !== "-");
  const kindOf = (key) => (["program", "load", "metric"].includes(key) ? "" : "n");
  const columns = head.columns.cell_metrics.filter(({ key }) => isShown(key));
  return [el("h3", null, "Other metrics"), table({
    id: "metric-table", caption: "Each metric of --metric other than the main one",
    columns: columns.map(({ key, title }) => ({ title: capital(title).replace(/^Program/, "Target"), kind: kindOf(key) })),
    rows: rows.map((texts) => ({ f: `${texts.program} ${texts.load}`, cells: columns.map(({ key }) => texts[key]) })),
  })];
}
// What else is known of each condition's wall time: runs, mean, variance, outliers, the other interval. A baseline that
// several loads share is there once.
function cautionTable(head, cells) {
  const line = (one, load, texts) =>
    ({ f: `${one.program} ${load}`,
      cells: [one.program, load, texts.runs, texts.wall.mean, texts.wall.variance, texts.outliers, texts.robust] });
  const rows = cells.flatMap((one, i) => {
    const isShared = cells[i - 1]?.experiment === one.experiment && cells[i - 1].variant === one.variant;
    const loaded = one.loaded === null ? [] : [line(one, one.texts.load, one.loaded)];
    return isShared ? loaded : [line(one, "alone", one.alone), ...loaded];
  });
  const titles = ["Runs", "Mean (s)", "Variance (s²)", "Outliers",
    `Wall if runs depend on each other [${head.level}] (${head.metrics[0].table_unit})`];
  const title = "Mean, variance and outliers of each condition, and the interval that also holds where runs depend on each other";
  const make = () => table({ id: "caution-table", caption: "Wall time of each condition",
    columns: ["Target", "Load", ...titles.map((title) => ({ title, kind: "n" }))], rows });
  return rows.length > 2000 ? lazily(title, make) : details(title, false, make());
}
const saidElsewhere = /^\* |: [0-9]+ sessions: |: service[:,] |: Besides, |: .*[0-9.]+ .*it waited for a CPU|: --metric wall_without_wait_s | % computing/;
function everyCell(head, cells) {
  const { main, key } = head.legend;
  const [memory, ...meaning] = head.metrics.at(-1).meaning.split(", ");
  const of = main === null ? "Alone, under load and ratio are of each cell's main metric."
    : `Alone, under load and ${main === "wall time" ? "slowdown are of the wall time" : `ratio are of ${main}`}.`;
  const columns = cellColumns(head);
  const lines = cells.flatMap((one) => one.lines).filter((text) => saidElsewhere.test(text));
  return section("cells", "Every cell",
    el("p", null, `${of} ${key}; → is from alone to under load; ${memory} is ${meaning.join(", ")}.`),
    table({ id: "cell-table", kind: "counted", caption: "Figures of each target under each load", columns,
      rows: cells.map((one) => ({ id: one.id, f: one.f, cells: columns.map((column) => column.of(one)) })) }),
    metricTable(head, cells), cautionTable(head, cells), lines.length > 0 && list(lines));
}

// ---- where the time went

const causes = { execution: "more CPU time", cpu: "waiting for the CPU", memory: "waiting for memory",
  io: "waiting for the disk", steal: "taken by the host", unexplained: "unexplained" };
const causeClass = (cause) => `a${Object.keys(causes).indexOf(cause)}`;
function bar(shares) {
  const percent = (number) => Math.round(number * 1e4) / 100;
  const before = (i) => shares.slice(0, i).reduce((sum, one) => sum + one.share, 0);
  const parts = shares.map(({ cause, share }, i) =>
      el("rect", { class: causeClass(cause), x: percent(before(i)), y: 0, width: percent(share), height: 10 }));
  const label = shares.map(({ cause, text }) => `${text} % ${causes[cause]}`).join(", ");
  return el("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img",
    "aria-label": label }, parts);
}
function attributions(cells) {
  const known = cells.filter((one) => one.shares);
  if (known.length === 0) return null;
  const extra = (one) => [one.extra, one.values.ratio - 1];
  const make = () => table({ id: "attribution-table", caption: "Extra time of each cell by cause",
    columns: ["Target", "Load", { title: "Extra", kind: "n" }, { title: "Shares", sort: false },
      { title: "In words", kind: "w" }],
    rows: known.map((one) =>
      ({ f: one.f, cells: [one.program, one.condition, extra(one), { t: bar(one.shares) }, one.attribution] })) });
  return section("attribution", "Where the extra time went",
    el("p", null,
      "For each slowdown that can be distinguished from noise: the extra wall time by cause, as far as the kernel's own ",
      "figures show it. Points are percent of the time alone."),
    el("ul", { class: "legend", "aria-label": "Colours of the bars" },
      Object.entries(causes).map(([cause, text]) => el("li", null, el("i", { class: causeClass(cause) }), text))),
    known.length > 2000 ? lazily("The causes of each cell", make) : make());
}

// ---- problems and notes

const FINDINGS_MOST = 30; // of a kind
function findingList(title, all) {
  if (all.length === 0) return null;
  const line = (one) => el("li", { "data-f": `${one.who ?? ""} ${one.condition ?? ""}` },
    el("b", null, [one.who, one.condition].filter((text) => text !== null).join(", ")), `: ${one.text}`);
  return [el("h3", null, title), grouped(all, (one) => one.flag).map(([flag, items]) => {
    const more = items.length - FINDINGS_MOST;
    return details(`${flagName(flag)}: ${plural(items.length, "time", "times")}`, items.length <= 6,
      list([...items.slice(0, FINDINGS_MOST).map(line),
        ...(more > 0 ? [`and ${more} more of this kind, which --format json lists`] : [])]));
  })];
}
function findings(head, cells) {
  const own = cells.flatMap((one) => [
    ...one.problems.map((problem) => ({ ...problem, who: one.program, problem: true })),
    ...one.notes.map((note) => ({ ...note, who: one.program })),
  ]);
  const ofAll = head.warnings.map(({ kind, message, cell: who }) =>
    ({ flag: kind, condition: null, text: message, who, problem: true }));
  const keyOf = (one) => [one.flag, one.who, one.condition, one.text].map((text) => text ?? "").join("\0");
  const keyed = grouped([...own, ...ofAll], keyOf);
  const once = keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, [first]]) => first);
  const intro = once.length === 0 ? "None: no drift, no outliers, no short load, no foreign load was seen."
    : "A problem is a reason not to trust a figure, a note is good to know. The text is given once for each kind and condition.";
  return section("flags", "Problems and notes", el("p", null, intro),
    findingList("Problems", once.filter((one) => one.problem)), findingList("Notes", once.filter((one) => !one.problem)));
}

// ---- where, and how again

function environment(head) {
  const shown = head.hosts.slice(0, 50);
  if (shown.length === 0) return null;
  return section("environment", "Environment",
    facts({ facts: "environment-table", caption: "Where it was measured",
      titles: shown.map((host) => host.host ?? "unknown"), of: shown.map(({ host, kind, ...rest }, i) => ({ ...rest, memory_bytes: head.texts.memories[i] })) }),
    head.hosts.length > 50 && el("p", null, `${head.hosts.length - 50} more hosts are in --format json.`),
    head.texts.between.length > 0 && [el("h3", null, "The same target alone, on several hosts"),
      list(head.texts.between)]);
}

const pre = (...texts) => el("pre", { tabindex: 0 }, texts);
const isSet = (value) => value !== null && value !== false && value !== ""
  && !(Array.isArray(value) && value.length === 0);
function settingText(value) {
  if (Array.isArray(value)) return value.map(settingText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
function reproduce({ campaign, name, settings, again }, cells) {
  const commands = [...new Set(cells.map((one) => one.again))].sort();
  const settingsText = (one) => Object.entries(one).filter(([, value]) => isSet(value))
    .map(([key, value]) => `${key} = ${settingText(value)}`).join("\n");
  return section("reproduce", "How to reproduce it",
    campaign && [el("p", null, "Campaign ", el("b", null, campaign.name ?? name),
      campaign.file !== "" && [", file ", el("code", null, campaign.file), ": ", el("code", null, again)]),
      campaign.text && [el("h3", null, "Campaign file"), pre(campaign.text)]],
    commands.length > 0 && [el("h3", null, "Commands"),
      folded(commands.length, 3, `${commands.length} experiments, a command each`, pre(commands.join("\n")))],
    settings.length > 0 && [el("h3", null, "Settings"),
      settings.slice(0, 5).map((one) => pre(settingsText(one))),
      settings.length > 5 && el("p", null, `${settings.length - 5} more sets of settings are in the records.`)],
    el("p", null, "Program versions are in the table above. This page is made from the records alone: ",
      el("code", null, "jostle report DIR --format html"), " writes the same bytes again."));
}

function reportSections(model) {
  const { head, cells } = model;
  prepare(model);
  return [answer(head, cells), variants(cells), everyCell(head, cells), ...chartSections(head, cells, model.drawn),
    attributions(cells), findings(head, cells), environment(head), reproduce(head, cells)];
}
