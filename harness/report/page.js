// The page: what its model says becomes tables, charts and text, which can be sorted and filtered. Nothing is loaded.

// ---- elements

// What would move the cursor, hide or turn text around becomes visible (as common/text.h); lines stay lines.
const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const codeText = (c) => ({ "\r": "\\r", "\x1b": "\\e" })[c] ?? `\\u{${c.codePointAt(0).toString(16).padStart(4, "0")}}`;
const visible = (text) => String(text).replace(hidden, codeText);
const inText = new Set(["b", "small", "span", "a", "code", "li"]);
const inSvg = new Set(["svg", "rect", "title", "desc"]);

// An element; attributes that are null or false are left out, children are text, nodes, lists of these, or {TAG: text,
// ATTRIBUTE: ...}.
function el(name, attributes, ...children) {
  const node = inSvg.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  for (const child of children) put(node, child);
  return node;
}
function put(node, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const one of child) put(node, one);
  else if (child instanceof Node) node.append(child);
  else if (typeof child !== "object") node.append(visible(child));
  else {
    const [[name, text], ...more] = Object.entries(child);
    const { class: look, title, href, "data-f": found } = Object.fromEntries(more);
    // What should be a text in a record, and is none, makes no other element, and leads nowhere else.
    if (!inText.has(name)) node.append(visible(JSON.stringify(child)));
    else node.append(el(name, { class: look, title, "data-f": found, href: String(href).startsWith("#") && href }, text));
  }
}
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
// Groups in the order in which their keys come first: [[key, items], ...].
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.get(key)?.push(item) ?? groups.set(key, [item]);
  }
  return [...groups];
}

// ---- blocks

const tall = (count) => (count > 40 ? " tall" : "");
const section = (id, title, ...blocks) => el("section", { id, "aria-labelledby": `${id}-h` },
  el("h2", { id: `${id}-h` }, title), blocks);
const details = (title, open, ...blocks) => el("details", { class: "fold", open }, el("summary", null, title), blocks);
// What is made only when somebody opens it, prints or filters.
const unfilled = new Map();
function lazily(title, fill) {
  const fold = details(title, false);
  unfilled.set(fold, fill);
  fold.addEventListener("toggle", () => {
    fillNow(fold);
    drawSoon();
  });
  return fold;
}
function fillNow(fold) {
  if (!unfilled.has(fold)) return;
  put(fold, unfilled.get(fold)());
  unfilled.delete(fold);
  makeSortable(fold);
}
function fillAll() {
  [...unfilled.keys()].forEach(fillNow);
  drawSoon();
}
const folded = (count, limit, title, ...blocks) => (count > limit ? details(title, false, blocks) : blocks);
const list = (items, name, tag = "ul") => el(tag, { class: name },
  items.map((item) => (item instanceof Node || item.li !== undefined ? item : el("li", null, item))));

// A cell: text, [text, the number that it is sorted by], or {t: text, v: that number, c: class}, or {t, heat: a slowdown,
// sure: it can be distinguished from noise, hatch: its edge is hatched}. Columns: titles, or
// {title, kind}: n a number, l and w texts that do not break, and that may.
function partsOf(content) {
  if (Array.isArray(content)) return { t: content[0], v: content[1] };
  if (content?.heat !== undefined) return heated(content);
  return content instanceof Object ? content : { t: content };
}
function cell(content, kind, isHead) {
  const { t, v, c } = partsOf(content);
  const text = kind === "n" && typeof t === "string" ? t.replaceAll(" ", "\u00a0") : t;
  return isHead ? el("th", { scope: "row" }, text)
    : el("td", { class: c ?? kind, "data-v": Number.isFinite(v) ? v : null }, text);
}
// Rows: their cells, or {cells, f: what the filter finds, id, class}. kind: heat, env (not sorted) or counted by the
// filter. Columns with sort: false are not sorted.
function table({ id, caption, kind = "", columns, rows, head }) {
  const sorted = kind !== "env";
  const kinds = columns.map((column) => column.kind);
  const body = rows.map((row) => {
    const { cells, f, ...more } = Array.isArray(row) ? { cells: row } : row;
    return el("tr", { "data-f": f, ...more }, cells.map((content, i) => cell(content, kinds[i], i === 0)));
  });
  const titles = columns.map((column) =>
    el("th", { scope: "col", "data-sort": sorted && column.sort !== false }, column.title ?? column));
  // It may be wider than a small screen, or longer: it scrolls in a box of its own.
  return el("div", { class: `scroll${tall(rows.length)}`, role: "region", tabindex: 0, "aria-labelledby": `${id}-c` },
    el("table", { id, class: `${kind}${sorted ? " sortable" : ""}` }, el("caption", { id: `${id}-c` }, caption),
      head ?? el("thead", null, el("tr", null, titles)), el("tbody", null, body)));
}

