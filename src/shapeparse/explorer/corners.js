// Four corners of a rectangle of known size on the photograph: it is then seen from the front, in millimetres.

const CORNERS = ["upper left", "upper right", "lower right", "lower left"];
const INSET = 0.1; // of the sides, where corners are put that nobody placed

class CornersPanel {
  /** `act` has `use(plane)`, null for none, and `close()`. */
  constructor(act) {
    Object.assign(this, { act, points: [], size: null });
    this.told = make("p", { class: "told", role: "status" });
    this.width = numberField("Width of the rectangle", "mm", "", () => this.show());
    this.height = numberField("Height of the rectangle", "mm", "", () => this.show());
    const button = (title, click, attributes = {}) => make("button", { type: "button", ...attributes, click }, title);
    this.useButton = button("Use the corners", () => this.use());
    this.removeButton = button("Remove the corners", () => act.use(null));
    this.frame = make("div", {});
    this.element = make(
      "section", { class: "corners", "aria-label": "Corners", hidden: true },
      make("h3", {}, "Corners of a rectangle on the object"), this.told, this.frame,
      make("div", { class: "sizes" }, this.width.element, this.height.element),
      make(
        "div", { class: "group" }, this.useButton, button("Near the edges", () => this.nearEdges()),
        this.removeButton, button("Back", () => act.close()),
      ),
    );
  }

  /** Begin with a photograph, as it was taken, and the plane it has, if any. */
  open({ source, width, height }, plane) {
    this.size = { width, height };
    this.points = plane ? plane.corners.map((point) => [...point]) : [];
    if (plane) [this.width.input.value, this.height.input.value] = [plane.width, plane.height];
    this.removeButton.disabled = !plane;
    this.paths = ["draft under", "draft over"].map((name) => draw("path", { class: name }));
    const image = draw("image", { href: source, width, height, preserveAspectRatio: "none" });
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, image, ...this.paths);
    this.handles = make("div", { class: "handles" });
    this.sheet = make("div", { class: "sheet", click: (event) => this.place(event) }, svg, this.handles);
    const zoom = new Zoom(this.sheet, "The photograph as it was taken");
    const picture = make("div", { class: "picture" }, zoom.frame, zoom.tools);
    this.frame.replaceChildren(make("div", { class: "panels alone" }, picture));
    this.frame.firstChild.style.setProperty("--ratio", width / height);
    this.element.hidden = false;
    this.show();
    zoom.frame.focus();
  }

  close() {
    this.element.hidden = true;
  }

  place(event) {
    if (this.points.length === 4 || event.target.closest(".handle")) return;
    this.points.push(placeOn(this.sheet, this.size, event));
    this.show();
  }

  /** For those who have no pointer, and as a start. */
  nearEdges() {
    const { width, height } = this.size;
    const [left, top] = [Math.round(INSET * width), Math.round(INSET * height)];
    this.points = boxCorners([left, top], [width - left, height - top]);
    this.show();
    this.handles.firstChild.focus();
  }

  show() {
    if (!this.size) return;
    const outline = () => this.paths.forEach((path) => path.setAttribute("d", ringPath(this.points)));
    outline();
    if (this.handles.children.length !== this.points.length || !this.handles.contains(document.activeElement)) {
      this.handles.replaceChildren(...this.points.map((point, place) => {
        return makeHandle(this.sheet, this.size, point, `The ${CORNERS[place]} corner`, {
          move: (moved) => {
            this.points[place] = moved;
            outline();
          },
          drop: () => {},
        });
      }));
    }
    const next = CORNERS[this.points.length];
    const sized = this.width.value > 0 && this.height.value > 0;
    this.told.textContent = next
      ? `Click the ${next} corner.`
      : `Drag the corners to their places, or use the arrow keys.${sized ? "" : " Then say how large the rectangle is."}`;
    this.useButton.disabled = Boolean(next) || !sized;
  }

  use() {
    this.act.use({ corners: this.points, width: this.width.value, height: this.height.value });
  }
}
