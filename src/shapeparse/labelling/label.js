// The page to label with: the list of photographs, the tools, and the learner beside them.

const POLL = 1000;
const STATES = { new: "new", proposed: "proposed", corrected: "corrected", accepted: "accepted" };
const HELP = "Arrow keys move the cross, Space uses the tool; A accepts, Z takes back, Y brings back, N and K change the photograph.";

class ShapeparseLabel extends HTMLElement {
  connectedCallback() {
    if (this.stage) return;
    const content = JSON.parse(this.querySelector("script").textContent);
    Object.assign(this, {
      name: "rectangle", paint: true, radius: 8, reach: 0.15, turned: false, pressed: false, held: null,
      corners: [], current: null, tree: null, sending: Promise.resolve(),
    });
    this.stage = new Stage({
      press: (point, event) => this.press(point, event), move: (point, event) => this.move(point, event),
      release: (point, event) => this.release(point, event), cancel: () => this.cancel(), leave: () => this.stage.hint(""),
    });
    this.build(content.title);
    addEventListener("keydown", (event) => answerKey(this, event));
    this.choose("rectangle");
    this.poll(true);
  }

  get tool() {
    return TOOLS[this.name];
  }

  // The parts

  build(title) {
    const button = (text, key, click, kind = "") => {
      const attributes = { type: "button", class: `button ${kind}`, title: `${text} (${key.toUpperCase()})`, click };
      return make("button", { ...attributes, "aria-keyshortcuts": key }, text);
    };
    this.toolButtons = Object.entries(TOOLS).map(([name, { title: text, key }]) => {
      const one = button(text, key, () => this.choose(name));
      one.append(make("kbd", { "aria-hidden": "true" }, key.toUpperCase()));
      one.dataset.tool = name;
      return one;
    });
    this.paintButtons = [button("Paint", "x", () => this.setPaint(true), "paint"), button("Skip", "x", () => this.setPaint(false), "skip")];
    this.paintField = make("div", { class: "group paint-or-skip", role: "group", "aria-label": "Label" }, ...this.paintButtons);
    this.size = make("input", { type: "range", min: 0, max: 100, "aria-label": "Size", input: () => this.sizeChanged() });
    this.sizeField = make("label", { class: "size" }, make("span", {}, ""), this.size);
    this.turnButton = button("Turn the cut", "t", () => this.turn());
    this.endButton = button("End the polygon", "Enter", () => this.tool.finish(this));
    this.told = make("p", { class: "told", role: "status" });
    this.undoButton = button("Undo", "z", () => this.undo());
    this.redoButton = button("Redo", "y", () => this.redo());
    this.acceptButton = button("Accept", "a", () => this.accept(), "primary");
    this.fewer = button("Fewer", ",", () => this.moreRectangles(0.8));
    this.more = button("More", ".", () => this.moreRectangles(1.25));
    this.count = make("span", { class: "count" });
    this.alert = make("div", { class: "alert", role: "alert" });
    this.subject = make("h2", { class: "subject" });
    this.list = make("ol", { class: "photographs", "aria-label": "Photographs" });
    this.problems = make("details", { class: "problems", hidden: true });
    this.learnerTold = make("p", { class: "learner-told" });
    this.bar = make("progress", { max: 1, value: 0, "aria-label": "Learning", hidden: true });
    this.learnButton = button("Learn now", "l", () => this.learn());
    this.finishButton = button("Good enough: parse the rest", "e", () => this.finish());
    this.finished = make("div", { class: "finished" });
    const zoom = [
      iconButton("plus", "Zoom in (+)", () => this.stage.zoomBy(1.4)),
      iconButton("minus", "Zoom out (-)", () => this.stage.zoomBy(1 / 1.4)),
      iconButton("fit", "See all of it (0)", () => this.stage.zoomBy(0)),
    ];
    const group = (label, ...parts) => make("div", { class: "group", role: "group", "aria-label": label }, ...parts);
    const work = make(
      "section", { class: "label-work", "aria-label": "Photograph" },
      make("div", { class: "label-head" }, this.subject, group("Photographs", button("Previous", "k", () => this.step(-1)), button("Next", "n", () => this.step(1)))),
      this.alert,
      make("div", { class: "toolbar tools", role: "toolbar", "aria-label": "Tools" }, ...this.toolButtons),
      make("div", { class: "toolbar chosen-tool" }, this.paintField, this.sizeField, this.turnButton, this.endButton, this.told),
      this.stage.element,
      make(
        "div", { class: "toolbar below" },
        this.acceptButton, group("History", this.undoButton, this.redoButton),
        group("Rectangles", this.fewer, this.count, this.more), group("Zoom", ...zoom),
      ),
      make("p", { class: "help", id: "label-help" }, HELP),
    );
    this.place = make("p", { class: "place" });
    const learner = make(
      "section", { class: "learner", "aria-label": "Parser" },
      make("h2", {}, "Parser"), this.learnerTold, this.bar, group("Parser", this.learnButton, this.finishButton), this.finished,
    );
    this.tally = make("small", { class: "tally" });
    const aside = make("aside", {}, learner, make("h2", {}, "Photographs ", this.tally), this.list, this.place, this.problems);
    this.append(
      make("header", {}, make("h1", {}, title), make("nav", {}, themeButton())),
      make("main", { class: "label-main" }, work, aside),
    );
  }

