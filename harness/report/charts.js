// Figures of a page: the program `draw` has drawn them; here they get their frame and their legend.
"use strict";

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
