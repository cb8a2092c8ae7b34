// The parse tree as a drawing that can be walked: a tree for screen readers too, from top to bottom.

const LEAST_PITCH = 4.5; // pixels between leaves, below which the deepest splits start out folded
const MOST_PITCH = 72;
const FEW_ENDS = 16; // up to so many, splits show their piece of the photograph
const THUMBNAIL = 46;
const RULE_WIDTH = 52; // pixels that a rule in words needs
const RULE_HEIGHT = 32;
const MARGIN = 14;
const REACH = 60; // pixels within which a pointer means the nearest node

class TreeView {
  /** `source` is the photograph's address or null; `act` has `hover(node)` and `select(node)`, null for none. */
  constructor(tree, source, title, act) {
    Object.assign(this, { tree, source, act, zoom: 1, step: tree.size, selected: null, hovered: null, current: null });
    this.folded = null; // until the width is known
    this.svg = draw("svg", {
      role: "tree", class: "tree-drawing", "aria-label": `Parse tree, ${title}`, "aria-orientation": "horizontal",
      pointermove: (event) => event.pointerType !== "touch" && act.hover(this.nearest(event)),
      pointerleave: () => act.hover(null),
      click: (event) => this.click(event),
      keydown: (event) => this.press(event),
      focusin: (event) => this.enter(event),
    });
    this.scroller = make("div", { class: "scroller" }, this.svg);
    this.scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.element = make("div", { class: "tree" }, this.scroller, this.tools());
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.scroller);
  }

  tools() {
    const entry = (kind, text) => make("span", {}, make("i", { class: `key ${kind}` }), text);
    this.foldedKey = entry("subtree", "folded");
    const legend = make(
      "p", { class: "legend", "aria-hidden": "true" },
      entry("paint", "paint"), entry("skip", "skip"), entry("split", "split"), this.foldedKey,
    );
    const zoom = make(
      "div", { class: "buttons", role: "group", "aria-label": "Size of the tree" },
      iconButton("minus", "Smaller", () => this.zoomTo(this.zoom / 1.5)),
      iconButton("plus", "Larger", () => this.zoomTo(this.zoom * 1.5)),
      iconButton("fit", "Fit the tree into its panel", () => this.fit()),
    );
    return make("div", { class: "tools" }, legend, zoom);
  }

  // Drawing

  render() {
    const width = this.scroller.clientWidth;
    if (!width) return;
    this.folded ??= foldedToFit(this.tree, Math.max(4, width / LEAST_PITCH));
    if (this.selected !== null) this.tree.ancestors(this.selected).forEach((above) => this.folded.delete(above));
    const focused = this.svg.contains(document.activeElement);
    this.place(width, this.scroller.clientHeight);
    const edges = draw("g", { class: "edges", "aria-hidden": "true" });
    const nodes = draw("g", { role: "none" });
    this.elements = new Map();
    this.edges = new Map();
    for (const index of this.layout.slot.keys()) {
      if (index) this.edges.set(index, edges.appendChild(this.edge(index)));
      this.elements.set(index, nodes.appendChild(this.node(index)));
    }
    this.svg.replaceChildren(edges, nodes);
    this.foldedKey.hidden = !this.folded.size;
    this.update();
    if (focused) this.focus();
  }

  /** Decide where everything stands, in pixels. */
  place(width, height) {
    this.layout = layOut(this.tree, this.folded);
    const { slot, ends, levels } = this.layout;
    this.pitch = Math.min(MOST_PITCH, ((width - 2 * MARGIN) / ends) * this.zoom);
    const drawing = Math.max(width, this.pitch * ends + 2 * MARGIN);
    this.thumbnails = this.source !== null && ends <= FEW_ENDS;
    this.gaps = this.smallestGaps();
    const tallest = this.thumbnails ? THUMBNAIL : 18;
    const room = height - 2 * MARGIN - tallest - 14;
    this.level = Math.min(100, Math.max(this.thumbnails ? 52 : 24, room / Math.max(1, levels - 1)));
    const left = (drawing - this.pitch * ends) / 2;
    const top = MARGIN + 12 + tallest / 2 + Math.max(0, room - (levels - 1) * this.level) / 2;
    this.x = new Map();
    this.y = new Map();
    for (const [index, at] of slot) {
      this.x.set(index, left + (at + 0.5) * this.pitch);
      this.y.set(index, top + this.tree.nodes[index].depth * this.level);
    }
    this.svg.setAttribute("width", drawing);
    this.svg.setAttribute("height", Math.max(height - 1, top + (levels - 1) * this.level + MARGIN + 10));
  }

  /** The least distance between two nodes of each depth, in pixels: how large they and their words may be. */
  smallestGaps() {
    const last = [];
    const gaps = [];
    const order = [...this.layout.slot].sort((one, other) => one[1] - other[1]);
    for (const [index, at] of order) {
      const { depth } = this.tree.nodes[index];
      if (depth in last) gaps[depth] = Math.min(gaps[depth] ?? Infinity, (at - last[depth]) * this.pitch);
      last[depth] = at;
    }
    return gaps;
  }

  edge(index) {
    const { parent } = this.tree.nodes[index];
    const bend = (this.y.get(parent) + this.y.get(index)) / 2;
    const path = `M${this.x.get(parent)} ${this.y.get(parent)}V${bend}H${this.x.get(index)}V${this.y.get(index)}`;
    const thickness = Math.max(0.8, 2.4 * 0.76 ** this.tree.nodes[parent].depth);
    return draw("path", { d: path, "stroke-width": thickness });
  }

  node(index) {
    const { tree } = this;
    const node = tree.nodes[index];
    const siblings = index ? tree.children[node.parent] : [0];
    const folded = this.folded.has(index);
    const kind = folded ? "subtree" : tree.isLeaf(index) ? node.rule : "split";
    return draw(
      "g",
      {
        role: "treeitem", class: `node ${kind}`, tabindex: "-1", "data-node": index,
        transform: `translate(${this.x.get(index)} ${this.y.get(index)})`,
        "aria-level": node.depth + 1, "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(index) + 1,
        "aria-expanded": tree.isLeaf(index) ? null : String(!folded),
        "aria-label": `${ruleWords(tree, index)}, ${node.w} by ${node.h}`,
      },
      ...(folded ? this.subtree(index) : tree.isLeaf(index) ? leafGlyph(this.pitch) : this.split(index)),
    );
  }

  split(index) {
    const node = this.tree.nodes[index];
    const gap = this.gaps[node.depth] ?? Infinity;
    const location = this.tree.location(index);
    const side = this.thumbnails ? Math.min(THUMBNAIL, gap * 0.8) : Math.min(18, Math.max(4, gap * 0.6));
    const piece = this.thumbnails ? { ...node, source: this.source, tree: this.tree } : null;
    const glyph = splitGlyph(node, location, side, piece);
    if (gap > RULE_WIDTH && this.level > side + RULE_HEIGHT) {
      const [, height] = glyphSize(node, side, piece);
      glyph.push(words(`${node.rule.at(-1)} : ${location.toFixed(2)}`, -height / 2 - 5));
    }
    return glyph;
  }

  subtree(index) {
    const half = Math.min(11, Math.max(2.5, this.pitch * 0.5));
    const glyph = subtreeGlyph(half, this.tree.paintShare[index]);
    if (this.pitch > 22) glyph.push(words(grouped(this.tree.leavesBelow[index]), half + 12));
    return glyph;
  }

  /** Bring the marks up to date: what is selected, pointed at, and how far the derivation has gone. */
  update() {
    if (!this.elements) return;
    const trail = new Set(this.selected === null ? [] : [this.selected, ...this.tree.ancestors(this.selected)]);
    const hovered = this.visible(this.hovered);
    const stop = this.elements.has(this.selected) ? this.selected : 0;
    for (const [index, element] of this.elements) {
      const parent = this.tree.nodes[index].parent ?? -1;
      element.classList.toggle("selected", index === this.selected);
      element.classList.toggle("hovered", index === hovered);
      element.classList.toggle("current", index === this.current);
      element.classList.toggle("open", index >= this.step && parent < this.step);
      element.classList.toggle("later", parent >= this.step);
      element.setAttribute("aria-selected", String(index === this.selected));
      element.setAttribute("tabindex", index === stop ? "0" : "-1");
      const edge = this.edges.get(index);
      edge?.classList.toggle("trail", trail.has(index));
      edge?.classList.toggle("later", parent >= this.step);
    }
  }

  /** The node itself, or the folded split it is hidden in. */
  visible(index) {
    if (index === null || !this.elements || this.elements.has(index)) return index;
    return this.tree.ancestors(index).find((above) => this.elements.has(above));
  }

  // What the explorer tells the tree

  select(index) {
    this.selected = index;
    if (this.visible(index) !== index) this.render();
    else this.update();
    if (index !== null) this.reveal(index);
  }

  hover(index) {
    this.elements?.get(this.visible(this.hovered))?.classList.remove("hovered");
    this.hovered = index;
    this.elements?.get(this.visible(index))?.classList.add("hovered");
  }

  showStep(step, current) {
    Object.assign(this, { step, current });
    this.update();
  }

  /** Scroll the panel, and nothing else, so that a node is in sight. */
  reveal(index) {
    if (!this.x?.has(index)) return;
    const { scroller } = this;
    const into = (at, from, extent) => (at < from + 24 || at > from + extent - 24 ? at - extent / 2 : from);
    scroller.scrollLeft = into(this.x.get(index), scroller.scrollLeft, scroller.clientWidth);
    scroller.scrollTop = into(this.y.get(index), scroller.scrollTop, scroller.clientHeight);
  }

  focus() {
    this.elements?.get(this.selected ?? 0)?.focus({ preventScroll: true });
  }

  remove() {
    this.observer.disconnect();
  }

  // What people do to the tree

  zoomTo(zoom) {
    this.zoom = Math.min(24, Math.max(1, zoom));
    this.render();
    this.reveal(this.selected ?? 0);
  }

  fit() {
    this.folded = null;
    this.zoomTo(1);
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // plain turning scrolls
    event.preventDefault();
    this.zoomTo(this.zoom * 1.2 ** -Math.sign(event.deltaY));
  }

  nearest(event) {
    const frame = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    let best = null;
    let least = REACH;
    for (const [index, at] of this.x) {
      const distance = Math.hypot(at - x, this.y.get(index) - y);
      if (distance < least) [best, least] = [index, distance];
    }
    return best;
  }

  click(event) {
    const index = this.nearest(event);
    if (index === null) return;
    if (index === this.selected) this.toggle(index);
    else this.act.select(index);
    this.focus();
  }

  toggle(index) {
    if (this.tree.isLeaf(index)) return;
    if (!this.folded.delete(index)) this.folded.add(index);
    this.render();
    this.reveal(index);
  }

  /** Coming with the Tab key selects, so that arrow keys have a place to start from. */
  enter(event) {
    const node = event.target.closest?.("[data-node]");
    const index = node ? Number(node.dataset.node) : null;
    if (index !== null && index !== this.selected && node.matches(":focus-visible")) this.act.select(index);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = this.selected ?? 0;
    const goTo = {
      ArrowUp: () => this.tree.nodes[from].parent,
      ArrowDown: () => this.tree.children[from][0],
      ArrowLeft: () => this.neighbour(from, -1),
      ArrowRight: () => this.neighbour(from, 1),
      Home: () => 0,
      End: () => [...this.elements.keys()].at(-1),
    }[event.key];
    if (goTo) {
      const index = goTo() ?? null;
      if (index !== null) this.act.select(index);
      this.focus();
    } else if (event.key === "Enter" || event.key === " ") this.toggle(from);
    else if (event.key === "+" || event.key === "-") this.zoomTo(this.zoom * (event.key === "+" ? 1.5 : 1 / 1.5));
    else if (event.key === "Escape") this.act.select(null);
    else return;
    event.preventDefault();
  }

  /** The next node of the same depth that is drawn: the sibling, or beyond it a cousin. */
  neighbour(from, way) {
    const { depth } = this.tree.nodes[from];
    const row = [...this.elements.keys()].filter((index) => this.tree.nodes[index].depth === depth);
    return row[row.indexOf(from) + way];
  }
}
