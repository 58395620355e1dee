// Figures of a page: the program `draw` has drawn them; here they get their frame and their legend.
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

// ---- figures: {title, text, bold, caption, f, height, svg, keys: [{svg, name}]}, 360 units wide

// Where a page has very many, each drawing is put in when it comes into view, or is printed.
let figures = 0;
const undrawn = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
}, { rootMargin: "400px" });
// What `draw` wrote has paths and texts; anything else would not be from it, and is left out.
const drawnNames = new Set(["path", "text"]);
function putDrawing(svg, text) {
  const parsed = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg">${text}</svg>`, "image/svg+xml");
  for (const node of [...parsed.documentElement.children])
    if (drawnNames.has(node.localName)) svg.append(document.importNode(node, true));
}
function drawNow(svg) {
  seen.unobserve(svg);
  putDrawing(svg, undrawn.get(svg));
  undrawn.delete(svg);
}
function drawSoon() {
  if (undrawn.size <= 300) drawAll();
  else for (const svg of undrawn.keys()) seen.observe(svg);
}
function drawAll() {
  for (const svg of undrawn.keys()) drawNow(svg);
}
function swatch(text) {
  const svg = el("svg", { class: "plot swatch", viewBox: "0 0 26 10", "aria-hidden": "true" });
  putDrawing(svg, text);
  return svg;
}
function figure(chart) {
  const [title, text] = [`f${++figures}-t`, `f${figures}-d`];
  const viewBox = `0 0 360 ${chart.height}`;
  const svg = el("svg", { class: "plot", viewBox, role: "img", "aria-labelledby": `${title} ${text}` },
    el("title", { id: title }, chart.title), el("desc", { id: text }, chart.text));
  undrawn.set(svg, chart.svg);
  return el("figure", { "data-f": chart.f }, svg,
    el("figcaption", null, chart.bold ? [el("b", null, chart.bold), " "] : null, chart.caption),
    chart.keys ? el("ul", { class: "key lines" }, chart.keys.map((key) => el("li", null, swatch(key.svg), key.name))) : null);
}
const figuresOf = (all, name = "figures") => (all.length > 0 ? el("div", { class: name }, all.map(figure)) : null);
