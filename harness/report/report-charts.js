// The charts of a report: curves over levels, offered and achieved load, runs in order, and their spread.

const THINNED = 1500; // runs of a condition that are drawn at most
const ROWS_MOST = 30; // of a chart of slowdowns
const SPREAD_MOST = 40;
const NAMED_MOST = 12;
const STRIP_MOST = 60; // points that stand for a row of runs

// One entry for each cell and metric that is drawn of it.
function drawnCells(cells) {
  return cells.flatMap((one) => (one.charts.metrics ?? []).map((metric) => {
    const [, level, unit] = /^ *([0-9][0-9.]*(?:e[-+]?[0-9]+)?) *(.*)$/i.exec(one.level ?? "") ?? [];
    const { condition, offered, achieved, unit: rate } = one.charts;
    return {
      ...metric, cell: one, row: one.program, condition: condition ?? "", load: one.load ?? condition ?? "",
      level: level === undefined ? null : Number(level), levelUnit: unit, offered, achieved, rate: rate ?? "",
    };
  }));
}
const ratioName = (item) => (item.timed ? "Slowdown" : `Ratio of ${item.metric}`);
const ratioLabel = (item) => (item.timed ? "slowdown [×]" : `${item.metric}, ratio [×]`);

// What is on the x axis of a load's curve: its level, else its rate; null: there is no scale.
function curveAxis(items) {
  const [first] = items;
  const scale = scaleOf(most(items.map((item) => item.offered)), first.rate);
  if (items.every((item) => item.level !== null && item.levelUnit === first.levelUnit))
    return { label: labelOf("level", first.levelUnit), of: (item) => item.level };
  if (items.every((item) => item.offered !== null && item.rate === first.rate))
    return { label: `offered [${scale.unit}]`, of: (item) => item.offered * scale.factor };
  return null;
}
// The curve of one load over its levels; null: it has no scale, or one level.
function curve(items) {
  const axis = curveAxis(items);
  if (axis === null || new Set(items.map(axis.of)).size < 2) return null;
  const sorted = [...items].sort((a, b) => axis.of(a) - axis.of(b));
  const [first] = sorted;
  const offers = sorted.filter((item) => item.offered !== null)
    .map((item) => `${item.cell.level ?? item.condition}: ${scaled(item.offered, item.rate)}`);
  return {
    group: first.row,
    title: `${ratioName(first)} of ${first.row} over the levels of ${first.load}`,
    text: sorted.map((item) => `${item.condition}: ${item.times}`).join("; "),
    bold: first.main ? first.load : `${first.metric}, ${first.load}`,
    caption: offers.length ? `offered: ${offers.join("; ")}` : "",
    f: `${first.row} ${first.load}`,
    make() {
      const x = addTicks({ ...airy(0, Math.max(0, most(sorted.map(axis.of)))), label: axis.label });
      const [low, high] = [least(sorted.map((item) => item.low)), most(sorted.map((item) => item.high))];
      const y = addTicks({ ...airy(Math.min(1, low), Math.max(1, high)), label: ratioLabel(first) });
      const one = { c: "s9", lines: [[[x.low, 1], [x.high, 1]]] };
      const course = { c: "s8", lines: [sorted.map((item) => [axis.of(item), item.ratio])] };
      return { x, y, parts: [one, course, ...ratioParts(sorted, axis.of, false)] };
    },
  };
}
// Slowdowns without a scale of levels, a row each: the loads of one target, or the targets under one load.
function points(all, byTarget) {
  const parts = [];
  for (let i = 0; i < all.length; i += ROWS_MOST) parts.push(all.slice(i, i + ROWS_MOST));
  return parts.map((items) => {
    const [first] = items;
    const names = items.map((item) => (byTarget ? item.row : item.condition));
    const what = byTarget ? `under ${first.condition} by target` : `of ${first.row} by load`;
    return {
      group: byTarget ? null : first.row,
      title: `${ratioName(first)} ${what}`,
      text: items.map((item, i) => `${names[i]}: ${item.times}`).join("; "),
      bold: byTarget ? first.condition : "one level each",
      caption: first.main ? "" : first.metric,
      f: [byTarget ? first.condition : first.row, ...names].join(" "),
      rows: names,
      make: () => ratioRows(items, ratioLabel(first), null),
    };
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
  const unitOf = factor === 1 ? scale.unit : `${factor === 1e-6 ? "million" : "thousand"} ${scale.unit}`;
  return { factor: scale.factor * factor, unit: unitOf };
}
function offeredChart(items) {
  const [{ load, rate }] = items;
  const missed = items.filter((item) => item.cell.short).length;
  const textOfCell = (item) => `${item.row}, ${item.condition}: ${scaled(item.achieved, rate)} of ${scaled(item.offered, rate)}`;
  return {
    title: `Offered and achieved rate of ${load}`,
    bold: load,
    f: [load, ...new Set(items.map((item) => item.row))].join(" "),
    caption: missed === 0 ? "achieved what was offered" : `${missed} of ${items.length} cells fell short`,
    text: items.length > NAMED_MOST
      ? `${items.length} points, one for each cell; the figures are in the table of every cell`
      : items.map(textOfCell).join("; "),
    make() {
      const highest = most(items.flatMap((item) => [item.offered, item.achieved]));
      const scale = axisScale(highest, rate);
      const { high } = airy(0, highest * scale.factor);
      const axis = (label) => addTicks({ low: 0, high, label: `${label} [${scale.unit}]` });
      const equal = { c: "s9", lines: [[[0, 0], [high, high]]] };
      const marks = items.map((item) => [item.offered * scale.factor, item.achieved * scale.factor]);
      return { x: axis("offered"), y: axis("achieved"), parts: [equal, { c: "p s2", shape: "dot", marks }] };
    },
  };
}

// The runs of a condition that have the metric, in order.
function runsOf(one, condition, metric) {
  const runs = one.runs[condition];
  if (!runs) return [];
  const phases = runs.phase_s ?? [];
  const [flagged, unused, values] = [new Set(runs.flagged), new Set(runs.unused), runs.values[metric]];
  return runs.order.map((order, i) => ({ order, value: values[i], phase: phases[i] ?? null, flagged: flagged.has(i), used: !unused.has(i) }))
    .filter((run) => run.value !== null);
}
// Of more than can be drawn, of each few neighbours only the lowest, the highest and the first.
function thin(runs) {
  const size = runs.length > THINNED ? Math.floor((runs.length * 3) / THINNED) : 1;
  const kept = [];
  for (let start = 0; start < runs.length; start += size) {
    const near = runs.slice(start, start + size);
    const lowest = near.reduce((a, b) => (b.value < a.value ? b : a));
    const highest = near.reduce((a, b) => (b.value > a.value ? b : a));
    kept.push(...new Set([near[0], lowest, highest]));
  }
  return kept;
}
const extent = ({ min, median, max }, unit) =>
  `${scaled(min, unit)} to ${scaled(max, unit)}, median ${scaled(median, unit)}`;
function orderChart(item) {
  const { cell: one, metric, unit } = item;
  const all = [runsOf(one, one.charts.reference, metric),
    one.charts.under === one.charts.reference ? [] : runsOf(one, one.charts.under, metric)];
  const series = all.map(thin);
  const count = all[0].length + all[1].length;
  const note = series[0].length + series[1].length < count
    ? ", too many to draw: of neighbours the fastest, the slowest and the first are shown" : "";
  const under = item.loaded ? `, alone and under ${one.condition}` : "";
  const loaded = item.loaded ? `; under load: ${extent(item.loaded, unit)}` : "";
  return {
    title: `Runs of ${one.program} in order${under}${item.main ? "" : `: ${metric}`}`,
    text: `${capital(metric)} over the number of the run. Alone: ${item.alone && extent(item.alone, unit)}${loaded}.`,
    bold: one.condition ?? "alone",
    caption: `${item.main ? "" : `${metric}, `}${count} runs${note}`,
    f: one.f,
    make() {
      const scale = scaleOf(Math.max((item.loaded ?? item.alone)?.max ?? 0, 0), unit);
      const place = (runs) => runs.map((run) => [run.order, run.value * scale.factor]);
      const both = series.flat();
      const [orders, values] = both.length === 0 ? [[1], [1]] : [0, 1].map((i) => place(both).map((point) => point[i]));
      return {
        x: addTicks({ low: least(orders) - 1, high: most(orders) + 1, label: "run" }),
        y: addTicks({ ...airy(least(values), most(values)), label: labelOf(metric, scale.unit) }),
        parts: [
          { c: "r s3", shape: "ring", marks: place(both.filter((run) => run.flagged)) },
          { c: "p s1", shape: "dot", marks: place(series[0]) },
          { c: "x s2", shape: "cross", marks: place(series[1]) },
        ],
      };
    },
  };
}

// Of a load with stages: its runs over where in these it was when it was resumed.
const hasPhases = ({ cell: one, alone, loaded }) =>
  alone?.median > 0 && loaded && new Set(one.runs[one.charts.under]?.phase_s ?? []).size > 1;
function phaseChart(item) {
  const { cell: one, metric } = item;
  const runs = runsOf(one, one.charts.under, metric).filter((run) => run.used && run.phase !== null);
  const ratios = runs.map((run) => run.value / item.alone.median);
  const [low, high] = [least(ratios), most(ratios)].map((ratio) => fixed(ratio, 2));
  return {
    title: `Runs of ${one.program} under ${one.condition} by phase${item.main ? "" : `: ${metric}`}`,
    text: `${capital(metric)} of each run as a multiple of the baseline's median, from ${low} to ${high} times, over the phase of the load.`,
    bold: one.condition ?? "",
    caption: `${item.main ? "" : `${metric}, `}${runs.length} runs`,
    f: one.f,
    make() {
      const scale = scaleOf(most(runs.map((run) => run.phase)), "s");
      return {
        x: addTicks({ low: 0, high: Math.max(...runs.map((run) => run.phase), 1e-9) * 1.02 * scale.factor,
          label: labelOf("phase of the load", scale.unit) }),
        y: addTicks({ ...airy(Math.min(1, ...ratios), Math.max(1, ...ratios)), label: `${metric} / median alone` }),
        parts: [
          { c: "x s2", shape: "cross", marks: thin(runs).map((run) => [run.phase * scale.factor, run.value / item.alone.median]) },
        ],
      };
    },
  };
}

// The used runs as multiples of the baseline's median.
function multiples(item, condition) {
  const median = item.alone?.median;
  const runs = median > 0 ? runsOf(item.cell, condition, item.metric) : [];
  return runs.filter((run) => run.used).map((run) => run.value / median);
}
function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return low + 1 >= sorted.length ? sorted.at(-1) : sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}
function boxLines(sorted, row) {
  if (sorted.length === 0) return [];
  const [low, quarter, median, three, high] = [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share));
  const [up, down] = [row - 0.25, row + 0.25];
  const box = [[quarter, up], [three, up], [three, down], [quarter, down], [quarter, up]];
  return [[[low, row], [quarter, row]], [[three, row], [high, row]], box, [[median, row - 0.32], [median, row + 0.32]]];
}
function strip(sorted, row) {
  const gap = sorted.length > STRIP_MOST ? (sorted.length - 1) / (STRIP_MOST - 1) : 1;
  return Array.from({ length: Math.min(sorted.length, STRIP_MOST) },
    (_, i) => [sorted[Math.floor(i * gap + 0.5)], row + (((i * 7) % 11) - 5) / 40]);
}
function spreadChart(items) {
  const shown = items.slice(0, SPREAD_MOST);
  const [first] = shown;
  // The runs alone of all experiments of a target share a row.
  const alone = shown.filter((item, i) => item.cell.experiment !== shown[i - 1]?.cell.experiment)
    .flatMap((item) => multiples(item, item.cell.charts.reference));
  const loaded = shown.filter((item) => item.condition)
    .map((item) => ({ name: item.condition, values: item.loaded ? multiples(item, item.cell.charts.under) : [] }));
  const rows = [{ name: "alone", values: alone }, ...loaded];
  for (const row of rows) row.values.sort((a, b) => a - b);
  const medians = shown.map((item) => item.alone?.median ?? null).filter((median) => median !== null);
  const [low, high] = [least(medians), most(medians)];
  const spanned = high - low < high / 1000 ? [high] : [low, high];
  const median = medians.length === 0 ? "-" : spanned.map((value) => scaled(value, first.unit)).join(" to ");
  const left = items.length - shown.length;
  const said = loaded.filter((row) => row.values.length > 0).map(({ name, values }) => {
    const [middle, least, most] = [quantile(values, 0.5), values[0], values.at(-1)].map((value) => fixed(value, 2));
    return `${name}: median ${middle} times, from ${least} to ${most} times`;
  });
  const what = `${first.timed ? capital(first.metric) : first.metric} of each run as a multiple of the baseline's median`;
  return {
    group: first.row,
    title: first.main ? `Spread of the runs of ${first.row}` : `Spread of ${first.metric} of ${first.row}`,
    rows: rows.map((row) => row.name),
    text: [what, ...said].join("; "),
    bold: first.main ? "" : first.metric,
    caption: `median alone: ${median}${left > 0 ? `; ${left} more loads are in the table of every cell` : ""}`,
    f: rows.map((row, i) => (i === 0 ? first.row : row.name)).join(" "),
    make() {
      const values = rows.flatMap((row) => row.values);
      const at = (i) => rows.length - i;
      return {
        x: addTicks({ ...airy(Math.min(1, least(values)), Math.max(1, most(values))), label: `${first.metric} / median alone` }),
        parts: [
          { c: "s9", lines: [[[1, 0.4], [1, rows.length + 0.6]]] },
          { c: "p s4", shape: "dot", marks: strip(alone, at(0)) },
          { c: "p s5", shape: "dot", marks: loaded.flatMap((row, i) => strip(row.values, at(i + 1))) },
          { c: "s7", lines: rows.flatMap((row, i) => boxLines(row.values, at(i))) },
        ],
      };
    },
  };
}