// Facts of one host, or of several side by side: {facts: id, caption, titles, of: an object for each}.
const factTitles = {
  host: "Host", os: "System", kernel: "Kernel", architecture: "Architecture", cpu: "CPU", cpus_online: "CPUs",
  cpus_allowed: "CPUs allowed", governors: "Governor", virtual_machine: "Virtual machine", memory_bytes: "Memory",
  clocksource: "Clock", file_systems: "File system", devices: "Device", versions: "Versions",
};
function factText(value) {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ") || "-";
  if (typeof value === "object") return Object.entries(value).map(([name, text]) => `${name} ${text}`).join(", ");
  return value;
}
function facts({ facts: id, caption, titles, of }) {
  const keys = [...new Set(of.flatMap(Object.keys))];
  const titleOf = (key) => factTitles[key] ?? capital(key.replaceAll("_", " "));
  const rows = keys.map((key) => [titleOf(key), ...of.map((one) => factText(one[key]))]);
  return table({ id, kind: "env", caption, columns: ["Fact", ...titles], rows });
}

// The step of the colour scale, h0 to h7.
const heatSteps = [1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
function heatClass(ratio, sure) {
  if (!sure) return "noise";
  return ratio < 1 ? "less" : `h${heatSteps.filter((from) => ratio >= from).length}`;
}
const heated = ({ t, heat, sure, hatch }) => ({ t, v: heat, c: heatClass(heat, sure) + (hatch ? " hatch" : "") });
function heatLegend(...others) {
  const texts = ["below 1.02×", "1.02× to 1.05×", "1.05× to 1.1×", "1.1× to 1.2×", "1.2× to 1.5×", "1.5× to 2×",
    "2× to 3×", "3× and more"];
  return el("ul", { class: "legend", "aria-label": "Colours of the table" },
    [...texts.map((text, i) => [`h${i}`, text]), ...others]
      .map(([name, text]) => el("li", null, el("i", { class: name }), text)));
}

// What a model is made of: each is an object whose first name says which.
const blocks = {
  p: ({ p, class: name }) => el("p", { class: name }, p),
  h3: ({ h3 }) => el("h3", null, h3),
  ul: ({ ul, class: name }) => list(ul, name),
  ol: ({ ol, class: name }) => list(ol, name, "ol"),
  legend: ({ legend }) => heatLegend(...legend),
  table: (block) => table({ ...block, id: block.table }),
  facts,
  details: ({ details: title, open, blocks: inner }) => details(title, open, render(inner)),
  wide: ({ wide }) => el("div", { class: "figures wide" }, render(wide)),
  figures: ({ figures }) => figuresOf(figures, "figures wide"),
};
const render = (all) => all.map((block) => blocks[Object.keys(block)[0]](block));
const sectionsOf = (model) => model.sections.map(({ id, title, blocks: inner }) => section(id, title, render(inner)));

// ---- sorting

// The place of a header among the cells of a row: two header rows span.
function places(sorted) {
  const taken = [];
  const place = new Map();
  [...sorted.tHead.rows].forEach((row, y) => {
    let x = 0;
    for (const header of row.cells) {
      while (taken[y]?.[x]) x++;
      place.set(header, x);
      for (let dy = 0; dy < header.rowSpan; dy++)
        for (let dx = 0; dx < header.colSpan; dx++) (taken[y + dy] ??= [])[x + dx] = true;
      x += header.colSpan;
    }
  });
  return place;
}
const words = new Intl.Collator("en", { numeric: true });
function sort(sorted, header, x) {
  const down = header.getAttribute("aria-sort") === "ascending";
  for (const other of sorted.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = sorted.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, n: Number(row.cells[x]?.dataset.v ?? NaN),
    t: row.cells[x]?.textContent.trim() ?? "" }));
  const numeric = rows.some((r) => !Number.isNaN(r.n));
  rows.sort((a, b) => {
    if (!numeric) return words.compare(a.t, b.t) * (down ? -1 : 1);
    if (Number.isNaN(a.n) || Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
    return (a.n - b.n) * (down ? -1 : 1);
  });
  body.append(...rows.map((r) => r.row));
}
function makeSortable(part) {
  for (const sorted of part.querySelectorAll("table.sortable")) {
    const place = places(sorted);
    for (const header of sorted.tHead.querySelectorAll("[data-sort]")) {
      const button = el("button", { type: "button" }, [...header.childNodes]);
      button.addEventListener("click", () => sort(sorted, header, place.get(header)));
      header.append(button);
    }
  }
}

