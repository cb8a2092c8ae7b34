// Corrections in the explorer: tools on the photograph, keys for what is selected, undo and redo, and downloads.

const SELECT = "Point, click and walk; or choose a tool. Keys change what is selected: F flips, D drags, S splits, M merges.";
const PENDING = "Arrow keys move the cut, with Shift by ten pixels; Enter keeps it, Escape leaves it.";
const HIDDEN = "Corrected: the strokes and scores of the tree before are hidden; `shapeparse paint` plans the downloaded tree.";
const CARRIED = "Parsed anew; Undo brings your corrections back.";
const KEPT = ["tree", "drawn", "plan", "scores", "merged_paint", "milliseconds"]; // of a parse, for Undo

/** What a change of a tree makes untrue. */
const UNKNOWN = { plan: null, scores: null, merged_paint: null, milliseconds: null };

const snapshot = (parse) => Object.fromEntries(KEPT.map((name) => [name, parse[name]]));

class Editor {
  constructor(explorer) {
    Object.assign(this, { explorer, name: null, turned: false, pending: null, surfaces: [], unsaved: false });
    this.build();
    explorer.addEventListener("keydown", (event) => this.answer(event), true); // before the tree walks
    addEventListener("keydown", (event) => explorer.contains(event.target) || this.answer(event));
    addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
  }

  build() {
    const button = (text, title, key, click, ...parts) => {
      const attributes = { type: "button", title, "aria-keyshortcuts": key, click };
      return make("button", attributes, ...parts, text);
    };
    const choices = [["", "Select", SELECT, null]];
    for (const [name, { title, tells, key }] of Object.entries(CUT_TOOLS)) choices.push([name, title, tells, key]);
    this.buttons = choices.map(([name, title, tells, key]) => {
      const one = button(title, key ? `${tells} (${key.toUpperCase()} for what is selected)` : tells, key, () => this.choose(name || null));
      one.dataset.tool = name;
      return one;
    });
    this.turnButton = button("Turn the cut", "Across the other side (T)", "t", () => this.turn());
    this.undoButton = button("Undo", "Undo (Z)", "z", () => this.step("done", "undone"));
    this.redoButton = button("Redo", "Redo (Y)", "y", () => this.step("undone", "done"));
    const download = (text, title, make) => button(text, title, null, () => this.download(make), icon("download"));
    this.told = make("p", { class: "told", role: "status" });
    const group = (label, ...parts) => make("div", { class: "group", role: "group", "aria-label": label }, ...parts);
    this.element = make(
      "div", { class: "corrections", role: "toolbar", "aria-label": "Corrections" },
      group("Tools", ...this.buttons, this.turnButton), group("History", this.undoButton, this.redoButton),
      group(
        "Corrected", download("Tree", "The tree as JSON, for `shapeparse paint` and `edit`", treeFile),
        download("Mask", "The labels as PNG, white where there is paint", maskFile),
      ),
      this.told,
    );
    this.choose(null);
  }

  /** Take the place of the tools on other views. */
  attach(views) {
    this.cancel();
    this.surfaces = views.map((view) => new Surface(this, view));
    this.showState();
  }

  choose(name) {
    this.cancel();
    this.name = name;
    if (name) this.explorer.service?.keepOuts.choose(null);
    for (const one of this.buttons) one.setAttribute("aria-pressed", String(one.dataset.tool === (name ?? "")));
    this.turnButton.hidden = name !== "split";
    this.explorer.classList.toggle("correcting", name !== null);
    this.showState();
  }

  turn() {
    this.turned = !this.turned;
    for (const surface of this.surfaces) surface.stage.hint("");
    if (this.pending?.tool !== "split") return;
    this.offer({ ...this.pending, axis: this.pending.axis === "x" ? "y" : "x", at: null });
  }

  cancel() {
    this.pending = null;
    for (const surface of this.surfaces) surface.cancel();
  }

  /** The view that undo, redo and downloads are for: that of what is selected or was changed last. */
  get view() {
    const { views, place } = this.explorer;
    return place?.view ?? views.find((view) => view.parse === this.changed) ?? views[0];
  }

  tell(sentence) {
    this.told.textContent = sentence;
  }