  choose(name) {
    this.cancel();
    this.name = name;
    for (const one of this.toolButtons) one.setAttribute("aria-pressed", String(one.dataset.tool === name));
    this.paintField.hidden = !this.tool.labels;
    this.turnButton.hidden = name !== "split";
    this.endButton.hidden = !this.tool.finish;
    this.sizeField.hidden = !this.tool.sized;
    this.sizeField.firstChild.textContent = name === "grow" ? "Reach" : "Size";
    this.size.value = name === "grow" ? this.reach * 200 : Math.sqrt(this.radius / this.largest) * 100;
    this.told.textContent = this.tool.tells;
    this.stage.svg.dataset.tool = name;
    this.setPaint(this.paint);
  }

  setPaint(paint) {
    this.paint = paint;
    this.paintButtons.forEach((one, place) => one.setAttribute("aria-pressed", String(paint === !place)));
    this.stage.svg.classList.toggle("skips", !paint);
  }

  get largest() {
    return Math.max(4, Math.min(this.stage.width ?? 100, this.stage.height ?? 100) / 4);
  }

  sizeChanged() {
    if (this.name === "grow") this.reach = this.size.value / 200;
    else this.radius = Math.max(0.5, Math.round(2 * this.largest * (this.size.value / 100) ** 2) / 2);
  }

  resize(factor) {
    if (!this.tool.sized) return;
    if (this.name === "grow") this.reach = Math.min(Math.max(this.reach * factor, 0.01), 0.5);
    else this.radius = Math.min(Math.max(this.radius * factor, 0.5), this.largest);
    this.size.value = this.name === "grow" ? this.reach * 200 : Math.sqrt(this.radius / this.largest) * 100;
  }

  turn() {
    this.turned = !this.turned;
    this.stage.hint("");
  }

  // The pointer, or the cross of the keyboard

  press(point, event) {
    if (!this.tree || this.sendingNow) return;
    if (this.tool.pans) {
      this.stage.panning = true;
      return;
    }
    this.pressed = true;
    this.held = null;
    this.tool.press?.(this, point, event);
  }

  move(point) {
    if (!this.tree) return;
    if (this.pressed && this.tool.move) this.tool.move(this, point);
    else if (!this.pressed) this.tool.hover?.(this, point);
  }

  release(point) {
    if (!this.pressed) return;
    this.pressed = false;
    this.tool.release?.(this, point);
    if (!this.tool.stays) this.stage.sketch("");
  }

