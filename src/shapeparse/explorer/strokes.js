// The strokes of a plan over the photograph, up to a moment of the painting.

/** When each stroke begins and ends, in seconds from the start of the first. */
class Timeline {
  constructor(plan) {
    const { scale, stroke_speed: strokeSpeed, travel_speed: travelSpeed, lift_time: liftTime } = plan.settings;
    const { turn_time: turnTime } = plan.settings;
    const lengthOf = (x1, y1, x2, y2) => Math.hypot(x2 - x1, y2 - y1) * (scale ?? 1);
    let now = 0;
    this.joined = plan.strokes.map((stroke) => Boolean(stroke.via));
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

  /** What the brush does at a moment, in a word. */
  word(moment) {
    const index = this.spans.findIndex(({ end }) => moment < end);
    if (index < 0) return "done";
    if (this.hasBegun(this.spans[index], moment)) return "brush down";
    return this.joined[index] ? "step, brush down" : "travel, brush up";
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
    this.steps = plan.strokes.map((stroke) => draw("polyline", { class: "step none", "stroke-width": stroke.width }));
    const path = (name) => draw("path", { class: name });
    this.lines = [path("line under"), path("line over")];
    this.travels = [path("travel under"), path("travel over")];
    this.brush = draw("rect", { class: "brush" });
    const parts = [...this.bodies, ...this.steps, ...this.lines, ...this.travels, this.brush];
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
      const way = partOf(wayTo(before, stroke), (moment - left) / (begin - left));
      const line = lineOf(stroke.x1, stroke.y1, stroke.x2, stroke.y2, (moment - begin) / (end - begin));
      const begun = this.timeline.hasBegun(spans[index], moment);
      this.bodies[index].classList.toggle("none", !begun);
      if (begun) {
        lines.push(lineTo(line));
        ["x1", "y1", "x2", "y2"].forEach((name, place) => this.bodies[index].setAttribute(name, line[place]));
      }
      const stepped = Boolean(stroke.via) && moment > left;
      this.steps[index].classList.toggle("none", !stepped);
      if (stepped) this.steps[index].setAttribute("points", way.join(" "));
      if (moment > left && index) (stroke.via ? lines : travels).push(`M${way.map((point) => point.join(" ")).join("L")}`);
      const at = begun ? line.slice(2) : way.at(-1);
      if (moment >= left && moment <= end) this.putBrush(...at, stroke.width, begun || stepped);
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

/** The points of the way to a stroke: a step with the brush down goes round a corner. */
function wayTo(before, stroke) {
  return [[before.x2, before.y2], ...(stroke.via ? [stroke.via] : []), [stroke.x1, stroke.y1]];
}

/** The first part of a way of several lines, up to a share of its length. */
function partOf(points, share) {
  const lengths = points.slice(1).map(([x, y], index) => Math.hypot(x - points[index][0], y - points[index][1]));
  let left = lengths.reduce((sum, length) => sum + length, 0) * Math.min(1, Math.max(0, Number.isNaN(share) ? 1 : share));
  const found = [points[0]];
  lengths.forEach((length, index) => {
    if (left <= 0) return;
    found.push(lineOf(...points[index], ...points[index + 1], left / length).slice(2));
    left -= length;
  });
  return found;
}

/** The first part of a line, up to a share of it; a share that is none, as that of no time at all, is taken as all. */
function lineOf(x1, y1, x2, y2, share) {
  const part = Number.isNaN(share) ? 1 : Math.min(1, Math.max(0, share));
  return [x1, y1, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
}
