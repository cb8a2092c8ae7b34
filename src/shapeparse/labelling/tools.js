// All tools: those that change a tree, and those that draw a mask, as edits that the service knows.

const rounded = (point) => point.map((value) => Math.round(value * 10) / 10);

/** Each tool has a `key`, a `title`, what it `tells`, and handlers; `page` is the labelling page. */
const TOOLS = {
  ...CUT_TOOLS,
  rectangle: {
    key: "r", title: "Rectangle", tells: "Drag from corner to corner.", labels: true,
    press: (page, point) => (page.from = point),
    move: (page, point) => page.stage.sketch(around(between(page.from, point))),
    release: (page, point) => {
      const { x, y, w, h } = between(page.from, point);
      if (w >= 1 && h >= 1) page.edit({ tool: "rectangle", x, y, w, h, paint: page.paint });
    },
  },
  polygon: {
    key: "p", title: "Polygon", tells: "Click the corners; click the first one again, or twice, to end it.", labels: true, stays: true,
    hover: (page, point) => page.corners.length && page.stage.sketch(polyline([...page.corners, point])),
    press: (page, point, event) => {
      if (endsPolygon(page, point, event)) {
        TOOLS.polygon.finish(page);
        return;
      }
      page.setCorners([...page.corners, point]);
      page.cornerTime = event?.timeStamp;
      page.stage.sketch(polyline(page.corners));
    },
    finish: (page) => {
      const points = page.corners.flatMap(rounded);
      if (points.length >= 6) page.edit({ tool: "polygon", points, paint: page.paint });
      page.cancel();
    },
  },
  brush: {
    key: "b", title: "Brush", tells: "Paint over it; X turns the brush into an eraser.", labels: true, sized: true,
    hover: (page, point) => page.stage.hint(circle(point, page.radius)),
    press: (page, point) => {
      page.way = [point];
      page.stage.sketch(polyline([point, point]), 2 * page.radius);
    },
    move: (page, point) => {
      const [x, y] = page.way.at(-1);
      if (Math.hypot(point[0] - x, point[1] - y) < page.stage.perPixel) return;
      page.way.push(point);
      page.stage.hint(circle(point, page.radius));
      page.stage.sketch(polyline(page.way), 2 * page.radius);
    },
    release: (page) => {
      page.edit({ tool: "brush", points: page.way.flatMap(rounded), radius: page.radius, paint: page.paint });
    },
  },
  grow: {
    key: "g", title: "Grow", tells: "Click a surface: what looks alike around it is labelled.", labels: true, sized: true,
    press: (page, [x, y]) => {
      const at = [Math.floor(x), Math.floor(y)];
      page.edit({ tool: "grow", x: at[0], y: at[1], reach: page.reach, paint: page.paint });
    },
  },
  pan: { key: "h", title: "Move", tells: "Drag the picture; the wheel, or two fingers, zoom.", pans: true },
};

const TWICE = 500; // milliseconds within which two clicks, or taps, at one place are a double click

/** Whether a corner closes the polygon: it is the first one once more, or the last one twice. */
function endsPolygon(page, [x, y], event) {
  const { corners, stage, cornerTime } = page;
  const near = ([x0, y0]) => Math.hypot(x - x0, y - y0) < NEAR * stage.perPixel;
  if (corners.length >= 3 && near(corners[0])) return true;
  return corners.length > 0 && event !== null && event.timeStamp - cornerTime < TWICE && near(corners.at(-1));
}

const polyline = (points) => points.map(([x, y], place) => `${place ? "L" : "M"}${x} ${y}`).join("");

const circle = ([x, y], radius) => `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;

function between(one, other) {
  const [x, y] = [Math.min(one[0], other[0]), Math.min(one[1], other[1])].map(Math.round);
  const [right, bottom] = [Math.max(one[0], other[0]), Math.max(one[1], other[1])].map(Math.round);
  return { x, y, w: right - x, h: bottom - y };
}
