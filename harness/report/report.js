// The sections of a report: its model is {head, cells}, as the program `report` prints them.

const THINNED = 1500; // runs of a condition that are drawn at most
const ROWS_MOST = 30; // of a chart of slowdowns
const SPREAD_MOST = 40;
const VARIANTS_MOST = 40;
const NAMED_MOST = 12;
const STRIP_MOST = 60; // points that stand for a row of runs

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
const byLevel = (a, b) => (Number.isNaN(levelNumber(a)) - Number.isNaN(levelNumber(b))) || levelNumber(a) - levelNumber(b) || words.compare(a ?? "", b ?? "");

function heatEntry(one) {
  const flags = problemNames(one);
  const marks = flags.length === 0 ? null : el("small", null, flags.length > 2 ? `${flags.length} problems` : flags.join(", "));
  if (one.ratio === null) return [el("a", { href: `#${one.id}` }, el("b", null, "not known")), marks];
  const hint = one.distinguishable === false ? "noise" : one.values.ratio < 1 ? (one.main === "wall time" ? "faster" : "better") : null;
  return [el("a", { href: `#${one.id}` }, el("b", null, `${one.ratio}×`), " ", el("span", null, one.interval), one.mark), hint && el("small", null, hint), marks];
}
function heatCell(cells) {
  if (!cells) return { c: "none", t: el("small", null, "not measured") };
  const worst = cells.reduce((a, b) => (b.values.ratio > a.values.ratio ? b : a));
  const sure = worst.distinguishable !== false && worst.ratio !== null;
  return { ...heated({ heat: worst.values.ratio, sure, hatch: cells.some((one) => one.problems.length > 0) }), t: cells.map((one, i) => [i > 0 && el("br"), heatEntry(one)]) };
}

const levelOf = (one) => one.level ?? (one.load !== null && one.load !== one.condition ? one.condition : null);
const columnOf = (one) => JSON.stringify([nameOf(one), levelOf(one)]);
function heatTable({ metric, cells }, number) {
  const groups = grouped(cells, nameOf).map(([name, mine]) => ({ name, levels: [...new Set(mine.map(levelOf))].sort(byLevel) }));
  const isPlain = (group) => group.levels.length === 1 && group.levels[0] === null;
  const head = el("thead", null,
    el("tr", null, el("th", { scope: "col", rowspan: 2, "data-sort": true }, "Target"), groups.map((group) => (isPlain(group)
      ? el("th", { scope: "col", rowspan: 2, "data-sort": true }, group.name) : el("th", { scope: "colgroup", colspan: group.levels.length }, group.name)))),
    el("tr", null, groups.map((group) => (isPlain(group) ? null : group.levels.map((level) => el("th", { scope: "col", "data-sort": true }, level ?? "one level"))))));
  const columns = groups.flatMap((group) => group.levels.map((level) => JSON.stringify([group.name, level])));
  const rows = grouped(cells, (one) => one.program).map(([target, mine]) => {
    const found = new Map(grouped(mine, columnOf));
    return { f: target, cells: [target, ...columns.map((column) => heatCell(found.get(column)))] };
  });
  const what = metric === "wall time" ? "Slowdown" : `Ratio of ${metric}`;
  return table({ id: `heat${number || ""}`, kind: "heat", caption: `${what} of each target (rows) under each load and level (columns)`, columns: [], head, rows });
}

