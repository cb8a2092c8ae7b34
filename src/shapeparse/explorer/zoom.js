// A picture looked at from near: its sheet grows larger than the frame around it, which then scrolls.

const MOST_LARGER = 16;
const LARGER = 1.5; // by a button or a key
const DRAGGED = 4; // pixels of the screen that make a press a drag

class Zoom {
  /** `act` has `changed(zoom)`, and `pinched()`: what one finger had begun is not meant. */
  constructor(sheet, label, act = {}) {
    Object.assign(this, { sheet, act, value: 1, fingers: null });
    this.frame = make("div", {
      class: "stage", tabindex: 0, role: "group",
      "aria-label": `${label}; plus and minus zoom, 0 shows all of it, arrow keys move it`,
      keydown: (event) => this.press(event), scroll: () => act.changed?.(this),
      pointerdown: (event) => this.take(event), pointermove: (event) => this.drag(event),
      pointerup: () => (this.held = null), pointercancel: () => (this.held = null),
    }, sheet);
    this.frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    for (const name of ["touchstart", "touchmove", "touchend", "touchcancel"]) {
      this.frame.addEventListener(name, (event) => this.touch(name, event), { passive: false });
    }
    this.frame.addEventListener("click", (event) => this.dragged && event.stopPropagation(), true);
    this.told = make("output", { class: "told" });
    this.tools = make(
      "div", { class: "tools" }, this.told,
      make(
        "div", { class: "buttons", role: "group", "aria-label": "Size of the photograph" },
        iconButton("minus", "Zoom out", () => this.to(this.value / LARGER)),
        iconButton("plus", "Zoom in", () => this.to(this.value * LARGER)),
        iconButton("fit", "Show all of the photograph", () => this.to(1)),
      ),
    );
    this.to(1);
  }

  /** Zoom to a value, around a place of the screen that stays where it is: the middle of the frame if not given. */
  to(value, around = null) {
    const frame = this.frame.getBoundingClientRect();
    const [x, y] = around ? [around[0] - frame.left, around[1] - frame.top] : [frame.width / 2, frame.height / 2];
    const after = Math.min(MOST_LARGER, Math.max(1, value));
    const grown = after / this.value;
    const [left, top] = [(this.frame.scrollLeft + x) * grown - x, (this.frame.scrollTop + y) * grown - y];
    this.value = after;
    this.sheet.style.width = `${100 * after}%`;
    this.frame.classList.toggle("zoomed", after > 1);
    this.frame.scrollTo({ left, top, behavior: "instant" });
    this.told.textContent = after > 1 ? `${grouped(after, 1)}${NO_BREAK}×` : "";
    this.act.changed?.(this);
  }

  /** Show the same part of the picture as another zoom does. */
  follow(other) {
    if (this.value !== other.value) this.to(other.value);
    const { scrollLeft, scrollTop } = other.frame;
    if (Math.abs(this.frame.scrollLeft - scrollLeft) > 1) this.frame.scrollLeft = scrollLeft;
    if (Math.abs(this.frame.scrollTop - scrollTop) > 1) this.frame.scrollTop = scrollTop;
  }

  /** What `follow` takes to show the same part later. */
  get place() {
    return { value: this.value, frame: { scrollLeft: this.frame.scrollLeft, scrollTop: this.frame.scrollTop } };
  }

  press(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const factor = { "+": LARGER, "=": LARGER, "-": 1 / LARGER, 0: 0 }[event.key];
    if (factor === undefined) return;
    event.preventDefault();
    this.to(factor ? this.value * factor : 1);
  }

  /** With Ctrl, as in the tree, and as a touchpad's pinch comes: without it the page scrolls. */
  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.to(this.value * Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.004)), [event.clientX, event.clientY]);
  }

  take(event) {
    this.dragged = false;
    if (event.pointerType !== "mouse" || event.button > 1 || this.value === 1) return;
    if (event.button === 1) event.preventDefault();
    this.held = [event.clientX, event.clientY];
  }

  drag(event) {
    if (!this.held || !event.buttons) return;
    const [x, y] = [event.clientX - this.held[0], event.clientY - this.held[1]];
    if (!this.dragged && Math.hypot(x, y) < DRAGGED) return;
    this.dragged = true;
    this.frame.scrollBy({ left: -x, top: -y, behavior: "instant" });
    this.held = [event.clientX, event.clientY];
  }

  /** Two fingers zoom and move. */
  touch(name, event) {
    if (event.touches.length !== 2) {
      this.fingers = null;
      return;
    }
    event.preventDefault();
    const [one, other] = event.touches;
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const middle = [(one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2];
    if (this.fingers && name === "touchmove") {
      this.to((this.value * apart) / Math.max(this.fingers.apart, 1), middle);
      const [x, y] = [middle[0] - this.fingers.middle[0], middle[1] - this.fingers.middle[1]];
      this.frame.scrollBy({ left: -x, top: -y, behavior: "instant" });
    } else this.act.pinched?.();
    this.fingers = { apart, middle };
  }
}
