// The explorer itself: one photograph, one parse of it or two, and everything that shows them.

const PLAY_SECONDS = 10;
const HINT = "Point at a rectangle or at a node of the tree. A click selects it; then the arrow keys walk the tree.";

class ShapeparseExplorer extends HTMLElement {
  connectedCallback() {
    if (this.stage) return; // moved within the page
    const content = JSON.parse(this.querySelector("script").textContent);
    this.views = [];
    this.explorations = content.explorations ?? [];
    this.place = null; // what is selected: a view and one of its nodes
    this.pointed = null; // the same for what is pointed at
    this.strokesShown = false;
    this.build(content);
    if (content.mode === "service") this.service = new Service(this, content.formats);
    else this.offerExplorations();
  }

  build(content) {
    this.derivation = new Playback({
      words: { name: "Derivation", back: "Undo the last rule", forward: "Apply the next rule" },
      seconds: PLAY_SECONDS, smooth: false,
      change: (step) => this.views.forEach((view) => view.showStep(step)),
      tell: (step) => this.tellStep(step),
    });
    this.painting = new Playback({
      words: { name: "Strokes", back: "Back by a stroke", forward: "On by a stroke" },
      seconds: PLAY_SECONDS, smooth: true,
      change: (moment) => this.showStrokes(moment),
      tell: (moment) => this.tellStroke(moment),
    });
    const turn = () => this.switchStrokes(this.strokesSwitch.checked);
    this.strokesSwitch = make("input", { type: "checkbox", "aria-label": "Show the strokes", change: turn });
    this.painting.element.prepend(make("label", { class: "switch" }, this.strokesSwitch, "Strokes"));
    this.details = make("p", { class: "details" });
    this.status = make("p", { class: "unseen", role: "status" });
    this.numbers = new Numbers();
    this.ways = new Ways();
    this.stage = make("div", { class: "views" });
    this.editor = new Editor(this);
    this.choices = make("div", { class: "choices" });
    this.subject = make("h2", { class: "subject" });
    this.work = make(
      "div", { class: "work empty" },
      this.choices, this.subject, this.stage, this.editor.element, this.details, this.derivation.element, this.painting.element,
      make("h2", { class: "unseen" }, "Figures"), this.numbers.element, this.ways.element, this.status,
    );
    this.body = make("main", {}, this.work);
    const api = content.mode === "service" ? make("a", { href: "docs" }, "API") : null;
    const header = make("header", {}, make("h1", {}, content.title), make("nav", {}, api, themeButton()));
    this.append(header, this.body);
  }

  // What is shown

  /** Show a photograph and one of its parses or two; what was selected stays so as far as it can. */
  show(exploration, parses) {
    const box = this.place && this.place.view.tree.nodes[this.place.node];
    const same = this.exploration?.image.name === exploration.image.name;
    const near = this.exploration?.image.source === exploration.image.source ? this.views[0]?.picture.zoom.place : null;
    this.derivation.stop();
    this.painting.stop();
    this.views.forEach((view) => view.remove());
    this.exploration = exploration;
    this.place = null;
    this.pointed = null;
    parses.forEach((parse) => (parse.drawn ??= new ParseTree(parse.tree)));
    const act = {
      hover: (view, node) => this.hover(view, node), select: (view, node) => this.select(view, node),
      changed: (zoom) => this.views.forEach(({ picture }) => picture.zoom !== zoom && picture.zoom.follow(zoom)),
      pinched: () => this.cancelTools(),
    };
    this.views = parses.map((parse, place) => {
      return new View(parse, exploration.image, parses.length > 1 ? LETTERS[place] : null, act);
    });
    this.work.classList.remove("empty");
    const { name, width, height, note } = exploration.image;
    const facts = [extent(width, height), note].filter(Boolean).join(" · ");
    this.subject.replaceChildren(make("span", {}, name || "Photograph"), make("small", {}, facts));
    this.stage.classList.toggle("pair", parses.length > 1);
    this.stage.replaceChildren(...this.views.map((view) => view.element));
    this.editor.attach(this.views);
    this.service?.keepOuts.attach(this.views);
    if (near) this.views[0].picture.zoom.follow(near);
    this.derivation.load(sequence(Math.max(...this.views.map((view) => view.tree.size))));
    this.plansChanged();
    if (box && same) this.select(this.views[0], this.views[0].tree.mostAlike(box));
    else this.showDetails(null);
  }

  /** Bring strokes and figures up to date with the plans of the views. */
  plansChanged() {
    const layers = this.views.map((view) => view.layer).filter(Boolean);
    this.painting.element.hidden = !layers.length && !this.service; // which is about to send them
    const ends = layers.flatMap((layer) => layer.timeline.spans.map((span) => span.end));
    this.painting.load([0, ...ends].sort((one, other) => one - other));
    this.numbers.show(this.views.map((view) => view.parse), Boolean(this.service));
    this.ways.show(this.views);
  }