// The metrics of the cells, the main ones first, each with all cells as cells of this metric.
function byMetric(head, cells) {
  const others = cells.flatMap((one) => one.metrics.filter((m) => m.ratio !== null).map((m) => m.texts.metric));
  return [...new Set([...cells.map((one) => one.main), ...others])].map((metric) => ({
    metric,
    cells: cells.flatMap((one) => (one.main === metric ? one : one.metrics.filter((m) => m.texts.metric === metric && m.ratio !== null).map((m) => ({
      ...one, main: metric, ratio: m.ratio, interval: m.interval, distinguishable: m.distinguishable, values: { ...one.values, ratio: m.ratio_value }, mark: m.survives && head.texts.family ? " †" : "",
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
  return [el("p", null, intro, " Each cell leads to its figures."), floors.map((text) => el("p", null, text)),
    [head.texts.family, head.legend.unseen].filter(Boolean).map((text) => el("p", null, text, ".")),
    heatLegend(["noise", "not distinguishable from noise"], ["less", "faster"], ["h1 hatch", "hatched edge: it has a problem"]), metrics.map(heatTable)];
}

function waitingTable({ waiting }) {
  if (waiting.length === 0) return null;
  const rows = waiting.map((one) => ({ f: one.name, cells: [one.name, one.state, one.reason ?? ""] }));
  return el("div", { id: "waiting" }, el("h3", null, `Not done: ${plural(waiting.length, "cell", "cells")}`),
    folded(waiting.length, 20, "Show them", table({ id: "waiting-table", caption: "Cells without a result, or with one that is not final", columns: ["Cell", "State", "Why"], rows })));
}
// Without a load the answer is a time.
function timesAlone(head, cells) {
  const items = cells.slice(0, 12).map((one) => el("li", { "data-f": one.program }, el("b", null, one.program), one.main === "wall time" ? " takes " : `: ${one.main} `,
    el("b", null, one.texts.alone), `${statistic(head)} (${[plural(one.values.runs, "run", "runs"), ...problemNames(one)].join(", ")})`));
  return list(cells.length > 12 ? [...items, "the others are in the table below"] : items);
}
// A table of an experiment: {columns, rows}, whose columns say what is text.
function anyTable({ columns, rows }, id, caption) {
  return table({ id, caption, columns: columns.map(({ title, left }) => ({ title: capital(title), kind: left ? "" : "n" })),
    rows: rows.map(({ texts }) => ({ f: `${texts.variant ?? texts.condition} ${texts.load ?? ""}`, cells: columns.map(({ key }) => texts[key]) })) });
}
const capacities = (cells) => cells.filter((one) => one.capacity).map(({ capacity }, i) => [el("h3", null, capacity.title), capacity.lines.map((line) => el("p", null, line)),
  anyTable(capacity, `capacity-${i}`, "Capacity in each condition")]);
const answer = (head, cells) => section("answer", "The answer",
  cells.some((one) => one.slowed) ? heatMap(head, cells) : cells.some((one) => one.capacity) ? capacities(cells) : timesAlone(head, cells), waitingTable(head));

// ---- programs against each other

function variantChart({ metric, limit, points: all }) {
  const shown = all.slice(0, VARIANTS_MOST);
  return { title: `Ratio of ${metric} of each variant to the reference`, bold: metric, caption: "ratio to the reference", f: metric, rows: shown.map((point) => point.name),
    text: shown.map((point) => `${point.name}: ${point.times}`).join("; "), make: () => ratioRows(shown, "ratio, above 1 is worse [×]", limit) };
}
function variants(cells) {
  const all = cells.map((one) => one.variants).filter(Boolean);
  if (all.length === 0) return null;
  return section("variants", "Variants",
    el("p", null, "Each variant against the first one, measured in the same blocks, alone and under each load. A ratio above 1 is worse. Dashed lines: no difference, and the limit of --at-most where there is one; a ring cannot be distinguished from noise."),
    all.map((one, i) => [el("h3", null, one.title), list(one.lines), figuresOf(one.charts.filter((chart) => chart.points.length > 0).map(variantChart)),
      one.tables.map((part, k) => anyTable(part, `variants-${i}-${k}`, `Variants: ${part.metric}`)),
      one.changes.rows.length > 0 && anyTable(one.changes, `changes-${i}`, "Whether a load changes the ratio of a variant to the reference")]));
}

// ---- every cell

const number = (key) => (one) => [one.texts[key], one.values[key]];
const cellColumns = (head) => [
  { title: "Target", of: (one) => one.program },
  { title: "Load", of: (one) => nameOf(one) ?? "none" },
  { title: "Level", kind: "n", of: (one) => [one.level ?? "-", levelNumber(one.level) || null] },
  { title: "Runs", kind: "n", of: number("runs") },
  { title: head.legend.main === "wall time" ? "Slowdown" : "Ratio", kind: "n", of: (one) => [one.ratio === null ? "-" : times(one), one.values.ratio] },
  { title: "Problems", kind: "w", of: (one) => [...(one.distinguishable === false ? ["noise"] : []), ...problemNames(one)].join(", ") },
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
  const columns = head.columns.cell_metrics.filter(({ key }) => key !== "of_alone" || rows.some((texts) => texts.of_alone !== "-"));
  return [el("h3", null, "Other metrics"), table({ id: "metric-table", caption: "Each metric of --metric other than the main one",
    columns: columns.map(({ key, title }) => ({ title: capital(title).replace(/^Program/, "Target"), kind: ["program", "load", "metric"].includes(key) ? "" : "n" })),
    rows: rows.map((texts) => ({ f: `${texts.program} ${texts.load}`, cells: columns.map(({ key }) => texts[key]) })) })];
}
// What else is known of each condition's wall time: runs, mean, variance, outliers, the other interval. A baseline that
// several loads share is there once.
function cautionTable(head, cells) {
  const line = (one, load, texts) => ({ f: `${one.program} ${load}`, cells: [one.program, load, ...[0, 1, 2, texts.length - 2, texts.length - 1].map((i) => texts[i])] });
  const rows = cells.flatMap((one, i) => [
    ...(cells[i - 1]?.experiment === one.experiment && cells[i - 1].variant === one.variant ? [] : [line(one, "alone", one.alone)]),
    ...(one.loaded === null ? [] : [line(one, one.texts.load, one.loaded)]),
  ]);
  const titles = ["Runs", "Mean (s)", "Variance (s²)", "Outliers", `Wall if runs depend on each other [${head.level}] (${head.metrics[0].table_unit})`];
  return details("Mean, variance and outliers of each condition, and the interval that also holds where runs depend on each other", false,
    table({ id: "caution-table", caption: "Wall time of each condition", columns: ["Target", "Load", ...titles.map((title) => ({ title, kind: "n" }))], rows }));
}
const saidElsewhere = /^\* |: [0-9]+ sessions: |: service[:,] |: Besides, |: [0-9.]+ .*it waited for a CPU: |: --metric wall_without_wait_s | % computing/;
function everyCell(head, cells) {
  const { main, key } = head.legend;
  const [memory, ...meaning] = head.metrics.at(-1).meaning.split(", ");
  const of = main === null ? "Alone, under load and ratio are of each cell's main metric." : `Alone, under load and ${main === "wall time" ? "slowdown are of the wall time" : `ratio are of ${main}`}.`;
  const columns = cellColumns(head);
  const lines = cells.flatMap((one) => one.lines).filter((text) => saidElsewhere.test(text));
  return section("cells", "Every cell", el("p", null, `${of} ${key}; → is from alone to under load; ${memory} is ${meaning.join(", ")}.`),
    table({ id: "cell-table", kind: "counted", caption: "Figures of each target under each load", columns, rows: cells.map((one) => ({ id: one.id, f: one.f, cells: columns.map((column) => column.of(one)) })) }),
    metricTable(head, cells), cautionTable(head, cells), lines.length > 0 && list(lines));
}

// ---- charts of cells

// One entry for each cell and metric that is drawn of it.
function drawnCells(cells) {
  return cells.flatMap((one) => (one.charts.metrics ?? []).map((metric) => {
    const [, level, unit] = /^ *([0-9][0-9.]*(?:e[-+]?[0-9]+)?) *(.*)$/i.exec(one.level ?? "") ?? [];
    return { ...metric, cell: one, row: one.program, condition: one.charts.condition ?? "", load: one.load ?? one.charts.condition ?? "",
      level: level === undefined ? null : Number(level), levelUnit: unit, offered: one.charts.offered, achieved: one.charts.achieved, rate: one.charts.unit ?? "" };
  }));
}
const ratioName = (item) => (item.timed ? "Slowdown" : `Ratio of ${item.metric}`);
const ratioLabel = (item) => (item.timed ? "slowdown [×]" : `${item.metric}, ratio [×]`);

// What is on the x axis of a load's curve: its level, else its rate; null: there is no scale.
function curveAxis(items) {
  const [first] = items;
  const scale = scaleOf(most(items.map((item) => item.offered)), first.rate);
  if (items.every((item) => item.level !== null && item.levelUnit === first.levelUnit)) return { label: labelOf("level", first.levelUnit), of: (item) => item.level };
  if (items.every((item) => item.offered !== null && item.rate === first.rate)) return { label: `offered [${scale.unit}]`, of: (item) => item.offered * scale.factor };
  return null;
}
// The curve of one load over its levels; null: it has no scale, or one level.
function curve(items) {
  const axis = curveAxis(items);
  if (axis === null || new Set(items.map(axis.of)).size < 2) return null;
  const sorted = [...items].sort((a, b) => axis.of(a) - axis.of(b));
  const [first] = sorted;
  const offers = sorted.filter((item) => item.offered !== null).map((item) => `${item.cell.level ?? item.condition}: ${scaled(item.offered, item.rate)}`);
  return {
    group: first.row, title: `${ratioName(first)} of ${first.row} over the levels of ${first.load}`, text: sorted.map((item) => `${item.condition}: ${item.times}`).join("; "),
    bold: first.main ? first.load : `${first.metric}, ${first.load}`, caption: offers.length ? `offered: ${offers.join("; ")}` : "", f: `${first.row} ${first.load}`,
    make() {
      const x = addTicks({ ...airy(0, Math.max(0, most(sorted.map(axis.of)))), label: axis.label });
      const y = addTicks({ ...airy(Math.min(1, least(sorted.map((item) => item.low))), Math.max(1, most(sorted.map((item) => item.high)))), label: ratioLabel(first) });
      return { x, y, parts: [{ c: "s9", lines: [[[x.low, 1], [x.high, 1]]] }, { c: "s8", lines: [sorted.map((item) => [axis.of(item), item.ratio])] }, ...ratioParts(sorted, axis.of, false)] };
    },
  };
}
// Slowdowns without a scale of levels, a row each: the loads of one target, or the targets under one load.
function points(all, byTarget) {
  return Array.from({ length: Math.ceil(all.length / ROWS_MOST) }, (_, i) => all.slice(i * ROWS_MOST, (i + 1) * ROWS_MOST)).map((items) => {
    const [first] = items;
    const names = items.map((item) => (byTarget ? item.row : item.condition));
    return { group: byTarget ? null : first.row, title: byTarget ? `${ratioName(first)} under ${first.condition} by target` : `${ratioName(first)} of ${first.row} by load`,
      text: items.map((item, i) => `${names[i]}: ${item.times}`).join("; "), bold: byTarget ? first.condition : "one level each", caption: first.main ? "" : first.metric,
      f: [byTarget ? first.condition : first.row, ...names].join(" "), rows: names, make: () => ratioRows(items, ratioLabel(first), null) };
  });
}
// Of each target a curve for each load that has levels, and one chart of the others. Targets that have one load with
// one level share charts, a row for each.
function sensitivityCharts(items) {
  const lone = [];
  const charts = grouped(items.filter((item) => item.ratio !== null), (item) => item.row).flatMap(([, mine]) => {
    const loads = grouped(mine, (item) => item.load).map(([, levels]) => ({ levels, chart: curve(levels) }));
    const single = loads.filter((load) => load.chart === null).flatMap((load) => load.levels);
    const curves = loads.map((load) => load.chart).filter(Boolean);
    if (curves.length > 0 || single.length !== 1) return [...curves, ...points(single, false)];
    lone.push(single[0]);
    return [];
  });
  return [...charts, ...grouped(lone, (item) => item.condition).flatMap(([, same]) => points(same, true))];
}

// Rates on an axis have few digits, whatever their unit.
function axisScale(value, unit) {
  const scale = scaleOf(value, unit);
  const factor = value * scale.factor >= 1e7 ? 1e-6 : value * scale.factor >= 1e4 ? 1e-3 : 1;
  return { factor: scale.factor * factor, unit: factor === 1 ? scale.unit : `${factor === 1e-6 ? "million" : "thousand"} ${scale.unit}` };
}
function offeredChart(items) {
  const [{ load, rate }] = items;
  const missed = items.filter((item) => item.cell.short).length;
  return {
    title: `Offered and achieved rate of ${load}`, bold: load, f: [load, ...new Set(items.map((item) => item.row))].join(" "),
    caption: missed === 0 ? "achieved what was offered" : `${missed} of ${items.length} cells fell short`,
    text: items.length > NAMED_MOST ? `${items.length} points, one for each cell; the figures are in the table of every cell`
      : items.map((item) => `${item.row}, ${item.condition}: ${scaled(item.achieved, rate)} of ${scaled(item.offered, rate)}`).join("; "),
    make() {
      const highest = most(items.flatMap((item) => [item.offered, item.achieved]));
      const scale = axisScale(highest, rate);
      const axis = (label) => addTicks({ low: 0, high: airy(0, highest * scale.factor).high, label: `${label} [${scale.unit}]` });
      const [x, y] = [axis("offered"), axis("achieved")];
      return { x, y, parts: [{ c: "s9", lines: [[[0, 0], [x.high, x.high]]] }, { c: "p s2", shape: "dot", marks: items.map((item) => [item.offered * scale.factor, item.achieved * scale.factor]) }] };
    },
  };
}

// The runs of a condition that have the metric, in order.
function runsOf(one, condition, metric) {
  const { order = [], flagged = [], unused = [], [metric]: values = [] } = one.runs[condition] ?? {};
  const [marked, left] = [new Set(flagged), new Set(unused)];
  return order.map((at, i) => ({ order: at, value: values[i], flagged: marked.has(i), used: !left.has(i) })).filter((run) => run.value !== null);
}
// Of more than can be drawn, of each few neighbours only the lowest, the highest and the first.
function thin(runs) {
  const size = runs.length > THINNED ? Math.floor((runs.length * 3) / THINNED) : 1;
  return runs.filter((run, i) => {
    const near = runs.slice(i - (i % size), i - (i % size) + size);
    return size === 1 || run === near[0] || run === near.find((one) => one.value === least(near.map((other) => other.value))) || run === near.find((one) => one.value === most(near.map((other) => other.value)));
  });
}
const extent = (figure, unit) => `${scaled(figure.min, unit)} to ${scaled(figure.max, unit)}, median ${scaled(figure.median, unit)}`;
function orderChart(item) {
  const { cell: one, metric, unit } = item;
  const all = [runsOf(one, one.charts.reference, metric), one.charts.under === one.charts.reference ? [] : runsOf(one, one.charts.under, metric)];
  const series = all.map(thin);
  const count = all[0].length + all[1].length;
  const note = series[0].length + series[1].length < count ? ", too many to draw: of neighbours the fastest, the slowest and the first are shown" : "";
  return {
    title: `Runs of ${one.program} in order${item.loaded ? `, alone and under ${one.condition}` : ""}${item.main ? "" : `: ${metric}`}`, f: one.f,
    text: `${capital(metric)} over the number of the run. Alone: ${item.alone && extent(item.alone, unit)}${item.loaded ? `; under load: ${extent(item.loaded, unit)}` : ""}.`,
    bold: one.condition ?? "alone", caption: `${item.main ? "" : `${metric}, `}${count} runs${note}`,
    make() {
      const scale = scaleOf(Math.max((item.loaded ?? item.alone)?.max ?? 0, 0), unit);
      const place = (runs) => runs.map((run) => [run.order, run.value * scale.factor]);
      const [orders, values] = [series.flat().map((run) => run.order), series.flat().map((run) => run.value * scale.factor)];
      const known = values.length > 0;
      return {
        x: addTicks({ low: (known ? least(orders) : 1) - 1, high: (known ? most(orders) : 1) + 1, label: "run" }),
        y: addTicks({ ...airy(known ? least(values) : 1, known ? most(values) : 1), label: labelOf(metric, scale.unit) }),
        parts: [{ c: "r s3", shape: "ring", marks: place(series.flat().filter((run) => run.flagged)) }, { c: "p s1", shape: "dot", marks: place(series[0]) }, { c: "x s2", shape: "cross", marks: place(series[1]) }],
      };
    },
  };
}

// The used runs as multiples of the baseline's median.
function multiples(item, condition) {
  const median = item.alone?.median;
  return median > 0 ? runsOf(item.cell, condition, item.metric).filter((run) => run.used).map((run) => run.value / median) : [];
}
function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return low + 1 >= sorted.length ? sorted.at(-1) : sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}
function boxLines(sorted, row) {
  if (sorted.length === 0) return [];
  const [low, quarter, median, three, high] = [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share));
  const box = [[quarter, row - 0.25], [three, row - 0.25], [three, row + 0.25], [quarter, row + 0.25], [quarter, row - 0.25]];
  return [[[low, row], [quarter, row]], [[three, row], [high, row]], box, [[median, row - 0.32], [median, row + 0.32]]];
}
function strip(sorted, row) {
  const gap = sorted.length > STRIP_MOST ? (sorted.length - 1) / (STRIP_MOST - 1) : 1;
  return Array.from({ length: Math.min(sorted.length, STRIP_MOST) }, (_, i) => [sorted[Math.floor(i * gap + 0.5)], row + (((i * 7) % 11) - 5) / 40]);
}
function spreadChart(items) {
  const shown = items.slice(0, SPREAD_MOST);
  const [first] = shown;
  // The runs alone of all experiments of a target share a row.
  const alone = shown.filter((item, i) => item.cell.experiment !== shown[i - 1]?.cell.experiment).flatMap((item) => multiples(item, item.cell.charts.reference));
  const rows = [{ name: "alone", values: alone }, ...shown.filter((item) => item.condition).map((item) => ({ name: item.condition, values: item.loaded ? multiples(item, item.cell.charts.under) : [] }))];
  for (const row of rows) row.values.sort((a, b) => a - b);
  const medians = shown.map((item) => item.alone?.median ?? null).filter((median) => median !== null);
  const [low, high] = [least(medians), most(medians)];
  const median = medians.length === 0 ? "-" : high - low < high / 1000 ? scaled(high, first.unit) : `${scaled(low, first.unit)} to ${scaled(high, first.unit)}`;
  const said = rows.slice(1).filter((row) => row.values.length > 0).map(({ name, values }) => `${name}: median ${fixed(quantile(values, 0.5), 2)} times, from ${fixed(values[0], 2)} to ${fixed(values.at(-1), 2)} times`);
  return {
    group: first.row, title: first.main ? `Spread of the runs of ${first.row}` : `Spread of ${first.metric} of ${first.row}`, rows: rows.map((row) => row.name),
    text: [`${first.timed ? capital(first.metric) : first.metric} of each run as a multiple of the baseline's median`, ...said].join("; "), bold: first.main ? "" : first.metric,
    caption: `median alone: ${median}${items.length > shown.length ? `; ${items.length - shown.length} more loads are in the table of every cell` : ""}`,
    f: rows.map((row, i) => (i === 0 ? first.row : row.name)).join(" "),
    make() {
      const values = rows.flatMap((row) => row.values);
      const at = (i) => rows.length - i;
      return {
        x: addTicks({ ...airy(Math.min(1, least(values)), Math.max(1, most(values))), label: `${first.metric} / median alone` }),
        parts: [{ c: "s9", lines: [[[1, 0.4], [1, rows.length + 0.6]]] }, { c: "p s4", shape: "dot", marks: strip(rows[0].values, at(0)) },
          { c: "p s5", shape: "dot", marks: rows.slice(1).flatMap((row, i) => strip(row.values, at(i + 1))) }, { c: "s7", lines: rows.flatMap((row, i) => boxLines(row.values, at(i))) }],
      };
    },
  };
}

// Charts of targets, [[target, charts], ...]: each target under its heading, or folded up where they are many.
function byTarget(groups, oneEach) {
  if (groups.length === 0) return null;
  if (oneEach)
    return folded(groups.length, 24, `Show ${groups.length} targets`, el("div", { class: "figures" }, groups.map(([target, charts]) => el("div", { "data-f": target }, el("h3", null, target), charts.map(figure)))));
  return el("div", { class: `folds${tall(groups.length)}` }, groups.map(([target, charts]) => {
    if (groups.length <= 8) return [el("h3", { "data-f": target }, target), figuresOf(charts)];
    const fold = details(target, false, figuresOf(charts));
    fold.dataset.f = target;
    return fold;
  }));
}
const isAlone = (groups) => groups.every(([, items]) => items.length === 1);

function chartSections(head, cells) {
  const items = drawnCells(cells);
  const metrics = grouped(items, (item) => item.metric);
  const sensitivity = metrics.flatMap(([, mine]) => sensitivityCharts(mine));
  const targets = grouped(sensitivity.filter((chart) => chart.group !== null), (chart) => chart.group);
  const rated = (metrics[0]?.[1] ?? []).filter((item) => item.offered !== null && item.achieved !== null);
  const offered = grouped(rated, (item) => JSON.stringify([item.load, item.rate])).map(([, mine]) => offeredChart(mine));
  const orders = grouped(items, (item) => item.row).map(([target, mine]) => [target, mine.map(orderChart)]);
  const spreads = grouped(metrics.flatMap(([, mine]) => grouped(mine, (item) => item.row)).map(([, same]) => spreadChart(same)), (chart) => chart.group);
  return [
    sensitivity.length > 0 && section("sensitivity", "Sensitivity",
      el("p", null, `Slowdown over the level of each load, with ${head.level} intervals. The dashed line is no slowdown; a ring is a slowdown that cannot be distinguished from noise.`),
      figuresOf(sensitivity.filter((chart) => chart.group === null)), byTarget(targets, isAlone(targets))),
    offered.length > 0 && section("offered", "Offered and achieved load",
      el("p", null, "A load that cannot do what it offers is a smaller load: points below the dashed line. One point for each cell."), figuresOf(offered)),
    orders.length > 0 && section("order", "Runs in order",
      el("p", { class: "key" }, el("i", { class: "dot s1" }), "alone ", el("i", { class: "cross s2" }), "under load ", el("i", { class: "ring s3" }), "a run that has a flag or that no figure is made of. A drift, a step or an outlier shows here."),
      byTarget(orders, isAlone(grouped(cells, (one) => one.program)))),
    spreads.length > 0 && section("distributions", "Distributions",
      el("p", null, "Each run as a multiple of the median that its own baseline has. The box holds the middle half of the runs, the long stroke is the median, the lines end at the fastest and the slowest run. Where a row has more than 60 runs, 60 points from the fastest to the slowest represent them; boxes are of all."),
      byTarget(spreads, true)),
  ];
}

// ---- where the time went

const causes = { execution: "more CPU time", cpu: "waiting for the CPU", memory: "waiting for memory", io: "waiting for the disk", steal: "taken by the host", unexplained: "unexplained" };
const causeClass = (cause) => `a${Object.keys(causes).indexOf(cause)}`;
function bar(shares) {
  let x = 0;
  const part = ({ cause, share }) => el("rect", { class: causeClass(cause), x: Number(((x += share * 100) - share * 100).toFixed(2)), y: 0, width: Number((share * 100).toFixed(2)), height: 10 });
  return el("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": shares.map(({ cause, share }) => `${fixed(share * 100, 0)} % ${causes[cause]}`).join(", ") }, shares.map(part));
}
function attributions(cells) {
  const known = cells.filter((one) => one.shares);
  if (known.length === 0) return null;
  const percent = (fraction) => `+${fixed(fraction * 100, decimalsOf(Math.max(fraction * 100, 0.01)))} %`;
  return section("attribution", "Where the extra time went",
    el("p", null, "For each slowdown that can be distinguished from noise: the extra wall time by cause, as far as the kernel's own figures show it. Points are percent of the time alone."),
    el("ul", { class: "legend", "aria-label": "Colours of the bars" }, Object.entries(causes).map(([cause, text]) => el("li", null, el("i", { class: causeClass(cause) }), text))),
    table({ id: "attribution-table", caption: "Extra time of each cell by cause",
      columns: ["Target", "Load", { title: "Extra", kind: "n" }, { title: "Shares", sort: false }, { title: "In words", kind: "w" }],
      rows: known.map((one) => ({ f: one.f, cells: [one.program, one.condition, [percent(one.values.ratio - 1), one.values.ratio - 1], { t: bar(one.shares) }, one.attribution] })) }));
}

// ---- problems and notes

function findingList(title, all) {
  if (all.length === 0) return null;
  return [el("h3", null, title), grouped(all, (one) => one.flag).map(([flag, items]) => details(`${flagName(flag)}: ${plural(items.length, "time", "times")}`, items.length <= 6,
    list([...items.slice(0, 30).map((one) => el("li", { "data-f": `${one.who ?? ""} ${one.condition ?? ""}` }, el("b", null, [one.who, one.condition].filter((text) => text !== null).join(", ")), `: ${one.text}`)),
      ...(items.length > 30 ? [`and ${items.length - 30} more of this kind, which --format json lists`] : [])])))];
}
function findings(head, cells) {
  const own = cells.flatMap((one) => [...one.problems.map((problem) => ({ ...problem, who: one.program, problem: true })), ...one.notes.map((note) => ({ ...note, who: one.program }))]);
  const all = [...own, ...head.warnings.map((one) => ({ flag: one.kind, condition: null, text: one.message, who: one.cell, problem: true }))];
  const keyed = grouped(all, (one) => [one.flag, one.who, one.condition, one.text].map((text) => text ?? "").join("\0"));
  const once = keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, [first]]) => first);
  return section("flags", "Problems and notes", once.length === 0 ? el("p", null, "None: no drift, no outliers, no short load, no foreign load was seen.")
    : [el("p", null, "A problem is a reason not to trust a figure, a note is good to know. The text is given once for each kind and condition."),
      findingList("Problems", once.filter((one) => one.problem)), findingList("Notes", once.filter((one) => !one.problem))]);
}

// ---- where, and how again

function environment(head) {
  const shown = head.hosts.slice(0, 50);
  if (shown.length === 0) return null;
  return section("environment", "Environment", facts({ facts: "environment-table", caption: "Where it was measured", titles: shown.map((host) => host.host ?? "unknown"), of: shown.map(({ host, kind, ...rest }) => rest) }),
    head.hosts.length > 50 && el("p", null, `${head.hosts.length - 50} more hosts are in --format json.`),
    head.texts.between.length > 0 && [el("h3", null, "The same target alone, on several hosts"), list(head.texts.between)]);
}

const pre = (...texts) => el("pre", { tabindex: 0 }, texts);
const isSet = (value) => value !== null && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
const settingText = (value) => (Array.isArray(value) ? value.map(settingText).join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value));
function reproduce({ campaign, name, settings, again }, cells) {
  const commands = [...new Set(cells.map((one) => one.again))].sort();
  return section("reproduce", "How to reproduce it",
    campaign && [el("p", null, "Campaign ", el("b", null, campaign.name ?? name), campaign.file !== "" && [", file ", el("code", null, campaign.file), ": ", el("code", null, again)]),
      campaign.text && [el("h3", null, "Campaign file"), pre(campaign.text)]],
    commands.length > 0 && [el("h3", null, "Commands"), folded(commands.length, 3, `${commands.length} experiments, a command each`, pre(commands.join("\n")))],
    settings.length > 0 && [el("h3", null, "Settings"),
      settings.slice(0, 5).map((one) => pre(Object.entries(one).filter(([, value]) => isSet(value)).map(([key, value]) => `${key} = ${settingText(value)}`).join("\n"))),
      settings.length > 5 && el("p", null, `${settings.length - 5} more sets of settings are in the records.`)],
    el("p", null, "Program versions are in the table above. This page is made from the records alone: ", el("code", null, "jostle report DIR --format html"), " writes the same bytes again."));
}

function reportSections(model) {
  const { head, cells } = model;
  prepare(model);
  return [answer(head, cells), variants(cells), everyCell(head, cells), ...chartSections(head, cells), attributions(cells), findings(head, cells), environment(head), reproduce(head, cells)];
}
