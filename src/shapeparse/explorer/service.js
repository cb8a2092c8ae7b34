// What a page of the service has beside the explorer: photographs from outside, settings, downloads.

const PRICES = [0, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]; // shares of the picture
const GOALS = {
  rectangles: "Most rectangles",
  price: "Price of a rectangle",
  accuracy: "Least accuracy",
}; // what a tree can be asked for
const NO_LIMIT = 11; // of the slider for depths, one beyond the deepest
const NO_MODEL = "There is no trained parser here (serve --model RUN), and oracles need a mask; add this photograph's.";
const NOT_KNOWN = "not with this parser";
const PAUSE = 250; // milliseconds a slider must rest before the service is asked

class Service {
  constructor(explorer, formats) {
    Object.assign(this, { explorer, formats, models: [], samples: [], busy: new Set() });
    this.source = null; // what is shown: a sample or a file, and perhaps a mask
    this.wanted = null; // what was asked for last
    this.before = null; // and before that
    this.parsing = new Latest();
    this.planning = new Latest();
    this.parseSoon = debounced(() => this.parse(), PAUSE);
    this.planSoon = debounced(() => this.plan(), PAUSE);
    this.bench = new Bench(this.planSoon);
    this.keepOuts = new KeepOuts(explorer, this.planSoon);
    this.corners = new CornersPanel({ use: (plane) => this.take({ ...this.wanted, plane }), close: () => this.closeCorners() });
    this.build();
    this.start();
  }