// ---- filtering

function filterForm(label, what) {
  const box = el("input", { id: "filter", type: "search", autocomplete: "off" });
  const found = el("span", { id: "found", role: "status" });
  const form = el("form", { id: "find", role: "search" }, el("label", { for: "filter" }, label), " ", box, " ", found);
  let parts = null;
  form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", () => {
    fillAll();
    parts ??= [...document.querySelectorAll("[data-f]")].map((part) => ({ part, f: part.dataset.f.toLowerCase() }));
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    // What holds a part that is found stays, such as the heading of its target.
    for (const { part, f } of parts) part.hidden = !wanted.every((word) => f.includes(word));
    for (const { part } of parts) if (part.hidden && part.querySelector("[data-f]:not([hidden])")) part.hidden = false;
    const rows = [...document.querySelectorAll("table.counted tbody tr")];
    found.textContent = wanted.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} ${what}` : "";
  });
  return form;
}

// ---- printing

// In print everything is drawn and shown, and headers are plain: Chromium repeats no buttons on the next page.
// Afterwards it is as it was.
let closed = [];
let plain = [];
addEventListener("beforeprint", () => {
  fillAll();
  drawAll();
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const part of closed) part.open = true;
  plain = [...document.querySelectorAll("thead button")].map((button) => ({ button, header: button.parentNode }));
  for (const { button } of plain) button.replaceWith(...button.childNodes);
});
addEventListener("afterprint", () => {
  for (const part of closed) part.open = false;
  for (const { button, header } of plain) {
    button.append(...header.childNodes);
    header.append(button);
  }
});

// ---- the page itself

function showPage() {
  const model = JSON.parse(document.getElementById("model").textContent);
  const sections = (model.cells ? reportSections(model) : sectionsOf(model)).flat().filter(Boolean);
  const links = sections.map((part) => el("li", null,
    el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
  const main = document.querySelector("main");
  main.classList.toggle("long", model.cells?.length > 1000);
  main.before(el("nav", { "aria-label": "Sections" }, el("ul", null, links)));
  main.replaceChildren(...(model.filter ? [filterForm(model.filter, model.what)] : []), ...sections);
  makeSortable(main);
  drawSoon();
  // What the address leads to was not there when the page was loaded.
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}
showPage();
