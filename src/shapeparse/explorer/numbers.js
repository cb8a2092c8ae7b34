// The figures of one parse, or of two side by side.

const metrics = (parse) => parse.plan?.metrics;

const share = (value) => percent(value);

/**
 * A figure's name, what it means, where a parse has it, and how it is written; one that is not there is left out.
 * Coverage and waste are those of the labels until there are strokes: a wide brush paints far more than the labels.
 */
const FIGURES = {
  Labels: [
    ["Accuracy", "pixels labelled as in the mask", (parse) => parse.scores?.accuracy, share],
  ],
  "Labels alone": [
    ["Coverage", "share of the object labelled paint", (parse) => parse.scores?.coverage, share],
    ["Waste", "share of the labels paint off the object", (parse) => parse.scores?.waste, share],
  ],
  Rectangles: [
    ["Rectangles", "leaves of the tree", (parse) => parse.drawn.leaves, (number) => grouped(number)],
    ["To paint", "leaves labelled paint", (parse) => parse.drawn.paintLeaves, (number) => grouped(number)],
    ["Merged", "to paint once neighbours are joined", (parse) => parse.merged_paint, (number) => grouped(number)],
  ],
  Strokes: [
    ["Strokes", "of the brush", (parse) => parse.plan?.strokes.length, (number) => grouped(number)],
    ["Lifts", "of the brush", (parse) => metrics(parse)?.lifts, (number) => grouped(number)],
    ["Painted", "length of all strokes", (parse) => metrics(parse)?.painted_length, measured],
    ["Travel", "way of the brush between strokes", (parse) => metrics(parse)?.travel_length, measured],
    ["Time", "to paint, at the plan's speeds", (parse) => metrics(parse)?.seconds, (seconds) => duration(seconds)],
  ],
  Paint: [
    ["Coverage", "share of the object that the strokes paint", (parse) => metrics(parse)?.coverage, share],
    ["Waste", "share of the painted area off the object", (parse) => metrics(parse)?.waste, share],
  ],
};

const lengthUnit = (plan) => plan?.units.length ?? "";

class Numbers {
  constructor() {
    this.element = make("div", { class: "numbers" });
  }

  /** Show the figures of one parse or two; those of a plan have their places even before it comes, if `planned`. */
  show(parses, planned) {
    const painted = planned || parses.some((parse) => parse.plan);
    const groups = Object.entries(FIGURES).map(([name, figures]) => {
      if (name === "Labels alone" && painted) return null;
      const always = planned && (name === "Strokes" || name === "Paint");
      const tiles = figures.map((figure) => this.tile(figure, parses, always)).filter(Boolean);
      return tiles.length ? make("dl", {}, ...tiles) : null;
    });
    this.element.replaceChildren(...groups.filter(Boolean));
  }

  /** Take all figures away, but not their places: they are not those of what was asked for last. */
  clear() {
    for (const value of this.element.querySelectorAll("dd")) value.textContent = "–";
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