  build() {
    this.sampleList = make("div", {});
    this.chosen = make("p", { class: "chosen" });
    this.maskLine = make("p", { class: "chosen" });
    const choose = fileButton("Choose a photograph…", (file) => this.take({ file, mask: null }));
    this.maskButton = fileButton("Add its mask…", (mask) => this.take({ ...this.wanted, mask }));
    [this.model, this.modelField] = picker("Parser", [], () => this.parse());
    [this.other, this.otherField] = picker("Compare with", [], () => this.parse());
    const goals = Object.entries(GOALS).map(([value, title]) => ({ value, title }));
    [this.goal, this.goalField] = picker("Asked for", goals, () => {
      this.ownGoal = true;
      this.parse();
    });
    this.buildSliders();
    this.alert = make("div", { class: "alert", role: "alert" });
    this.progress = make("p", { class: "progress", role: "status" });
    const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);
    const controls = make(
      "details", { class: "controls" }, make("summary", {}, "Photograph and settings"),
      section("Photograph", this.sampleList, choose, this.chosen, this.maskButton, this.maskLine),
      section("Tree", this.modelField, this.otherField, this.goalField, ...this.goalSliders(), this.depth.element),
      section("Painting", ...this.bench.fields),
      section("Download", this.downloads()),
    );
    this.explorer.body.prepend(controls);
    this.cornersButton = make("button", { type: "button", click: () => this.openCorners() }, "Corners…");
    this.explorer.editor.element.after(
      make(
        "div", { class: "corrections", role: "toolbar", "aria-label": "Keep-outs and corners" },
        this.keepOuts.element, make("div", { class: "group" }, this.cornersButton), this.keepOuts.told,
      ),
      this.corners.element,
    );
    this.explorer.work.prepend(this.alert, this.progress);
    this.unfold(controls);
    this.acceptDrops();
  }

  buildSliders() {
    this.depth = slider("Depth", {
      min: 0, max: NO_LIMIT, step: 1, value: 7, write: (value) => this.depthWords(value),
      change: () => {
        this.ownDepth = true;
        this.parseSoon();
      },
    });
    this.price = slider("Price of a rectangle", {
      min: 0, max: PRICES.length - 1, step: 1, value: 0, change: this.parseSoon, write: () => this.priceWords(),
    });
    this.rectangles = slider("Rectangles", {
      min: 1, max: 60, step: 1, value: 20, change: this.parseSoon, write: (value) => `at most ${value}`,
    });
    this.accuracy = slider("Accuracy", {
      min: 0.8, max: 1, step: 0.005, value: 0.95, change: this.parseSoon, write: (share) => percent(share),
    });
  }

  goalSliders() {
    return Object.keys(GOALS).map((goal) => this[goal].element);
  }

  priceWords() {
    if (this.price?.input.disabled) return NOT_KNOWN;
    const price = PRICES[this.price?.value ?? 0];
    return price ? `${+(100 * price).toFixed(2)}${NO_BREAK}% of the picture` : "the parser's own";
  }

  depthWords(depth) {
    if (this.depth?.input.disabled) return NOT_KNOWN;
    return depth === NO_LIMIT ? "no limit" : `${depth}`;
  }

  /** The controls are folded away on a narrow screen, and always there on a wide one. */
  unfold(controls) {
    const wide = matchMedia("(min-width: 60rem)");
    const adapt = () => (controls.open = wide.matches);
    wide.addEventListener("change", adapt);
    adapt();
  }

  downloads() {
    [this.downloadOf, this.downloadField] = picker("Of", LETTERS.map((title, value) => ({ value, title })), () => {});
    this.downloadField.hidden = true;
    this.buttons = this.formats.map(({ name, description }) => {
      const attributes = { type: "button", class: "button", title: description, disabled: true };
      return make("button", { ...attributes, click: () => this.download(name) }, icon("download"), name);
    });
    return make("div", { class: "downloads" }, this.downloadField, ...this.buttons);
  }

  acceptDrops() {
    const { explorer } = this;
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      explorer.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => event.relatedTarget === null && explorer.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      explorer.classList.remove("dropping");
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      const isMask = this.wanted && this.maskButton.contains(event.target);
      this.take(isMask ? { ...this.wanted, mask: file } : { file, mask: null });
    });
  }

  /** Ask what there is, and show the first sample, so that there is something to play with. */
  async start() {
    await this.during("Loading", async () => {
      const [models, samples] = await Promise.all(["api/models", "api/samples"].map((path) => ask(path)));
      this.models = await models.json();
      this.samples = await samples.json();
      const entries = this.samples.map(({ name, title }) => ({ title, source: sampleImage(name) }));
      this.sampleList.replaceChildren(
        gallery("Samples", entries, (place) => this.take({ sample: this.samples[place], mask: null })),
      );
      if (this.samples.length) this.take({ sample: this.samples[0], mask: null });
      else this.showSource();
    });
  }

  // What is to be parsed

  /** Ask for a sample or a file, and perhaps a mask; it is shown once the service has accepted it. */
  take(source) {
    this.before = this.wanted;
    this.wanted = source;
    this.parse();
  }

  showSource() {
    const { wanted } = this;
    this.sampleList.querySelectorAll("input").forEach((radio, place) => {
      radio.checked = this.samples[place] === wanted?.sample;
    });
    this.chosen.textContent = wanted?.file ? wanted.file.name : "or drop one anywhere on the page";
    const hasMask = Boolean(wanted?.sample || wanted?.mask);
    this.maskButton.hidden = !wanted?.file;
    const removal = iconButton("close", "Remove the mask", () => this.take({ ...this.wanted, mask: null }));
    this.maskLine.replaceChildren(...(wanted?.mask ? [wanted.mask.name, removal] : []));
    this.offerModels(hasMask);
  }

  /** List the models that can be asked; those that need a mask are there, but cannot be chosen without one. */
  offerModels(hasMask) {
    const option = ({ name, title, needs_mask: needsMask }) => {
      const off = needsMask && !hasMask;
      return make("option", { value: name, disabled: off }, off ? `${title} (needs a mask)` : title);
    };
    const [first, second] = [this.model.value, this.other.value];
    this.model.replaceChildren(...this.models.map(option));
    this.other.replaceChildren(make("option", { value: "" }, "none"), ...this.models.map(option));
    const usable = (name) => this.models.some((model) => model.name === name && (hasMask || !model.needs_mask));
    const fallback = this.models.find((model) => usable(model.name));
    this.model.value = usable(first) ? first : (fallback?.name ?? "");
    this.other.value = usable(second) ? second : "";
    this.suitModels();
  }

  /** The depth and goal of the first model, until somebody chooses one; and only what all that are asked know. */
  suitModels() {
    const asked = this.models.filter((model) => [this.model.value, this.other.value].includes(model.name));
    const first = asked.find((model) => model.name === this.model.value);
    const knows = (setting) => asked.every((model) => model.facts.settings?.includes(setting));
    const known = Object.keys(GOALS).filter(knows);
    for (const option of this.goal.options) option.disabled = !known.includes(option.value);
    if (!this.ownGoal || !known.includes(this.goal.value)) this.goal.value = known[0] ?? "price";
    for (const goal of Object.keys(GOALS)) this[goal].element.hidden = goal !== this.goal.value;
    this.price.input.disabled = !known.includes("price");
    this.price.tell();
    this.depth.input.max = first?.facts.depth ? NO_LIMIT - 1 : NO_LIMIT;
    if (!this.ownDepth) this.depth.input.value = first?.facts.depth ?? NO_LIMIT;
    this.depth.input.disabled = !knows("depth");
    this.depth.tell();
  }

  /** What the tree is asked for, as fields of a form. */
  wishes() {
    const wishes = {};
    if (!this.depth.input.disabled && this.depth.value < NO_LIMIT) wishes.depth = this.depth.value;
    const goal = this.goal.value;
    if (goal !== "price") wishes[goal] = this[goal].value;
    else if (!this.price.input.disabled) wishes.price = PRICES[this.price.value];
    return wishes;
  }

  // Asking the service

  /** Do something that takes time: the page says so meanwhile, and says what went wrong. */
  async during(name, act) {
    const work = { name };
    const tell = () => {
      this.progress.textContent = this.busy.size ? `${[...this.busy].at(-1).name}…` : "";
      this.explorer.work.setAttribute("aria-busy", String(this.busy.size > 0));
    };
    this.busy.add(work);
    tell();
    try {
      return await act();
    } catch (error) {
      this.complain(error.message);
      return undefined;
    } finally {
      this.busy.delete(work);
      tell();
    }
  }

  complain(sentence, ofPlan = false) {
    this.complainedOfPlan = ofPlan;
    const close = iconButton("close", "Dismiss", () => this.alert.replaceChildren());
    this.alert.replaceChildren(make("p", {}, sentence), close);
  }

  async parse() {
    const source = this.wanted;
    if (!source) return;
    this.showSource();
    if (!this.model.value) {
      this.complain(NO_MODEL);
      this.setStale(true);
      return;
    }
    const form = this.form(source);
    const answer = await this.during("Parsing", async () => {
      try {
        return await this.parsing.run(async (signal) => {
          return (await ask("api/parse", { method: "POST", body: form, signal })).json();
        });
      } catch (error) {
        this.refuse(source, error.message);
        return undefined;
      }
    });
    if (answer) this.accept(source, answer);
  }

  form(source) {
    const form = new FormData();
    if (source.sample) form.append("sample", source.sample.name);
    else form.append("image", source.file, source.file.name);
    if (source.mask) form.append("mask", source.mask, source.mask.name);
    for (const name of new Set([this.model.value, this.other.value])) if (name) form.append("model", name);
    for (const [name, value] of Object.entries(this.wishes())) form.append(name, value);
    if (source.plane) form.append("plane", JSON.stringify(source.plane));
    return form;
  }

  /** Go back to what was there before a photograph or a mask that cannot be used; settings stay as they were chosen. */
  refuse(source, sentence) {
    this.complain(sentence);
    if (source !== this.wanted) return;
    if (source === this.source || !this.before) {
      this.setStale(true);
      return;
    }
    this.wanted = this.before;
    this.showSource();
  }

  /** What is shown is not what was asked for, so there is nothing to download either. */
  setStale(stale) {
    this.explorer.setStale(stale);
    this.buttons.forEach((button) => (button.disabled = stale));
  }

  accept(source, answer) {
    this.alert.replaceChildren();
    if (this.source?.file !== source.file && this.address) {
      URL.revokeObjectURL(this.address);
      this.address = null;
    }
    if (source.file) this.address ??= URL.createObjectURL(source.file);
    const taken = source.file ? this.address : sampleImage(source.sample.name);
    const image = { ...answer.image, source: answer.plane?.source ?? taken, note: planeWords(source, answer.plane) };
    this.photograph = { ...(answer.plane?.photograph ?? answer.image), source: taken };
    if (this.explorer.exploration?.image.source !== image.source) this.keepOuts.set([], false);
    this.source = source;
    this.closeCorners();
    this.bench.fit(image, answer.plane ?? null);
    this.explorer.editor.carry(image, answer.parses);
    this.explorer.show({ image }, answer.parses);
    this.downloadField.hidden = answer.parses.length < 2;
    if (answer.parses.length < 2) this.downloadOf.value = "0";
    this.setStale(false);
    this.plan();
  }

  openCorners() {
    if (!this.photograph) return;
    this.explorer.classList.add("placing-corners");
    this.corners.open(this.photograph, this.source.plane);
  }

  closeCorners() {
    this.corners.close();
    this.explorer.classList.remove("placing-corners");
  }

  settings() {
    const { shapes } = this.keepOuts;
    const { plane } = this.source;
    return { ...this.bench.settings(), ...(shapes.length && { keep_out: shapes }), ...(plane && { plane }) };
  }

  async plan() {
    const { views, isStale } = this.explorer;
    if (isStale) return;
    const settings = this.settings();
    const truth = { sample: this.source.sample?.name, mask: this.source.mask };
    const plans = await this.during("Planning the strokes", async () => {
      try {
        return await this.planning.run((signal) => {
          return Promise.all(views.map(({ parse }) => askPlan({ tree: parse.tree, ...settings }, truth, signal)));
        });
      } catch (error) {
        this.complain(error.message, true);
        return []; // strokes of another brush than the one that is set would be taken for its own
      }
    });
    if (!plans || views !== this.explorer.views) return;
    if (plans.length && this.complainedOfPlan) this.alert.replaceChildren(); // not what else was said meanwhile
    this.explorer.setPlans(plans);
  }

  async download(format) {
    const view = this.explorer.views[Number(this.downloadOf.value)];
    if (!view) return;
    await this.during("Writing the file", async () => {
      const response = await askJson("api/export", { tree: view.parse.tree, format, ...this.settings() });
      const { suffix } = this.formats.find((one) => one.name === format);
      const given = /filename="([^"/\\]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
      save(await response.blob(), given ? given[1] : `shapeparse${suffix}`);
    });
  }
}

/** What is known of a plane, for people. */
function planeWords({ plane }, found) {
  if (!found) return null;
  const size = `${grouped(plane.width, 1)}${NO_BREAK}×${NO_BREAK}${grouped(plane.height, 1)}${NO_BREAK}mm`;
  return `${size} · a corner off by one pixel moves the plan by ${measured(found.sensitivity, "mm")}`;
}

const sampleImage = (name) => `api/samples/${encodeURIComponent(name)}/image`;
