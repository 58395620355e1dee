// Charts: from figures to drawings, 360 units wide. Colours are classes of page.css.
"use strict";

// ---- numbers for people, each with its unit (as numbers.c)

function fixed(value, decimals) {
  const power = 10 ** decimals;
  const rounded = Math.floor(Math.abs(value) * power + 0.5);
  return ((value < 0 && rounded > 0 ? -rounded : rounded) / power).toFixed(decimals);
}
function decimalsOf(value) {
  if (value > 0 && value < 0.01) return Math.min(1 - Math.floor(Math.log10(value)), 9);
  return value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

// From which size on a unit has which factor and name.
const counts = (...names) => [[1e9, 1e-9, names[3]], [1e6, 1e-6, names[2]], [1e4, 1e-3, names[1]], [0, 1, names[0]]];
const unitSteps = {
  s: [[1, 1, "s"], [1e-3, 1e3, "ms"], [1e-6, 1e6, "µs"], [0, 1e9, "ns"]],
  B: [[2 ** 30, 2 ** -30, "GiB"], [2 ** 20, 2 ** -20, "MiB"], [2 ** 10, 2 ** -10, "KiB"], [0, 1, "B"]],
  "B/s": [[1e9, 1e-9, "GB/s"], [1e6, 1e-6, "MB/s"], [0, 1e-3, "kB/s"]],
  "": counts("", "k", "M", "G"),
  "/s": counts("/s", "k/s", "M/s", "G/s"),
  "1/s": counts("/s", "k/s", "M/s", "G/s"),
  "bit/s": counts("bit/s", "kbit/s", "Mbit/s", "Gbit/s"),
};
const seconds = { ms: 1e-3, us: 1e-6, "µs": 1e-6, ns: 1e-9 };

// {factor, unit} that bring a value between 1 and 1000, where its unit has steps.
function scaleOf(value, unit) {
  const base = seconds[unit] ?? 1;
  const kind = unit in seconds ? "s" : unit;
  const size = Math.abs(value) * base || { s: 1, B: 1024 }[kind] || 0;
  const step = unitSteps[kind]?.find(([from]) => size >= from);
  return step ? { factor: step[1] * base, unit: step[2] } : { factor: 1, unit };
}
const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);
function scaled(value, unit) {
  if (value === null) return "-";
  const scale = scaleOf(value, unit);
  return withUnit(fixed(value * scale.factor, decimalsOf(value * scale.factor)), scale.unit);
}
function withBounds(value, low, high, unit) {
  const scale = scaleOf(value, unit);
  const half = ((high - low) / 2) * scale.factor;
  const decimals = half > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(half)), 0), 6)
    : decimalsOf(value * scale.factor);
  const [middle, one, two] = [value, low, high].map((number) => fixed(number * scale.factor, decimals));
  return withUnit(`${middle} [${one}, ${two}]`, scale.unit);
}
const short = (number) => String(Number(number.toPrecision(6)));
// "20 k", "0.5 G": a number with the prefix of its unit.
function prefixed(value) {
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [factor, prefix] = steps.find(([from]) => from <= value * (1 + 1e-9)) ?? [1, ""];
  return withUnit(short(value / factor), prefix);
}
// "8 KiB" of a size, else the number with a prefix.
function measuredText(value, unit) {
  if (unit !== "B") return prefixed(value);
  const step = Math.min(Math.max(Math.floor(Math.log2(value) / 10), 0), 4);
  return `${Number((value / 1024 ** step).toPrecision(4))} ${["B", "KiB", "MiB", "GiB", "TiB"][step]}`;
}

// ---- axes: {low, high, log, ticks: [[at, text]], label}; from, to: where, in units of the drawing

const least = (values) => values.reduce((low, value) => Math.min(low, value), Infinity);
const most = (values) => values.reduce((high, value) => Math.max(high, value), -Infinity);