  showState(sentence = null) {
    const parse = this.view?.parse;
    this.undoButton.disabled = !parse?.history?.done.length;
    this.redoButton.disabled = !parse?.history?.undone.length;
    const corrected = parse?.history?.done.length && !this.explorer.service && !parse.plan && !parse.scores;
    this.tell(sentence ?? (this.name ? CUT_TOOLS[this.name].tells : corrected ? HIDDEN : SELECT));
  }

  // Changes

  edit(view, edit) {
    const { parse } = view;
    try {
      const tree = editedTree(parse.tree, edit);
      parse.history ??= { done: [], undone: [] };
      parse.history.done.push(snapshot(parse));
      parse.history.undone = [];
      this.put(parse, { ...UNKNOWN, tree, drawn: new ParseTree(tree) });
    } catch (error) {
      this.cancel();
      this.tell(error.message);
    }
  }

  step(from, to) {
    const { parse } = this.view ?? {};
    if (!parse?.history?.[from].length) return;
    parse.history[to].push(snapshot(parse));
    this.put(parse, parse.history[from].pop());
  }

  /** Show a parse that was changed; the service plans it anew. */
  put(parse, content) {
    Object.assign(parse, content);
    this.changed = parse;
    this.unsaved = this.explorer.views.some((view) => view.parse.history?.done.length);
    const { views, exploration } = this.explorer;
    const zooms = views.map((view) => view.treeView.zoom);
    const focused = views.findIndex((view) => view.treeView.element.contains(document.activeElement));
    this.explorer.show(exploration, views.map((view) => view.parse));
    this.explorer.views.forEach((view, place) => {
      view.treeView.zoom = zooms[place];
      view.treeView.render();
      if (place === focused) view.treeView.focus();
    });
    this.explorer.service?.plan();
  }

  /** Let Undo lead back from new parses of the same photograph to the corrected ones before them. */
  carry(image, parses) {
    const { exploration, views } = this.explorer;
    if (exploration?.image.source !== image.source) return;
    for (const parse of parses) {
      const old = views.find((view) => view.parse.model === parse.model)?.parse;
      if (old?.history?.done.length) parse.history = { done: [...old.history.done, snapshot(old)], undone: [] };
    }
    if (parses.some((parse) => parse.history)) this.explorer.status.textContent = CARRIED;
  }

  // Keys

  answer(event) {
    if (event.target.matches?.("input, select, textarea") || event.altKey || !this.view) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = event.ctrlKey || event.metaKey ? this.withControl(key, event.shiftKey) : this.plain(key, event.shiftKey);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  withControl(key, shift) {
    if (key === "z") return () => (shift ? this.step("undone", "done") : this.step("done", "undone"));
    return key === "y" ? () => this.step("undone", "done") : null;
  }

  plain(key, shift) {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
    if (this.pending && way) return () => this.offer({ ...this.pending, at: this.pending.at + way * (shift ? 10 : 1) });
    if (this.pending && (key === "Enter" || key === " ")) return () => this.keep();
    if (key === "Escape" && (this.pending || this.name)) return () => this.choose(null);
    const commands = {
      z: () => this.step("done", "undone"), y: () => this.step("undone", "done"), t: () => this.turn(),
      f: (node) => this.edit(this.view, { tool: "flip", node }),
      m: (node) => this.edit(this.view, { tool: "merge", node: this.splitAbove(node) }),
      d: (node) => this.offerDrag(this.splitAbove(node)),
      s: (node) => this.offer({ tool: "split", node, axis: null, at: null }),
    };
    const command = commands[key];
    if (!command?.length) return command;
    const { place } = this.explorer;
    return () => (place ? command(place.node) : this.tell("Select a rectangle first: click it, or walk to it in the tree."));
  }

  /** A split itself, and the split around a leaf. */
  splitAbove(node) {
    const { tree } = this.view;
    return tree.isLeaf(node) ? (tree.nodes[node].parent ?? node) : node;
  }

  offerDrag(node) {
    const { tree } = this.view;
    if (tree.isLeaf(node)) {
      this.tell("There is no cut yet; S splits the rectangle.");
      return;
    }
    const [x, y] = tree.cutLine(node);
    const axis = tree.nodes[node].rule.at(-1);
    this.offer({ tool: "drag", node, axis, at: axis === "x" ? x : y });
  }

  /** Show a cut that the keys move, before it is one. */
  offer({ tool, node, axis, at }) {
    const { view } = this;
    const box = view.tree.nodes[node];
    if (tool === "split" && !view.tree.isLeaf(node)) {
      this.tell("Only a rectangle is split; this is a split already. D drags its cut.");
      return;
    }
    const across = axis ?? ((box.w >= box.h) ? "x" : "y");
    const middle = across === "x" ? box.x + Math.floor(box.w / 2) : box.y + Math.floor(box.h / 2);
    const cut = lineWithin(box, across, at ?? middle);
    this.pending = { tool, node, axis: across, at: cut.at };
    this.surfaces.find((surface) => surface.view === view).stage.sketch(lineTo(cut.line));
    this.tell(tool === "split" ? `${PENDING} T turns it.` : PENDING);
  }

  keep() {
    const { tool, node, axis, at } = this.pending;
    this.edit(this.view, tool === "split" ? { tool, node, axis, at } : { tool, node, at });
  }

  // Files

  async download(content) {
    if (!this.view) return;
    const { tree } = this.view.parse;
    const [blob, ending] = await content(tree);
    const stem = (tree.image.name || "shapeparse").replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9._-]+/g, "-");
    save(blob, `${stem}-${ending}`);
    this.unsaved = false;
  }
}

