// Sorting and filtering. The page reads well without; nothing is loaded.
"use strict";
(() => {
  const number = (cell) => (cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : NaN);
  const text = (cell) => (cell ? cell.textContent.trim() : "");
  const words = new Intl.Collator("en", { numeric: true });

  // The place of a header among the cells of a row: two header rows span.
  function columns(table) {
    const taken = [];
    const place = new Map();
    [...table.tHead.rows].forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (taken[y]?.[x]) x++;
        place.set(cell, x);
        for (let dy = 0; dy < cell.rowSpan; dy++)
          for (let dx = 0; dx < cell.colSpan; dx++) (taken[y + dy] ??= [])[x + dx] = true;
        x += cell.colSpan;
      }
    });
    return place;
  }

  function sort(table, header, x) {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, n: number(row.cells[x]), t: text(row.cells[x]) }));
    const numeric = rows.some((r) => !Number.isNaN(r.n));
    rows.sort((a, b) => {
      if (!numeric) return words.compare(a.t, b.t) * (down ? -1 : 1);
      if (Number.isNaN(a.n) || Number.isNaN(b.n)) return Number.isNaN(a.n) - Number.isNaN(b.n);
      return (a.n - b.n) * (down ? -1 : 1);
    });
    body.append(...rows.map((r) => r.row));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const place = columns(table);
    for (const header of table.tHead.querySelectorAll("[data-sort]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sort(table, header, place.get(header)));
      header.append(button);
    }
  }

  const form = document.getElementById("find");
  const box = document.getElementById("filter");
  const found = document.getElementById("found");
  const parts = [...document.querySelectorAll("[data-f]")].map((part) => ({ part, f: part.dataset.f.toLowerCase() }));
  function filter() {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    // What holds a part that is found stays, such as the heading of its target.
    for (const { part, f } of parts) part.hidden = !wanted.every((word) => f.includes(word));
    for (const { part } of parts) if (part.hidden && part.querySelector("[data-f]:not([hidden])")) part.hidden = false;
    const rows = [...document.querySelectorAll("table.counted tbody tr")];
    found.textContent = wanted.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} ${form.dataset.what ?? "cells"}` : "";
  }
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  box.addEventListener("input", filter);

  // In print everything is shown, and headers are plain: Chromium repeats no
  // buttons on the next page. Afterwards it is as it was.
  let closed = [];
  let plain = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const part of closed) part.open = true;
    plain = [...document.querySelectorAll("thead button")].map((button) => ({ button, header: button.parentNode }));
    for (const { button, header } of plain) button.replaceWith(...button.childNodes);
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
    for (const { button, header } of plain) {
      button.append(...header.childNodes);
      header.append(button);
    }
  });
})();