// From the lowest to the highest value with some air.
function airy(low, high) {
  const air = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1e-9;
  return { low: low - air, high: high + air };
}
// At most seven ticks, by steps of 1, 2 or 5 times a power of ten.
function addTicks(axis) {
  const wanted = (axis.high - axis.low) / 6;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((factor) => factor * unit >= wanted * 0.999) * unit;
  axis.ticks = [];
  const last = axis.high / step + 1e-9;
  for (let i = Math.ceil(axis.low / step - 1e-9); i <= last; i++) axis.ticks.push([i * step, short(i * step)]);
  return axis;
}
// Powers of ten, and where they are few 2 and 5 times these.
function addDecades(axis) {
  const steps = Math.log10(axis.high / axis.low) < 3 ? [1, 2, 5] : [1];
  axis.ticks = [];
  for (let power = Math.floor(Math.log10(axis.low)); power <= Math.log10(axis.high); power++)
    for (const step of steps) {
      const at = step * 10 ** power;
      if (at >= axis.low && at <= axis.high) axis.ticks.push([at, prefixed(at)]);
    }
  return axis;
}
function shareOf({ low, high, log }, value) {
  return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}
// Only ticks whose texts do not touch: the first, the last, and as many as fit between.
function thinTicks(axis, length, across) {
  const width = ([, text]) => (across ? 13 : 6.2 * text.length);
  const at = (tick) => shareOf(axis, tick[0]) * length;
  const apart = (one, other) => at(other) - at(one) >= (width(one) + width(other)) / 2 + 4;
  const end = axis.ticks.at(-1);
  let last = null;
  axis.ticks = axis.ticks.filter((tick) => {
    const fits = last === null || tick === end || (apart(last, tick) && apart(tick, end));
    if (fits) last = tick;
    return fits;
  });
}

// ---- drawings

const shapes = {
  dot: [0, 0, "h0"], ring: [-4, 0, "a4 4 0 1 0 8 0a4 4 0 1 0-8 0"], cross: [-2.5, 0, "h5m-2.5-2.5v5"],
  square: [-3, -3, "h6v6h-6z"], triangle: [0, -4, "l3.5 6.5h-7z"], diamond: [0, -4, "l4 4-4 4-4-4z"],
};
// What is far outside ends near the drawing: a record's figure may be as good as without end.
const tenths = (number) => Math.round(Math.min(Math.max(number, -1e6), 1e6) * 10) / 10;
const step = (command, x, y) => `${command}${tenths(x)} ${tenths(y)}`;
const cut = (text, letters) => ([...text].length > letters ? `${[...text].slice(0, letters - 1).join("")}…` : text);
const pathOf = (name, d) => (d ? el("path", { class: name, d }) : null);
const textOf = (x, y, text, more) => el("text", { x: tenths(x), y: tenths(y), ...more }, text);