  cancel() {
    Object.assign(this, { pressed: false, held: null });
    this.setCorners([]);
    this.stage.sketch("");
    this.stage.hint("");
  }

  setCorners(corners) {
    this.corners = corners;
    this.endButton.disabled = corners.length < 3;
  }

  // Asking the service

  async attempt(act) {
    try {
      const answer = await act();
      this.alert.replaceChildren();
      return answer;
    } catch (error) {
      const close = iconButton("close", "Dismiss", () => this.alert.replaceChildren());
      this.alert.replaceChildren(make("p", {}, error.message), close);
      return undefined;
    }
  }

  async open(number) {
    const status = await this.attempt(async () => (await ask(`api/photographs/${number}`)).json());
    if (!status) return;
    this.cancel();
    const { width, height } = status.tree.image;
    this.current = number;
    this.stage.open(number, width, height);
    this.radius = Math.max(2, Math.round(Math.min(width, height) / 40));
    this.show(status);
    this.choose(this.name);
    this.markCurrent();
  }

  show(status) {
    if (status.number !== this.current) return;
    this.status = status;
    this.tree = new ParseTree(status.tree);
    this.stage.show(this.tree, status.step);
    this.stage.hint("");
    const { width, height } = status.tree.image;
    this.subject.replaceChildren(
      make("span", {}, status.name), make("small", {}, `${extent(width, height)} · ${STATES[status.state]}`),
    );
    this.undoButton.disabled = !status.undo;
    this.redoButton.disabled = !status.redo;
    this.acceptButton.textContent = status.state === "accepted" ? "Accepted" : "Accept";
    this.acceptButton.setAttribute("aria-pressed", String(status.state === "accepted"));
    this.count.textContent = plural(this.tree.leaves, "rectangle");
  }

  /** Ask for a change of the labels that are seen; the answer is what has become of them. */
  send(action, content = {}) {
    const number = this.current;
    this.setSending(true);
    return this.attempt(async () => {
      try {
        const step = this.status.step;
        const response = await askJson(`api/photographs/${number}/${action}`, { step, ...content });
        const status = await response.json();
        this.show(status);
        this.poll();
        return status;
      } catch (error) {
        const now = await ask(`api/photographs/${number}`); // another tab may have changed them
        this.show(await now.json());
        throw error;
      } finally {
        this.setSending(false);
      }
    });
  }

  setSending(now) {
    this.sendingNow = now;
    this.stage.svg.classList.toggle("busy", now);
  }

  edit(edit) {
    return this.send("edit", { edit });
  }

  undo() {
    if (this.status?.undo) this.send("undo");
  }

  redo() {
    if (this.status?.redo) this.send("redo");
  }

  /** Accept, and go on with the photograph where a correction teaches most; once more takes it back. */
  async accept() {
    if (!this.status || this.sendingNow) return;
    if (this.status.state === "accepted") {
      await this.send("withdraw");
    } else if (await this.send("accept")) {
      await this.poll();
      const [next] = this.sitting.next;
      if (next !== undefined) await this.open(next);
    }
  }

  moreRectangles(factor) {
    if (!this.tree) return;
    const now = this.status.rectangles ?? this.tree.leaves;
    const wanted = factor > 1 ? Math.max(now + 1, Math.round(now * factor)) : Math.min(now - 1, Math.round(now * factor));
    if (wanted >= 1) this.edit({ tool: "rectangles", count: wanted });
  }

  step(by) {
    const count = this.sitting?.photographs.length;
    if (count) this.open((this.current + by + count) % count);
  }

  async learn() {
    await this.attempt(() => askJson("api/learner/learn", {}));
    this.poll();
  }

