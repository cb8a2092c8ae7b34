// The strokes of a plan over the photograph, up to a moment of the painting.

/** When each stroke begins and ends, in seconds from the start of the first. */
class Timeline {
  constructor(plan) {
    const { scale, stroke_speed: strokeSpeed, travel_speed: travelSpeed, lift_time: liftTime } = plan.settings;
    const { turn_time: turnTime } = plan.settings;
    const lengthOf = (x1, y1, x2, y2) => Math.hypot(x2 - x1, y2 - y1) * (scale ?? 1);
    let now = 0;
    this.spans = plan.strokes.map((stroke, index) => {
      const before = plan.strokes[index - 1];
      const left = now;
      if (stroke.via) {
        const [x, y] = stroke.via;
        now += (lengthOf(before.x2, before.y2, x, y) + lengthOf(x, y, stroke.x1, stroke.y1)) / strokeSpeed;
      } else if (before) now += lengthOf(before.x2, before.y2, stroke.x1, stroke.y1) / travelSpeed;
      const begin = (now += stroke.via ? turnTime : liftTime);
      now += lengthOf(stroke.x1, stroke.y1, stroke.x2, stroke.y2) / strokeSpeed;
      return { left, begin, end: now };
    });
    this.total = now;
  }

  /** Whether a stroke is begun at a moment; one that takes no time, as a dab of the brush, is then done too. */
  hasBegun({ begin, end }, moment) {
    return begin < moment || end <= moment;
  }

  /** The number of strokes that are begun at a moment. */
  begun(moment) {
    return this.spans.filter((span) => this.hasBegun(span, moment)).length;
  }
}

class StrokesLayer {
  constructor(plan) {
    this.plan = plan;
    this.timeline = new Timeline(plan);
    this.bodies = plan.strokes.map((stroke) => draw("line", { class: "body", "stroke-width": stroke.width }));
    const path = (name) => draw("path", { class: name });
    this.lines = [path("line under"), path("line over")];
    this.travels = [path("travel under"), path("travel over")];
    this.brush = draw("rect", { class: "brush" });
    const parts = [...this.bodies, ...this.lines, ...this.travels, this.brush];
    this.element = draw("g", { class: "strokes", "aria-hidden": "true" }, ...parts);
  }

  /** Draw what is painted at `moment`, with the brush where it is then. */
  show(moment) {
    const { spans, total } = this.timeline;
    const lines = [];
    const travels = [];
    this.element.classList.toggle("painting", moment < total);
    this.plan.strokes.forEach((stroke, index) => {
      const { left, begin, end } = spans[index];
      const before = this.plan.strokes[index - 1] ?? { x2: stroke.x1, y2: stroke.y1 };
      const way = lineOf(before.x2, before.y2, stroke.x1, stroke.y1, (moment - left) / (begin - left));
      const line = lineOf(stroke.x1, stroke.y1, stroke.x2, stroke.y2, (moment - begin) / (end - begin));
      const begun = this.timeline.hasBegun(spans[index], moment);
      this.bodies[index].classList.toggle("none", !begun);
      if (begun) {
        lines.push(lineTo(line));
        ["x1", "y1", "x2", "y2"].forEach((name, place) => this.bodies[index].setAttribute(name, line[place]));
      }
      if (moment > left && index) (stroke.via ? lines : travels).push(lineTo(way));
      if (moment >= left && moment <= end) this.putBrush(...(begun ? line : way).slice(2), stroke.width, begun);
    });
    this.lines.forEach((path) => path.setAttribute("d", lines.join("")));
    this.travels.forEach((path) => path.setAttribute("d", travels.join("")));
  }

  /** The brush is a square with upright sides; filled while it is down. */
  putBrush(x, y, width, down) {
    const place = { x: x - width / 2, y: y - width / 2, width, height: width };
    for (const [name, value] of Object.entries(place)) this.brush.setAttribute(name, value);
    this.brush.classList.toggle("down", down);
  }
}

/** The first part of a line, up to a share of it; a share that is none, as that of no time at all, is taken as all. */
function lineOf(x1, y1, x2, y2, share) {
  const part = Number.isNaN(share) ? 1 : Math.min(1, Math.max(0, share));
  return [x1, y1, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
}