// What is inside of the SVG element of {x, y, parts}, or of {x, rows, parts}, whose y is the number of the row,
// the highest on top. A part: {c: its class, lines: [[[x, y], ...], ...], bars: [[at, low, high], ...] and marks:
// [[x, y], ...] of a shape}.
const heightOf = (chart) => (chart.rows ? 66 + 22 * chart.rows.length : 220);
function drawing(chart) {
  const height = heightOf(chart);
  const names = chart.rows;
  const x = { ...chart.x, from: names ? 129.6 : 61.2, to: 345.6 };
  const y = names ? { low: 0.4, high: names.length + 0.6, from: height - 50, to: 6 } : { ...chart.y, from: 171.6, to: 8.8 };
  if (names) y.ticks = names.map((name, i) => [names.length - i, cut(name, 18)]);
  const place = (axis, value) => axis.from + shareOf(axis, value) * (axis.to - axis.from);
  const at = ([px, py]) => [place(x, px), place(y, py)];
  const across = (value) => step("M", x.from, place(y, value)) + step("L", x.to, place(y, value));
  const up = (value) => step("M", place(x, value), y.from) + step("L", place(x, value), y.to);
  const frame = y.ticks.map(([v]) => step("M", x.from, place(y, v)) + step("L", x.from - 4.1, place(y, v)))
    .concat(x.ticks.map(([v]) => step("M", place(x, v), y.from) + step("L", place(x, v), y.from + 4.1)));
  const bar = ([where, low, high]) => {
    const ends = names ? [at([low, where]), at([high, where])] : [at([where, low]), at([where, high])];
    const [dx, dy] = names ? [0, 2.5] : [2.5, 0];
    const caps = ends.map(([ex, ey]) => step("M", ex - dx, ey - dy) + step("L", ex + dx, ey + dy));
    return step("M", ...ends[0]) + step("L", ...ends[1]) + caps.join("");
  };
  const mark = (shape) => (point) => {
    const [px, py] = at(point);
    return step("M", px + shapes[shape][0], py + shapes[shape][1]) + shapes[shape][2];
  };
  const line = (points) => points.map((point, i) => step(i ? "L" : "M", ...at(point))).join("");
  const part = ({ c, lines = [], bars = [], marks = [], shape }) =>
    pathOf(c, [...lines.map(line), ...bars.map(bar), ...marks.map(mark(shape))].join(""));
  return [
    pathOf("g", names ? x.ticks.map(([v]) => up(v)).join("") : y.ticks.map(([v]) => across(v)).join("")),
    pathOf("f", frame.join("") + step("M", x.from, y.to) + step("L", x.from, y.from) + step("L", x.to, y.from)),
    y.ticks.map(([v, text]) => textOf(x.from - 11.8, place(y, v) + 3.6, text, { class: "end" })),
    x.ticks.map(([v, text]) => textOf(place(x, v), y.from + 24.2, text)),
    textOf((x.from + x.to) / 2, height - 4.4, cut(x.label, 40)),
    names ? null : textOf(16.2, 90.2, cut(y.label, 40), { transform: "rotate(270 16.2 90.2)" }),
    chart.parts.map(part),
  ];
}

// A chart in its frame: {title, text, bold, caption, f, legend, rows, make}; make() gives what is drawn. Where a page
// has very many, each is drawn when it comes into view, or is printed.
let figures = 0;
const undrawn = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
}, { rootMargin: "400px" });
function drawNow(svg) {
  seen.unobserve(svg);
  svg.append(...[drawing(undrawn.get(svg)())].flat(3).filter((node) => node !== null));
  undrawn.delete(svg);
}
function drawSoon() {
  if (undrawn.size <= 300) drawAll();
  else for (const svg of undrawn.keys()) seen.observe(svg);
}
function drawAll() {
  for (const svg of undrawn.keys()) drawNow(svg);
}
function swatch({ c, mark, shape }) {
  const [dx, dy, d] = shapes[shape] ?? [];
  return el("svg", { class: "plot swatch", viewBox: "0 0 26 10", "aria-hidden": "true" },
    pathOf(c, "M1 5L25 5"), mark ? pathOf(mark, `M${13 + dx} ${5 + dy}${d}`) : null);
}
function figure(chart) {
  const [title, text] = [`f${++figures}-t`, `f${figures}-d`];
  const viewBox = `0 0 360 ${heightOf(chart)}`;
  const svg = el("svg", { class: "plot", viewBox, role: "img", "aria-labelledby": `${title} ${text}` },
    el("title", { id: title }, chart.title), el("desc", { id: text }, chart.text));
  const lines = chart.legend?.map((line) => el("li", null, swatch(line), line.name));
  undrawn.set(svg, () => ({ rows: chart.rows, ...chart.make() }));
  return el("figure", { "data-f": chart.f ?? "" }, svg,
    el("figcaption", null, chart.bold ? [el("b", null, chart.bold), " "] : null, chart.caption),
    lines ? el("ul", { class: "key lines" }, lines) : null);
}

// ---- what the charts have in common