// Charts of targets, [[target, items], ...], of which chart() makes each: each target under its heading, or folded up
// where they are many, and made when they are opened.
function byTarget(groups, oneEach, chart = (item) => item) {
  const figures = (items) => items.map((item) => figure(chart(item)));
  if (groups.length === 0) return null;
  if (oneEach) {
    const parts = () => el("div", { class: "figures" }, groups.map(([target, items]) =>
      el("div", { "data-f": target }, el("h3", null, target), figures(items))));
    return groups.length > 24 ? lazily(`Show ${groups.length} targets`, parts) : parts();
  }
  return el("div", { class: `folds${tall(groups.length)}` }, groups.map(([target, items]) => {
    const inside = () => el("div", { class: "figures" }, figures(items));
    if (groups.length <= 8) return [el("h3", { "data-f": target }, target), inside()];
    const fold = lazily(target, inside);
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
  const offered = grouped(rated, (item) => JSON.stringify([item.load, item.rate]))
    .map(([, mine]) => offeredChart(mine));
  const orders = grouped(items, (item) => item.row);
  const phases = grouped(items.filter(hasPhases), (item) => item.row);
  const rows = metrics.flatMap(([, mine]) => grouped(mine, (item) => item.row));
  const spreads = grouped(rows.map(([, same]) => spreadChart(same)), (chart) => chart.group);
  return [
    sensitivity.length > 0 && section("sensitivity", "Sensitivity",
      el("p", null,
        `Slowdown over the level of each load, with ${head.level} intervals. The dashed line is no slowdown; a ring is a `,
        "slowdown that cannot be distinguished from noise."),
      figuresOf(sensitivity.filter((chart) => chart.group === null)), byTarget(targets, isAlone(targets))),
    offered.length > 0 && section("offered", "Offered and achieved load",
      el("p", null,
        "A load that cannot do what it offers is a smaller load: points below the dashed line. One point for each cell."),
      figuresOf(offered)),
    orders.length > 0 && section("order", "Runs in order",
      el("p", { class: "key" }, el("i", { class: "dot s1" }), "alone ", el("i", { class: "cross s2" }), "under load ",
        el("i", { class: "ring s3" }),
        "a run that has a flag or that no figure is made of. A drift, a step or an outlier shows here."),
      byTarget(orders, isAlone(grouped(cells, (one) => one.program)), orderChart)),
    phases.length > 0 && section("phase", "Phase of the load",
      el("p", null,
        "Each run under a load that changes with time, as a multiple of the median alone, over how far into its stages the ",
        "load was when it was resumed for the run."),
      byTarget(phases, isAlone(grouped(cells, (one) => one.program)), phaseChart)),
    spreads.length > 0 && section("distributions", "Distributions",
      el("p", null,
        "Each run as a multiple of the median that its own baseline has. The box holds the middle half of the runs, the ",
        "long stroke is the median, the lines end at the fastest and the slowest run. Where a row has more than 60 runs, ",
        "60 points from the fastest to the slowest represent them; boxes are of all."),
      byTarget(spreads, true)),
  ];
}
