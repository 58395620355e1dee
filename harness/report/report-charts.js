// The sections of charts of a report: groups of figures, [{target, figures}], where target null is of several.
"use strict";

// Each target under its heading, or folded up where they are many, and made when they are opened.
function byTarget(groups, oneEach) {
  if (groups.length === 0) return null;
  const inside = (group) => el("div", { class: "figures" }, group.figures.map(figure));
  if (oneEach) {
    const parts = () => el("div", { class: "figures" }, groups.map((group) =>
      el("div", { "data-f": group.target }, el("h3", null, group.target), group.figures.map(figure))));
    return groups.length > 24 ? lazily(`Show ${groups.length} targets`, parts) : parts();
  }
  return el("div", { class: `folds${tall(groups.length)}` }, groups.map((group) => {
    if (groups.length <= 8) return [el("h3", { "data-f": group.target }, group.target), inside(group)];
    const fold = lazily(group.target, () => inside(group));
    fold.dataset.f = group.target;
    return fold;
  }));
}
const isAlone = (groups) => groups.every((group) => group.figures.length === 1);
const ofSeveral = (groups) => figuresOf(groups.filter((group) => group.target === null).flatMap((group) => group.figures));
const ofOne = (groups) => groups.filter((group) => group.target !== null);

function chartSections(head, cells, { sensitivity, offered, order, phase, distributions }) {
  const targets = ofOne(sensitivity);
  const isOneCellEach = isAlone(grouped(cells, (one) => one.program).map(([, figures]) => ({ figures })));
  return [
    sensitivity.length > 0 && section("sensitivity", "Sensitivity",
      el("p", null,
        `Slowdown over the level of each load, with ${head.level} intervals. The dashed line is no slowdown; a ring is a `,
        "slowdown that cannot be distinguished from noise."),
      ofSeveral(sensitivity), byTarget(targets, isAlone(targets))),
    offered.length > 0 && section("offered", "Offered and achieved load",
      el("p", null,
        "A load that cannot do what it offers is a smaller load: points below the dashed line. One point for each cell."),
      ofSeveral(offered)),
    order.length > 0 && section("order", "Runs in order",
      el("p", { class: "key" }, el("i", { class: "dot s1" }), "alone ", el("i", { class: "cross s2" }), "under load ",
        el("i", { class: "ring s3" }),
        "a run that has a flag or that no figure is made of. A drift, a step or an outlier shows here."),
      byTarget(order, isOneCellEach)),
    phase.length > 0 && section("phase", "Phase of the load",
      el("p", null,
        "Each run under a load that changes with time, as a multiple of the median alone, over how far into its stages the ",
        "load was when it was resumed for the run."),
      byTarget(phase, isOneCellEach)),
    distributions.length > 0 && section("distributions", "Distributions",
      el("p", null,
        "Each run as a multiple of the median that its own baseline has. The box holds the middle half of the runs, the ",
        "long stroke is the median, the lines end at the fastest and the slowest run. Where a row has more than 60 runs, ",
        "60 points from the fastest to the slowest represent them; boxes are of all."),
      byTarget(distributions, true)),
  ];
}