// Ratios with their intervals: dots, and rings for those that cannot be distinguished from noise.
// where(item, i): its place on the axis that is not the ratio's.
function ratioParts(items, where, horizontal) {
  return [false, true].flatMap((sure) => {
    const mine = items.map((item, i) => ({ ...item, at: where(item, i) })).filter((item) => item.sure === sure);
    const bars = mine.map((item) => [item.at, item.low, item.high]);
    const marks = mine.map((item) => (horizontal ? [item.ratio, item.at] : [item.at, item.ratio]));
    const [colour, mark, shape] = sure ? ["s2", "p s2", "dot"] : ["s3", "r s3", "ring"];
    return [{ c: colour, bars }, { c: mark, marks, shape }];
  });
}
// A row for each ratio; dashed lines at 1 and, where it is near, at the limit.
function ratioRows(items, label, limit) {
  const low = Math.min(1, least(items.map((item) => item.low)));
  let high = Math.max(1, most(items.map((item) => item.high)));
  if (limit !== null && limit < high + 2 * (high - low)) high = Math.max(high, limit);
  const x = addTicks({ ...airy(low, high), label });
  const dashed = [1, limit].filter((at) => at !== null && at <= x.high)
    .map((at) => [[at, 0.4], [at, items.length + 0.6]]);
  return { x, parts: [{ c: "s9", lines: dashed }, ...ratioParts(items, (_, i) => items.length - i, true)] };
}

// ---- charts of several lines: {kind, title, x: {label, unit, log}, y, series: [{name, peer, points: [{x, y, lo, hi}],
// peak}]}

const LINES_MOST = 7; // of a panel; page.css has as many colours, k0 on
const MARKED_MOST = 24; // points of a series that has a mark at each
const isMarked = (series) => series.points.length <= MARKED_MOST;
const labelOf = (words, unit) => (unit ? `${words} [${unit}]` : words);

// Threads and block sizes are numbered as they were measured.
function panelX(chart) {
  const { unit, label, log } = chart.x;
  const values = chart.series.flatMap((series) => series.points.map((point) => point.x));
  const stepped = chart.kind === "scaling" || chart.kind === "blocks";
  let axis = { low: least(values), high: most(values), factor: 1 };
  let shown = unit;
  if (log && axis.low > 0) {
    const air = Math.max((axis.high / axis.low) ** 0.05, 1.1);
    axis = { ...axis, low: axis.low / air, high: axis.high * air, log: true };
  } else {
    const scale = unit === "s" ? { factor: 1, unit } : scaleOf(axis.high, unit);
    axis = { low: 0, high: axis.high * 1.05 * scale.factor, factor: scale.factor };
    shown = scale.unit || unit;
  }
  const measured = [...new Set(values)].sort((a, b) => a - b);
  if (stepped && axis.factor === 1 && measured.length <= 24)
    axis.ticks = measured.map((value) => [value, measuredText(value, unit)]);
  else if (axis.log) addDecades(axis);
  else addTicks(axis);
  thinTicks(axis, 284, false);
  return { ...axis, label: labelOf(label, stepped && unit === "B" ? "" : shown) };
}

// Of what is no course over time, 0 is on the axis: heights can be compared.
function panelY(chart, lines) {
  const { unit, label, log } = chart.y;
  const points = lines.flatMap((series) => [...series.points, ...(series.peak ?? [])]);
  const all = points.flatMap((point) => [point.y, point.lo, point.hi])
    .filter((value) => value !== null && value !== undefined && (!log || value > 0));
  const [low, high] = [least(all), most(all)];
  if (log && all.length > 0) {
    const base = seconds[unit] ?? 1; // so that the prefixes of the numbers are right
    const axis = addDecades({ low: (low * base) / 1.4, high: high * base * 1.4, log: true, factor: base });
    thinTicks(axis, 162, true);
    return { ...axis, label: labelOf(label, unit in seconds ? "s" : unit) };
  }
  const scale = scaleOf(Math.max(Math.abs(high), Math.abs(low)), unit);
  const ends = chart.kind === "series" ? airy(low, high) : { low: 0, high: 1.08 * high };
  const top = ends.high > ends.low ? ends.high : ends.low + 1;
  const axis = { low: ends.low * scale.factor, high: top * scale.factor, factor: scale.factor };
  return { ...addTicks(axis), label: labelOf(label, scale.unit || unit) };
}

