// The plan that was chosen beside the others that could have been: time, strokes, lifts, coverage and waste.

const KINDS = { auto: "The quickest", rectangles: "Rectangles", rows: "Rows", cells: "Cells" };
const LIFTED_ROWS = "Rows, a lift per stroke";
const AGAINST = {
  mask: "Coverage and waste are those of the mask; plans are chosen by the labels.",
  labels: "Coverage and waste are those of the labels, as there is no mask.",
};

const NOT_QUICKEST = "A quicker plan misses a limit, or wastes paint where another wastes none; a limit of waste allows that.";

class Ways {
  constructor() {
    this.element = make("div", { class: "ways" });
  }

  /** Show the alternatives of one plan or two; there are none on a page without a service, nor without a plan. */
  show(views) {
    const shown = views.filter(({ parse }) => parse.plan?.ways);
    this.element.replaceChildren(...shown.map(({ parse, letter }) => this.table(parse.plan, letter)));
    this.element.hidden = !shown.length;
  }

  table(plan, letter) {
    const head = ["Plan", "Time", "Strokes", "Lifts", "Coverage", "Waste"];
    const heads = head.map((name) => make("th", { scope: "col" }, name));
    const rows = Object.entries(plan.ways).map(([kind, metrics]) => this.row(kind, metrics, kind === plan.plan));
    const badge = letter === null ? null : make("span", { class: "letter" }, letter);
    const least = `No plan takes less than ${duration(plan.seconds_least)}.`;
    return make(
      "figure", {},
      make(
        "div", { class: "wide", tabindex: 0, role: "group", "aria-label": `Plans${letter ? ` of ${letter}` : ""}` },
        make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)),
      ),
      make("figcaption", {}, badge, [AGAINST[plan.against], least, this.reason(plan)].join(" ")),
    );
  }

  /** Why a quicker plan was not taken, if there is one. */
  reason(plan) {
    const quicker = Object.values(plan.ways).some(({ seconds }) => seconds < plan.metrics.seconds - 0.05);
    return plan.settings.plan === "auto" && quicker ? NOT_QUICKEST : "";
  }

  row(kind, metrics, chosen) {
    const name = KINDS[kind] ?? LIFTED_ROWS;
    const mark = chosen ? make("b", { class: "chosen-mark" }, "chosen") : null;
    const cells = [
      duration(metrics.seconds), grouped(metrics.strokes), grouped(metrics.lifts),
      percent(metrics.coverage), percent(metrics.waste),
    ].map((text) => make("td", {}, text));
    const attributes = { "data-kind": kind, "aria-current": chosen ? "true" : null };
    return make("tr", attributes, make("th", { scope: "row" }, name, mark), ...cells);
  }
}