/** The tools on the photograph of one view, while one is chosen. */
class Surface {
  constructor(editor, view) {
    Object.assign(this, { editor, view, tree: view.tree, held: null, pressed: false });
    const paths = ["hint under", "hint over", "draft under", "draft over"].map((name) => draw("path", { class: name }));
    const put = (from, path) => paths.slice(from, from + 2).forEach((one) => one.setAttribute("d", path));
    const { svg } = view.picture;
    svg.append(...paths);
    const { width } = this.tree;
    this.stage = {
      hint: (path) => put(0, path), sketch: (path) => put(2, path),
      get perPixel() { return width / Math.max(svg.getBoundingClientRect().width, 1); },
    };
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave", "click"]) {
      view.picture.sheet.addEventListener(name, (event) => this.hear(name, event), true); // before it selects
    }
  }

  get turned() {
    return this.editor.turned;
  }

  edit(edit) {
    this.editor.edit(this.view, edit);
  }

  cancel() {
    Object.assign(this, { held: null, pressed: false });
    this.stage.hint("");
    this.stage.sketch("");
  }

  point({ clientX, clientY }) {
    const frame = this.view.picture.svg.getBoundingClientRect();
    const within = (at, start, shown, size) => Math.min(Math.max(((at - start) / shown) * size, 0), size - 0.01);
    return [
      within(clientX, frame.left, frame.width, this.tree.width), within(clientY, frame.top, frame.height, this.tree.height),
    ];
  }

  hear(name, event) {
    const tool = CUT_TOOLS[this.editor.name];
    if (!tool || event.target.closest(".handle")) return;
    event.stopPropagation();
    const point = this.point(event);
    if (name === "pointerdown" && event.button === 0) {
      if (tool.move) this.view.picture.svg.setPointerCapture(event.pointerId);
      this.pressed = true;
      if (tool.move) tool.press(this, point);
    } else if (name === "pointermove") {
      if (!this.pressed) tool.hover(this, point);
      else tool.move?.(this, point);
    } else if (name === "pointerup" && this.pressed) {
      this.pressed = false;
      if (tool.move) tool.release(this, point);
      else tool.press(this, point);
    } else if (name === "pointercancel" || (name === "pointerleave" && !this.pressed)) this.cancel();
  }
}

/** A tree as the file that everything else reads: one line per node. */
function treeFile({ nodes, ...head }) {
  const lines = nodes.map((node) => `    ${JSON.stringify(node)}`).join(",\n");
  const text = `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "nodes": [\n${lines}\n  ]\n}\n`;
  return [new Blob([text], { type: "application/json" }), "tree.json"];
}

async function maskFile({ image, nodes }) {
  const canvas = make("canvas", { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.fillStyle = "#000";
  context.fillRect(0, 0, image.width, image.height);
  context.fillStyle = "#fff";
  for (const { x, y, w, h, rule } of nodes) if (rule === "paint") context.fillRect(x, y, w, h);
  return [await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), "mask.png"];
}
