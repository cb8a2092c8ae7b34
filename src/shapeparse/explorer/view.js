// One parse: its picture and its tree, side by side or one above the other.

const LETTERS = ["A", "B"]; // of two parses that are compared
const STRANGE = "This photograph is unlike those that the parser has learned from: do not rely on its labels. "
  + "Label a few of yours with `shapeparse label`.";

class View {
  /**
   * `act` has `hover(view, node)` and `select(view, node)`, null for none, and what a `Zoom` calls. `letter` is null when
   * there is one view.
   */
  constructor(parse, image, letter, act) {
    Object.assign(this, { parse, letter, selected: null, layer: null });
    this.tree = parse.drawn;
    const own = { hover: (node) => act.hover(this, node), select: (node) => act.select(this, node) };
    this.treeView = new TreeView(this.tree, image.source, parse.title, own);
    this.picture = new Picture(this.tree, image, {
      ...act,
      hover: own.hover,
      select: (node) => {
        own.select(node);
        this.treeView.focus(); // so that arrow keys go on from there
      },
    });
    const panels = make("div", { class: "panels" }, this.picture.element, this.treeView.element);
    panels.style.setProperty("--ratio", this.tree.width / this.tree.height);
    const doubt = parse.strangeness > 1 ? make("p", { class: "strange", role: "note" }, STRANGE) : null;
    this.element = make("section", { class: "view", "aria-label": parse.title }, this.heading(), doubt, panels);
    this.setPlan(parse.plan);
  }

  heading() {
    const badge = this.letter === null ? null : make("span", { class: "letter" }, this.letter);
    const facts = [plural(this.tree.size, "node"), `depth ${this.tree.deepest}`];
    if (this.parse.milliseconds) facts.push(`parsed in ${measured(this.parse.milliseconds, "ms")}`);
    return make(
      "h3", {}, badge, make("span", { class: "title" }, this.parse.title), make("small", {}, facts.join(" · ")),
    );
  }

  select(node) {
    this.selected = node;
    this.picture.select(node);
    this.treeView.select(node);
  }

  hover(node) {
    this.picture.hover(node);
    this.treeView.hover(node);
  }

  /** Show the derivation after `step` rules; one with fewer is then complete. */
  showStep(step) {
    const applied = Math.min(step, this.tree.size);
    const current = applied > 0 && applied < this.tree.size ? applied - 1 : null;
    this.picture.showStep(applied, current);
    this.treeView.showStep(applied, current);
  }

  setPlan(plan) {
    this.parse.plan = plan ?? null;
    this.parse.scores ??= plan?.scores ?? null; // of a tree that was corrected
    this.parse.merged_paint ??= plan?.merged_paint ?? null;
    this.layer = plan ? new StrokesLayer(plan) : null;
  }

  showStrokes(moment) {
    this.picture.showStrokes(this.layer, moment);
  }

  remove() {
    this.treeView.remove();
    this.element.remove();
  }
}
