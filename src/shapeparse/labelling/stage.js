// The photograph, large, with its mask and its cuts; it zooms and pans, and says where the pointer is in pixels.

const MOST_ZOOM = 40;

class Stage {
  /** `act` has `press`, `move` and `release`, each with a point of the picture, and `leave`. */
  constructor(act) {
    this.act = act;
    this.pointers = new Map();
    const path = (name) => draw("path", { class: name });
    this.photo = draw("image", { class: "photo", preserveAspectRatio: "none" });
    this.mask = draw("image", { class: "mask", preserveAspectRatio: "none" });
    this.borders = [path("borders under"), path("borders over")];
    this.mark = [path("hint under"), path("hint over")];
    this.draft = [path("draft under"), path("draft over")];
    this.cursor = path("cursor none");
    this.svg = draw(
      "svg",
      {
        role: "application", tabindex: 0, "aria-label": "The photograph", "aria-describedby": "label-help",
        pointerdown: (event) => this.down(event), pointermove: (event) => this.moved(event),
        pointerup: (event) => this.up(event), pointercancel: (event) => this.up(event),
        pointerleave: () => this.pointers.size || act.leave(),
        contextmenu: (event) => event.preventDefault(),
      },
      this.photo, this.mask, ...this.borders, ...this.mark, ...this.draft, this.cursor,
    );
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.element = make("div", { class: "label-stage" }, this.svg);
    new ResizeObserver(() => this.look()).observe(this.element);
  }

  /** Begin with another photograph. */
  open(number, width, height) {
    Object.assign(this, { number, width, height, zoom: 1, centre: [width / 2, height / 2], place: null });
    for (const image of [this.photo, this.mask]) {
      image.setAttribute("width", width);
      image.setAttribute("height", height);
    }
    this.photo.setAttribute("href", `api/photographs/${number}/image`);
    this.svg.classList.toggle("pixels", Math.max(width, height) < 96);
    this.showCursor(null);
    this.look();
  }

  /** Show labels: the mask comes from the service, the cuts from the tree. */
  show(tree, step) {
    this.mask.setAttribute("href", `api/photographs/${this.number}/mask?step=${step}`);
    const cuts = tree.nodes.map((_, index) => (tree.isLeaf(index) ? "" : lineTo(tree.cutLine(index)))).join("");
    for (const border of this.borders) border.setAttribute("d", cuts);
  }

  hint(path) {
    for (const one of this.mark) one.setAttribute("d", path);
  }

  sketch(path, thickness = null) {
    for (const one of this.draft) {
      one.setAttribute("d", path);
      one.classList.toggle("thick", thickness !== null);
      one.style.strokeWidth = thickness === null ? "" : `${thickness}`;
    }
  }

  showCursor(point) {
    this.place = point;
    this.cursor.classList.toggle("none", point === null);
    if (!point) return;
    const [x, y] = point;
    const arm = 12 * this.perPixel;
    this.cursor.setAttribute("d", `M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}`);
  }

  // Zoom and pan

  /** Pixels of the picture per pixel of the screen. */
  get perPixel() {
    const frame = this.svg.getBoundingClientRect();
    const fitted = Math.max(this.width / Math.max(frame.width, 1), this.height / Math.max(frame.height, 1));
    return fitted / this.zoom;
  }

  look() {
    if (!this.width) return;
    const frame = this.svg.getBoundingClientRect();
    const [w, h] = [frame.width * this.perPixel, frame.height * this.perPixel];
    const within = (value, extent, seen) => {
      return seen >= extent ? extent / 2 : Math.min(Math.max(value, seen / 2), extent - seen / 2);
    };
    this.centre = [within(this.centre[0], this.width, w), within(this.centre[1], this.height, h)];
    this.svg.setAttribute("viewBox", `${this.centre[0] - w / 2} ${this.centre[1] - h / 2} ${w} ${h}`);
    if (this.place) this.showCursor(this.place);
  }

  /** Zoom by a factor around a point of the picture, which stays where it is on the screen. */
  zoomBy(factor, around = this.centre) {
    const zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    const share = this.zoom / zoom;
    this.centre = this.centre.map((value, axis) => around[axis] + (value - around[axis]) * share);
    this.zoom = zoom;
    this.look();
  }

  panBy(x, y) {
    this.centre = [this.centre[0] - x * this.perPixel, this.centre[1] - y * this.perPixel];
    this.look();
  }

  wheel(event) {
    event.preventDefault();
    this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), this.point(event));
  }

  point(event) {
    const frame = this.svg.getBoundingClientRect();
    const across = (event.clientX - frame.left - frame.width / 2) * this.perPixel;
    const down = (event.clientY - frame.top - frame.height / 2) * this.perPixel;
    return [this.centre[0] + across, this.centre[1] + down];
  }

  // Pointers: one uses the tool; two, the middle button and the space bar move the picture

  down(event) {
    if (event.button === 2) return;
    this.svg.focus({ preventScroll: true });
    this.svg.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    this.panning = event.button === 1 || this.panning || this.pointers.size > 1;
    if (this.pointers.size > 1) this.act.cancel();
    else if (!this.panning) this.act.press(this.point(event), event);
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before || !this.panning) {
      this.act.move(this.point(event), event);
      return;
    }
    const others = [...this.pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    const share = 1 / this.pointers.size;
    this.panBy((event.clientX - before.clientX) * share, (event.clientY - before.clientY) * share);
    if (others.length) {
      const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      this.zoomBy(apart(event) / Math.max(apart(before), 1), this.point(event));
    }
    this.pointers.set(event.pointerId, event);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (!this.panning) this.act.release(this.point(event), event);
    if (!this.pointers.size) this.panning = false;
  }
}