  async finish() {
    const answer = await this.attempt(async () => (await askJson("api/learner/finish", {})).json());
    if (!answer) return;
    const line = (text) => make("code", {}, text);
    this.finished.replaceChildren(
      make("p", {}, `The parser is ready, and ${plural(answer.count, "tree")} with it:`),
      line(`shapeparse parse NEW-PHOTOS --model ${answer.run}`), line(`shapeparse paint ${answer.trees}`),
      line(`shapeparse serve --model ${answer.run}`),
    );
  }

  // The list and the learner

  async poll(again = false) {
    try {
      const sitting = await (await ask("api/sitting")).json();
      this.sitting = sitting;
      this.showSitting(sitting);
      const mine = sitting.photographs[this.current];
      if (this.current === null) await this.open(sitting.next[0] ?? 0);
      else if (mine.step !== this.status.step && !this.sendingNow && !this.pressed) await this.refresh();
    } catch (error) {
      this.learnerTold.textContent = error.message;
    }
    if (again) setTimeout(() => this.poll(true), POLL);
  }

  async refresh() {
    const number = this.current;
    const status = await (await ask(`api/photographs/${number}`)).json();
    if (number === this.current && !this.sendingNow && status.step > this.status.step) this.show(status);
  }

  showSitting({ photographs, problems, learner, next, folder }) {
    this.classList.toggle("single", photographs.length === 1); // there is nothing to learn from, and nowhere to go
    this.place.textContent = `Masks and trees are in ${folder} after every change.`;
    if (this.list.children.length !== photographs.length) this.list.replaceChildren(...photographs.map((one, number) => this.entry(one, number)));
    photographs.forEach(({ state }, number) => {
      const entry = this.list.children[number];
      entry.dataset.state = state;
      entry.querySelector(".state").textContent = number === next[0] ? `${STATES[state]} · next` : STATES[state];
    });
    this.problems.hidden = !problems.length;
    if (problems.length && !this.problems.children.length) {
      const reasons = problems.map(({ reason }) => make("li", {}, reason));
      this.problems.append(make("summary", {}, `${plural(problems.length, "file")} left out`), make("ul", {}, ...reasons));
    }
    const accepted = photographs.filter(({ state }) => state === "accepted").length;
    this.tally.textContent = `${accepted} of ${photographs.length} accepted`;
    this.showLearner(learner, accepted);
    this.markCurrent();
  }

  entry({ name }, number) {
    const image = make("img", { src: `api/photographs/${number}/thumbnail`, alt: "", loading: "lazy" });
    const words = make("span", { class: "words" }, make("span", { class: "name" }, name), make("small", { class: "state" }));
    return make("li", {}, make("button", { type: "button", click: () => this.open(number) }, image, words));
  }

  markCurrent() {
    [...this.list.children].forEach((entry, number) => {
      if (number === this.current) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    });
  }

  showLearner(learner, accepted) {
    const missing = learner.learned + learner.every - accepted;
    const phases = { starting: "It starts", learning: "It learns", proposing: "It proposes labels", done: "It is done" };
    const told = [];
    if (learner.busy) told.push(`${phases[learner.phase]} (${percent(learner.progress, 0)}).`);
    else if (missing > 0) told.push(`It learns when ${plural(missing, "more photograph")} ${missing === 1 ? "is" : "are"} accepted.`);
    if (learner.ready > 0) told.push(`It has learned from ${plural(learner.learned, "photograph")}.`);
    if (learner.agreement) {
      const { mean, error, count } = learner.agreement;
      told.push(`Expect ${percent(mean)} ± ${percent(2 * error)} of the pixels right, by its last ${count} proposals.`);
    }
    if (learner.problem) told.push(learner.problem);
    this.learnerTold.textContent = told.join(" ");
    this.bar.hidden = !learner.busy;
    this.bar.value = learner.progress;
    this.learnButton.disabled = learner.busy || accepted < 2 || accepted === learner.learned;
    this.finishButton.disabled = learner.ready < 0;
  }
}

customElements.define("shapeparse-label", ShapeparseLabel);
