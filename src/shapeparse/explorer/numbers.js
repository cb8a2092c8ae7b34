// The figures of one parse, or of two side by side.

/** A figure's name, what it means, where a parse has it, and how it is written; one that is not there is left out. */
const FIGURES = {
  Labels: [
    ["Accuracy", "pixels labelled as in the mask", (parse) => parse.scores?.accuracy, (share) => percent(share)],
    ["Coverage", "share of the object that is painted", (parse) => parse.scores?.coverage, (share) => percent(share)],
    ["Waste", "share of the paint that misses the object", (parse) => parse.scores?.waste, (share) => percent(share)],
  ],
  Rectangles: [
    ["Rectangles", "leaves of the tree", (parse) => parse.drawn.leaves, (number) => grouped(number)],
    ["To paint", "leaves labelled paint", (parse) => parse.drawn.paintLeaves, (number) => grouped(number)],
    ["Merged", "to paint once neighbours are joined", (parse) => merged(parse), (number) => grouped(number)],
  ],
  Strokes: [
    ["Strokes", "of the brush", (parse) => parse.plan?.strokes.length, (number) => grouped(number)],
    ["Painted", "length of all strokes", (parse) => parse.plan?.metrics.painted_length, measured],
    ["Travel", "way of the brush between strokes", (parse) => parse.plan?.metrics.travel_length, measured],
    ["Time", "to paint, at the plan's speeds", (parse) => parse.plan?.metrics.seconds, (seconds) => duration(seconds)],
  ],
};

const merged = (parse) => parse.plan?.rectangles.length ?? parse.merged_paint;

const lengthUnit = (plan) => plan?.units.length ?? "";

class Numbers {
  constructor() {
    this.element = make("div", { class: "numbers" });
  }

  /** Show the figures of one parse or two; those of a plan have their places even before it comes, if `planned`. */
  show(parses, planned) {
    const groups = Object.entries(FIGURES).map(([name, figures]) => {
      const always = planned && name === "Strokes";
      const tiles = figures.map((figure) => this.tile(figure, parses, always)).filter(Boolean);
      return tiles.length ? make("dl", {}, ...tiles) : null;
    });
    this.element.replaceChildren(...groups.filter(Boolean));
  }

  tile([name, meaning, find, write], parses, always) {
    const values = parses.map((parse) => find(parse) ?? null);
    if (!always && values.every((value) => value === null)) return null;
    const shown = values.map((value, place) => {
      const text = value === null ? "–" : write(value, lengthUnit(parses[place].plan));
      return make("dd", { "data-parse": parses.length > 1 ? LETTERS[place] : null }, text);
    });
    return make("div", { title: meaning, "data-figure": name }, make("dt", {}, name), ...shown);
  }
}