// A peer has the colour of what it is a peer of, where that is in the panel, too.
function looksOf(lines) {
  const marks = ["dot", "square", "triangle", "diamond", "ring", "dot", "square"];
  const colours = [];
  let next = 0;
  return lines.map((series, i) => {
    const isOurs = (other) => series.peer && !other.peer && series.name.startsWith(other.name);
    const ours = lines.slice(0, i).findIndex(isOurs);
    colours.push(ours < 0 ? next++ : colours[ours]);
    const [shape, colour] = [marks[i], `k${colours[i]}`];
    const more = series.peer ? " peer" : isMarked(series) ? "" : " thin";
    return { c: colour + more, mark: `${shape === "dot" ? "p" : "m"} ${colour}`, colour, shape };
  });
}

function panelParts(lines, looks, x, y) {
  const placed = (points) => points.map((point) => [point.x * x.factor, point.y * y.factor]);
  const isKnown = (value) => value !== null && value !== undefined;
  const peaks = lines.map(({ peak = [] }, i) => {
    const points = placed(peak);
    // A lone peak is a line, as a point would be taken for a figure.
    const line = points.length === 1 ? [x.low, x.high].map((end) => [end, points[0][1]]) : points;
    return { c: `${looks[i].colour} peak`, lines: [line] };
  });
  return peaks.concat(lines.flatMap((series, i) => {
    const shown = series.points.filter((point) => !y.log || point.y > 0);
    const bars = series.points.filter(({ lo, hi }) => isKnown(lo) && isKnown(hi) && hi * y.factor > y.low)
      .map(({ x: at, lo, hi }) => [at * x.factor, Math.max(lo * y.factor, y.low), Math.min(hi * y.factor, y.high)]);
    return [
      { c: looks[i].c, lines: [placed(shown)] },
      { c: `w ${looks[i].colour}`, bars },
      { c: looks[i].mark, marks: isMarked(series) ? placed(shown) : [], shape: looks[i].shape },
    ];
  }));
}

// "triad: 1: 10.2 [10.1, 10.3] GB/s, 2: ...", of a long line its ends.
function panelText(chart, lines, x, y) {
  const { unit } = chart.y;
  const value = ({ y: height, lo, hi }) => ((lo ?? null) === null ? scaled(height, unit) : withBounds(height, lo, hi, unit));
  const one = (point) => `${measuredText(point.x, chart.x.unit)}: ${value(point)}`;
  const text = (series) => {
    const { points } = series;
    return isMarked(series) ? points.map(one).join(", ") : `${one(points[0])} to ${one(points.at(-1))}`;
  };
  return `${y.label} over ${x.label}.${lines.map((series) => ` ${series.name}: ${text(series)}.`).join("")}`;
}

// Several panels where one would have too many lines, peers with what they are peers of; none where no series has two
// points: those are in the table as well.
function panels(chart) {
  const { series } = chart;
  const groups = [];
  if (!series.some((one) => one.points.length > 1)) return [];
  for (let first = 0, end; first < series.length; first = end) {
    const rest = series.length - first;
    end = first + Math.ceil(rest / Math.ceil(rest / LINES_MOST));
    while (end < series.length && end - first < LINES_MOST && series[end].peer) end++;
    groups.push(series.slice(first, end));
  }
  const x = panelX(chart);
  return groups.map((lines, i) => {
    const y = panelY(chart, lines);
    const looks = looksOf(lines);
    const legend = lines.map((one, k) => {
      const { c, mark, shape } = looks[k];
      return { c: c.replace(" thin", ""), mark: isMarked(one) && mark, shape, name: one.name };
    });
    if (lines.some((one) => one.peak?.length > 0))
      legend.push({ c: "s7 peak", name: "theoretical peak, in the colour of its line" });
    const caption = [groups.length > 1 ? `${i + 1} of ${groups.length}` : null,
      chart.kind === "series" && y.low > 0 ? "the vertical axis does not begin at 0" : null];
    return {
      title: chart.title, bold: chart.title, caption: caption.filter(Boolean).join("; "), f: chart.f, legend,
      text: panelText(chart, lines, x, y),
      make: () => ({ x, y, parts: panelParts(lines, looks, x, y) }),
    };
  });
}
