// The photograph with the rectangles over it, and over those the strokes and the marks of what is pointed at.

const FEW_PIXELS = 96; // so small a photograph is shown as the pixels it is

const MANY_LEAVES = 400; // so many get finer borders

class Picture {
  /**
   * `image` has a `name` and a `source`, null for none; `act` has `hover(node)`, null for none, `select(node)`, and
   * what a `Zoom` calls.
   */
  constructor(tree, image, act) {
    Object.assign(this, { tree, act, step: tree.size, selected: null, layer: null });
    const path = (name) => draw("path", { class: name });
    this.areas = { wash: path("wash"), paint: path("paint"), skip: path("skip") };
    this.borders = [path("borders under"), path("borders over")];
    this.marks = { hovered: this.mark("hovered"), current: this.mark("current"), selected: this.mark("selected") };
    this.svg = draw(
      "svg",
      {
        role: "img", "aria-label": `${image.name || "The photograph"}, ${plural(tree.leaves, "rectangle")} over it`,
        viewBox: `0 0 ${tree.width} ${tree.height}`, preserveAspectRatio: "none",
        pointermove: (event) => event.pointerType !== "touch" && act.hover(this.nodeAt(event)),
        pointerleave: () => act.hover(null),
        click: (event) => this.click(event),
      },
      this.photograph(image.source), ...Object.values(this.areas), ...this.borders, ...Object.values(this.marks),
    );
    this.svg.classList.toggle("dense", tree.leaves > MANY_LEAVES);
    this.sheet = make("div", { class: "sheet" }, this.svg);
    this.zoom = new Zoom(this.sheet, image.name || "The photograph", act);
    this.element = make("div", { class: "picture" }, this.zoom.frame, this.zoom.tools);
    this.showStep(tree.size, null);
  }

  photograph(source) {
    const { width, height } = this.tree;
    if (source === null) return draw("rect", { class: "blank", width, height });
    const image = draw("image", { href: source, width, height, preserveAspectRatio: "none" });
    image.addEventListener("error", () => image.replaceWith(this.photograph(null))); // a TIFF file, say
    image.classList.toggle("pixels", Math.max(width, height) < FEW_PIXELS);
    return image;
  }

  mark(name) {
    const layers = ["under", "over", "cut"].map((layer) => draw("path", { class: layer }));
    return draw("g", { class: `mark ${name} none` }, ...layers);
  }

  /** Outline a node under one of the names of marks; null takes the mark away. */
  outline(name, index) {
    const mark = this.marks[name];
    mark.classList.toggle("none", index === null);
    if (index === null) return;
    const [under, over, cut] = mark.children;
    for (const path of [under, over]) path.setAttribute("d", around(this.tree.nodes[index]));
    const applied = !this.tree.isLeaf(index) && index < this.step;
    cut.setAttribute("d", applied ? lineTo(this.tree.cutLine(index)) : "");
  }

  select(index) {
    this.selected = index;
    this.outline("selected", index);
  }

  hover(index) {
    this.outline("hovered", index);
  }

  /** Show the derivation once `step` rules are applied; `current` is the node of the last one. */
  showStep(step, current) {
    this.step = step;
    const parts = { paint: [], skip: [], cuts: [] };
    this.tree.nodes.slice(0, step).forEach((node, index) => {
      if (this.tree.isLeaf(index)) parts[node.rule].push(around(node));
      else parts.cuts.push(lineTo(this.tree.cutLine(index)));
    });
    const [paint, skip, cuts] = [parts.paint, parts.skip, parts.cuts].map((pieces) => pieces.join(""));
    this.areas.wash.setAttribute("d", paint + skip);
    this.areas.paint.setAttribute("d", paint);
    this.areas.skip.setAttribute("d", skip);
    for (const border of this.borders) border.setAttribute("d", cuts);
    this.outline("current", current);
  }

  /** Draw the strokes painted until `moment`, or none if it is null. */
  showStrokes(layer, moment) {
    if (layer !== this.layer) {
      this.layer?.element.remove();
      this.layer = layer;
      if (layer) this.marks.hovered.before(layer.element);
    }
    this.svg.classList.toggle("with-strokes", moment !== null);
    layer?.element.classList.toggle("none", moment === null);
    if (layer && moment !== null) layer.show(moment);
  }

  nodeAt(event) {
    const frame = this.svg.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * this.tree.width;
    const y = ((event.clientY - frame.top) / frame.height) * this.tree.height;
    return this.tree.nodeAt(x, y, this.step);
  }

  /** A click selects the rectangle under it; another one there the rectangle around that, and so on up to the root. */
  click(event) {
    const index = this.nodeAt(event);
    const path = [index, ...this.tree.ancestors(index)];
    const place = this.clicked === index ? path.indexOf(this.selected) : -1;
    this.clicked = index;
    this.act.select(path[(place + 1) % path.length]);
  }
}