  /** A plan for each view, in their order. */
  setPlans(plans) {
    this.views.forEach((view, place) => view.setPlan(plans[place]));
    this.plansChanged();
  }

  /** Whether what is shown is not what was asked for last, because that could not be done. */
  setStale(stale) {
    this.isStale = stale;
    this.work.classList.toggle("stale", stale);
    if (!stale) return;
    this.numbers.clear();
    this.ways.show([]);
  }

  /** What one finger had begun is not meant: it was the first of two. */
  cancelTools() {
    this.editor.cancel();
    this.service?.keepOuts.cancel();
  }

  // Linking

  hover(view, node) {
    if (this.pointed?.view === view && this.pointed.node === node) return;
    this.pointed = { view, node };
    const box = node === null ? null : view.tree.nodes[node];
    for (const one of this.views) one.hover(one === view ? node : box && one.tree.mostAlike(box));
    this.showDetails(node === null ? this.place : { view, node });
  }

  select(view, node) {
    this.place = node === null ? null : { view, node };
    const box = this.place && view.tree.nodes[node];
    for (const one of this.views) one.select(one === view ? node : box && one.tree.mostAlike(box));
    this.showDetails(this.place);
    this.status.textContent = this.place ? this.sentences(this.place).join("; ") : "Nothing is selected";
  }

  showDetails(place) {
    this.details.classList.toggle("hint", !place);
    if (!place) {
      this.details.replaceChildren(HINT);
      return;
    }
    const lines = this.sentences(place).map((sentence) => make("span", {}, sentence));
    this.details.replaceChildren(...lines);
  }

  /** What there is to say of a place: of its node, and in a comparison of the node most alike to it. */
  sentences({ view, node }) {
    if (this.views.length === 1) return [describe(view.tree, node).join(" · ")];
    return this.views.map((one) => {
      const index = one === view ? node : one.tree.mostAlike(view.tree.nodes[node]);
      return `${one.letter}: ${describe(one.tree, index).join(" · ")}`;
    });
  }

  // Replay

  tellStep(step) {
    const [view] = this.views;
    if (!view) return "";
    const last = this.derivation.last;
    if (step === 0) return `0 of ${last}: the whole picture`;
    if (step >= last) return `${last} of ${last}: complete`;
    const rule = this.views.length === 1 ? `: ${ruleWords(view.tree, step - 1)}` : "";
    return `${step} of ${last}${rule}`;
  }

  tellStroke(moment) {
    const told = this.views.filter((view) => view.layer).map(({ layer, letter }) => {
      return `${letter ? `${letter} ` : ""}${layer.timeline.begun(moment)} of ${layer.plan.strokes.length}`;
    });
    const [view] = this.views;
    if (this.views.length === 1 && view.layer) told.push(view.layer.timeline.word(moment));
    return [...told, `${duration(moment)} of ${duration(this.painting.last)}`].join(" · ");
  }

  showStrokes(moment) {
    if (moment < this.painting.last) this.switchStrokes(true);
    this.views.forEach((view) => view.showStrokes(this.strokesShown ? moment : null));
  }

  switchStrokes(shown) {
    if (shown === this.strokesShown) return;
    this.strokesShown = shown;
    this.strokesSwitch.checked = shown;
    if (!shown) this.painting.stop();
    this.painting.set(shown ? this.painting.value : this.painting.last);
  }

  // Choosing, on a page that has everything in it

  offerExplorations() {
    if (!this.explorations.length) return;
    if (this.explorations.length > 1) {
      const entries = this.explorations.map(({ image }) => ({ title: image.name, source: image.source }));
      this.choices.append(gallery("Photograph", entries, (place) => this.explore(place)));
    }
    this.pickers = make("div", { class: "pickers" });
    this.picked = ["0", "1"]; // places of the parses, as far as there are so many
    this.choices.append(this.pickers);
    this.explore(0);
  }

  explore(place) {
    const exploration = this.explorations[place];
    const { parses } = exploration;
    if (parses.length < 2) {
      this.pickers.replaceChildren();
      this.show(exploration, parses);
      return;
    }
    const titles = parses.map((parse, index) => ({ value: index, title: parse.title }));
    const pick = () => {
      this.picked = [first.value, second.value];
      this.show(exploration, [...new Set(this.picked)].filter((value) => value !== "").map((value) => parses[value]));
    };
    const [first, firstLabel] = picker("Parse", titles, pick);
    const [second, secondLabel] = picker("Compare with", [{ value: "", title: "none" }, ...titles], pick);
    const [one, other] = this.picked.map((value) => (value < parses.length ? value : ""));
    first.value = one || "0";
    second.value = other;
    this.pickers.replaceChildren(firstLabel, secondLabel);
    pick();
  }
}

const sequence = (last) => Array.from({ length: last + 1 }, (_, index) => index);

customElements.define("shapeparse-explorer", ShapeparseExplorer);
