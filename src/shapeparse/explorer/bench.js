// What a painting is planned with: the kind of plan and its limits, the brush, the scale and the speeds.

const BRUSHES_ACROSS = 21; // a brush that nobody chose is so many times smaller than the picture
const BRUSH_STEPS = 120; // of the slider, about

/** A number with its unit; one that is left empty is the `usual`. */
function numberField(label, unit, usual, change) {
  const input = make("input", {
    type: "number", min: 0, step: "any", inputmode: "decimal", placeholder: usual, "aria-label": label, input: change,
  });
  const told = make("span", { class: "told" }, unit);
  const element = make("label", { class: "field" }, make("span", {}, label), told, input);
  return { input, element, told, get value() { return input.value === "" ? null : Number(input.value); } };
}

/** 1, 2 or 5 times a power of ten, at most so large. */
function roundStep(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].find((digit) => digit * power <= most) * power;
}

class Bench {
  /** `change()` is called, after a pause, when something else is asked for. */
  constructor(change) {
    Object.assign(this, { change, pixels: 12, shorter: 256, own: false, plane: null });
    const kinds = Object.entries(KINDS).map(([value, title]) => ({ value, title }));
    [this.kind, this.kindField] = picker("Plan", kinds, change);
    this.coverage = slider("Coverage", {
      min: 0.8, max: 1, step: 0.005, value: 0.99, change, write: (share) => `at least ${percent(share)}`,
    });
    this.waste = numberField("Waste at most", "%", "any", change);
    this.brush = slider("Brush", {
      min: 2, max: 60, step: 1, value: 12, write: (value) => this.brushWords(value),
      change: () => {
        this.own = true;
        this.pixels = this.brush.value / (this.millimetres ?? 1);
        change();
      },
    });
    this.overlap = slider("Overlap of strokes", {
      min: 0, max: 0.5, step: 0.05, value: 0.1, change, write: (share) => `${percent(share, 0)} of the brush`,
    });
    this.scale = numberField("Millimetres a pixel", "mm/px", "unknown", () => {
      this.suitUnits();
      change();
    });
    this.speeds = {
      stroke_speed: numberField("Speed, brush down", "px/s", 100, change),
      travel_speed: numberField("Speed, brush up", "px/s", 200, change),
      lift_time: numberField("Time of a lift", "s", 0.5, change),
      turn_time: numberField("Time of a turn", "s", 0.1, change),
    };
    const speeds = Object.values(this.speeds).map((field) => field.element);
    this.fields = [
      this.kindField, this.coverage.element, this.waste.element, this.brush.element, this.overlap.element,
      this.scale.element, make("details", { class: "speeds" }, make("summary", {}, "Speeds"), ...speeds),
    ];
    this.suitUnits();
  }

  /** Millimetres per pixel, if they are known: from the corners, or as somebody typed them. */
  get millimetres() {
    return this.plane?.scale ?? (this.scale.value > 0 ? this.scale.value : null);
  }

  brushWords(value) {
    if (!this.brush || this.millimetres === null) return `${value}${NO_BREAK}px`;
    return `${measured(value, "mm")} (${measured(value / this.millimetres, "px")})`;
  }

  /** Another picture: a brush that suits its size, until somebody chooses one; `plane` says its scale, or is null. */
  fit({ width, height }, plane) {
    const before = this.millimetres;
    this.plane = plane;
    this.shorter = Math.min(width, height);
    this.scale.input.disabled = plane !== null;
    this.scale.told.textContent = plane === null ? "mm/px" : `${grouped(plane.scale, 3)}${NO_BREAK}mm/px, from the corners`;
    if (!this.own) this.pixels = Math.max(2, Math.round(this.shorter / BRUSHES_ACROSS));
    else if (before !== null && this.millimetres !== null) this.pixels *= before / this.millimetres; // as many millimetres
    this.suitUnits();
  }

  /** The slider in the unit that is known, at the same brush. */
  suitUnits() {
    const { input } = this.brush;
    const unit = this.millimetres ?? 1;
    const most = Math.max(20, Math.round(this.shorter / 4)) * unit;
    const step = this.millimetres === null ? 1 : roundStep(most / BRUSH_STEPS);
    const least = this.millimetres === null ? 2 : step;
    Object.assign(input, { min: least, max: Math.ceil(most / step) * step, step });
    input.value = this.pixels * unit;
    this.brush.tell();
    const speed = this.millimetres === null ? "px/s" : "mm/s";
    for (const name of ["stroke_speed", "travel_speed"]) this.speeds[name].told.textContent = speed;
  }

  /** As the service takes them, in pixels. */
  settings() {
    const speeds = Object.entries(this.speeds).map(([name, field]) => [name, field.value]);
    const given = Object.fromEntries(speeds.filter(([, value]) => value !== null));
    if (this.waste.value !== null) given.waste = this.waste.value / 100;
    if (this.plane === null && this.scale.value !== null) given.scale = this.scale.value;
    return {
      plan: this.kind.value, coverage: this.coverage.value, overlap: this.overlap.value,
      brush: this.brush.value / (this.millimetres ?? 1), ...given,
    };
  }
}
