// A slider over a course of events, with buttons to play it and to go from one event to the next.

class Playback {
  /**
   * `words` has `name` (of the whole), `back` and `forward`. `change(value)` is called with every new value, and
   * `tell(value)` says it in words. Playing takes about `seconds`; it glides if `smooth`, else it goes by events.
   */
  constructor({ words, seconds, smooth, change, tell }) {
    Object.assign(this, { seconds, smooth, change, tell, events: [0], value: 0, frame: 0, name: words.name });
    this.slider = make("input", {
      type: "range", min: 0, max: 0, step: "any", "aria-label": words.name,
      input: () => this.goTo(Number(this.slider.value)),
      keydown: (event) => this.press(event),
    });
    this.back = iconButton("back", words.back, () => this.jump(-1));
    this.forward = iconButton("forward", words.forward, () => this.jump(1));
    this.button = iconButton("play", "", () => this.toggle());
    this.label = make("span", { class: "told", "aria-hidden": "true" }); // the slider itself says it to a screen reader
    this.element = make(
      "div", { class: "playback", role: "group", "aria-label": words.name },
      make("span", { class: "name", "aria-hidden": "true" }, words.name),
      make("div", { class: "buttons" }, this.back, this.button, this.forward), this.slider, this.label,
    );
    this.showButton();
  }

  /** Begin anew with other events, which are increasing values from 0; the last one is shown. */
  load(events) {
    this.stop();
    this.events = events;
    this.slider.max = this.last;
    this.set(this.last);
  }

  get last() {
    return this.events.at(-1);
  }

  get playing() {
    return this.frame !== 0;
  }

  set(value) {
    this.value = Math.min(this.last, Math.max(0, value));
    const told = this.tell(this.value);
    this.slider.value = this.value;
    this.slider.setAttribute("aria-valuetext", told);
    this.label.textContent = told;
    this.change(this.value);
  }

  /** As `set`, but by hand: playing ends, and the value is that of an event if these are what counts. */
  goTo(value) {
    this.stop();
    this.set(this.smooth ? value : this.events[this.nearest(value)]);
  }

  nearest(value) {
    let best = 0;
    this.events.forEach((event, index) => {
      if (Math.abs(event - value) < Math.abs(this.events[best] - value)) best = index;
    });
    return best;
  }

  /** To the next event, or the one before; events at the same moment count as one. */
  jump(way) {
    const slack = this.last * 1e-6;
    const next = way > 0
      ? this.events.find((event) => event > this.value + slack)
      : this.events.findLast((event) => event < this.value - slack);
    if (next !== undefined) this.goTo(next);
  }

  press(event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (way) this.jump(way);
    else if (event.key === " ") this.toggle();
    else return;
    event.preventDefault();
  }

  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  play() {
    if (this.value >= this.last) this.set(0);
    let before = performance.now();
    let owed = 0; // of the next event, when it goes from event to event
    const glide = this.smooth && !reducedMotion.matches;
    const pace = Math.max(1, this.events.length / this.seconds); // events a second
    const advance = (now) => {
      const passed = Math.min(0.25, (now - before) / 1000);
      before = now;
      this.frame = requestAnimationFrame(advance);
      if (glide) this.set(this.value + (passed * this.last) / this.seconds);
      else {
        owed += passed * pace;
        const place = Math.min(this.events.length - 1, this.nearest(this.value) + Math.floor(owed));
        if (owed >= 1) this.set(this.events[place]);
        owed %= 1;
      }
      if (this.value >= this.last) this.stop();
    };
    this.frame = requestAnimationFrame(advance);
    this.showButton();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.showButton();
  }

  showButton() {
    const label = `${this.playing ? "Pause" : "Play"}: ${this.name.toLowerCase()}`;
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    this.button.replaceChildren(icon(this.playing ? "pause" : "play"));
  }
}
