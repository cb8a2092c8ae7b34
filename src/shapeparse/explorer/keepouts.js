// Keep-outs: polygons on the photograph that the brush does not touch.

const KEEP_OUT_TOOLS = {
  rectangle: { title: "Rectangle", tells: "Drag a rectangle over what the brush must not touch." },
  polygon: { title: "Polygon", tells: "Click its corners; a click on the first one, or Enter, closes it." },
};
const KEEP_OUT_HELP = "Drag a keep-out's corners, or move them with the arrow keys; Delete removes it. K keeps out of what is selected.";
const LEAST_EXTENT = 2; // pixels of the picture; what is smaller was a click
const CLOSE = 12; // pixels of the screen to the first corner that close a polygon

class KeepOuts {
  /** `changed()` is called once the polygons are others. */
  constructor(explorer, changed) {
    Object.assign(this, { explorer, changed, shapes: [], draft: [], tool: null, surfaces: [] });
    const button = (title, tells, click) => make("button", { type: "button", title: tells, click }, title);
    this.buttons = Object.entries(KEEP_OUT_TOOLS).map(([name, { title, tells }]) => {
      const one = button(title, tells, () => this.choose(this.tool === name ? null : name));
      one.dataset.keepOut = name;
      return one;
    });
    const around = button("Around the selection", "A rectangle around what is selected (K)", () => this.surround());
    around.setAttribute("aria-keyshortcuts", "k");
    this.clearButton = button("Clear", "Remove all keep-outs", () => this.set([]));
    this.told = make("p", { class: "told", role: "status" });
    this.element = make(
      "div", { class: "group", role: "group", "aria-label": "Keep out" },
      make("span", { class: "name" }, "Keep out"), ...this.buttons, around, this.clearButton,
    );
    addEventListener("keydown", (event) => this.press(event));
    this.choose(null);
  }

  choose(tool) {
    this.tool = tool;
    this.draft = [];
    if (tool) this.explorer.editor?.choose(null);
    for (const one of this.buttons) one.setAttribute("aria-pressed", String(one.dataset.keepOut === tool));
    this.explorer.classList.toggle("keeping-out", tool !== null);
    this.show();
  }

  /** Begin on other views; the polygons stay if their picture is the same. */
  attach(views) {
    this.surfaces = views.map(({ picture, tree }) => {
      const paths = ["keep-out under", "keep-out over", "draft under", "draft over"].map((name) => draw("path", { class: name }));
      picture.svg.append(...paths);
      const surface = { picture, size: tree, paths, handles: make("div", { class: "handles" }) };
      picture.sheet.append(surface.handles);
      for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "click"]) {
        picture.sheet.addEventListener(name, (event) => this.hear(name, event, surface), true); // before it selects
      }
      return surface;
    });
    this.show();
  }

  set(shapes, tell = true) {
    this.shapes = shapes;
    this.draft = [];
    this.show();
    if (tell) this.changed();
  }

  outline() {
    const whole = this.shapes.map(ringPath).join("");
    const sketch = this.draft.length ? `M${[this.draft[0], ...this.draft].map((point) => point.join(" ")).join("L")}` : "";
    for (const { paths } of this.surfaces) {
      paths.forEach((path, place) => path.setAttribute("d", place < 2 ? whole : sketch));
    }
  }

  show() {
    this.outline();
    for (const { handles, size, picture } of this.surfaces) {
      handles.replaceChildren(...this.shapes.flatMap((shape, index) => shape.map((point, corner) => {
        return makeHandle(picture.sheet, size, point, `Keep-out ${index + 1}, corner ${corner + 1}`, {
          move: (moved) => {
            shape[corner] = moved;
            this.outline();
          },
          drop: () => this.changed(),
          remove: () => this.set(this.shapes.filter((one) => one !== shape)),
        });
      })));
    }
    this.clearButton.disabled = !this.shapes.length;
    const tells = this.tool ? KEEP_OUT_TOOLS[this.tool].tells : this.shapes.length ? KEEP_OUT_HELP : "";
    this.told.textContent = tells;
  }

  add(shape) {
    this.set([...this.shapes, shape]);
    this.choose(null);
  }

  /** A keep-out around the selected node, or in the middle of the picture, ready to be moved by keys. */
  surround() {
    const { place, views } = this.explorer;
    const { width, height } = views[0].tree;
    const third = { x: Math.round(width / 3), y: Math.round(height / 3), w: Math.round(width / 3), h: Math.round(height / 3) };
    const { x, y, w, h } = place ? place.view.tree.nodes[place.node] : third;
    this.add(boxCorners([x, y], [x + w, y + h]));
    [...this.surfaces[0].handles.children].at(-4).focus();
  }

  press(event) {
    if (event.target.matches?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.tool) this.choose(null);
    else if (event.key === "Enter" && this.tool === "polygon" && this.draft.length > 2) this.add(this.draft);
    else if (event.key.toLowerCase() === "k" && this.explorer.views.length) this.surround();
    else return;
    event.preventDefault();
  }

  hear(name, event, { picture, size }) {
    const late = name === "click" && this.drawn; // of the press that drew a rectangle: it selects nothing
    this.drawn = false;
    if (late) event.stopPropagation();
    if (late || !this.tool || event.target.closest(".handle")) return;
    event.stopPropagation();
    const point = placeOn(picture.sheet, size, event);
    if (this.tool === "rectangle") this.drawBox(name, event, picture, point);
    else if (name === "click") this.addCorner(point, size.width / picture.svg.getBoundingClientRect().width);
  }

  drawBox(name, event, picture, point) {
    if (name === "pointerdown" && event.button === 0) {
      picture.svg.setPointerCapture(event.pointerId);
      this.begun = point;
    } else if (name === "pointermove" && this.begun) {
      const corners = boxCorners(this.begun, point);
      this.draft = [...corners, corners[0]];
      this.outline();
    } else if (name === "pointerup" && this.begun) {
      const [x, y] = [point[0] - this.begun[0], point[1] - this.begun[1]].map(Math.abs);
      const box = boxCorners(this.begun, point);
      this.begun = null;
      this.drawn = true;
      if (Math.min(x, y) >= LEAST_EXTENT) this.add(box);
      else this.choose(this.tool);
    } else if (name === "pointercancel") this.cancel();
  }

  addCorner(point, perPixel) {
    const [first] = this.draft;
    const near = first && Math.hypot(point[0] - first[0], point[1] - first[1]) < CLOSE * perPixel;
    if (near && this.draft.length > 2) this.add(this.draft);
    else if (!near) {
      this.draft = [...this.draft, point];
      this.outline();
    }
  }

  /** Forget what was begun. */
  cancel() {
    this.begun = null;
    this.draft = [];
    this.show();
  }
}

const boxCorners = ([x1, y1], [x2, y2]) => {
  const [left, right, top, bottom] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
  return [[left, top], [right, top], [right, bottom], [left, bottom]];
};
