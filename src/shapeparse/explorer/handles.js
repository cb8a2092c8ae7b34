// Points on a picture that are dragged, or moved by arrow keys.

/** Where an event is on a picture of `width` and `height` that is drawn on `sheet`. */
function placeOn(sheet, { width, height }, { clientX, clientY }) {
  const frame = sheet.getBoundingClientRect();
  const within = (value, most) => Math.min(Math.max(value, 0), most);
  return [
    within(((clientX - frame.left) / frame.width) * width, width),
    within(((clientY - frame.top) / frame.height) * height, height),
  ];
}

/**
 * A button at a point of the picture on `sheet`. `act` has `move(point)`, for every move, `drop()` once it is there, and
 * perhaps `remove()`.
 */
function makeHandle(sheet, size, point, label, act) {
  let at = point;
  let held = null;
  const tell = () => {
    handle.style.left = `${(100 * at[0]) / size.width}%`;
    handle.style.top = `${(100 * at[1]) / size.height}%`;
    const words = `${label} at (${Math.round(at[0])}, ${Math.round(at[1])})`;
    handle.setAttribute("aria-label", words);
    handle.title = words;
  };
  const put = ([x, y]) => {
    at = [Math.min(Math.max(x, 0), size.width), Math.min(Math.max(y, 0), size.height)];
    tell();
    act.move(at);
  };
  const handle = make("button", {
    type: "button", class: "handle",
    pointerdown: (event) => {
      event.stopPropagation();
      if (event.button !== 0) return;
      handle.setPointerCapture(event.pointerId);
      held = event.pointerId;
    },
    pointermove: (event) => {
      event.stopPropagation();
      if (held === event.pointerId) put(placeOn(sheet, size, event));
    },
    pointerup: () => {
      if (held !== null) act.drop();
      held = null;
    },
    pointercancel: () => (held = null),
    click: (event) => event.stopPropagation(),
    keydown: (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const step = event.shiftKey ? 10 : 1;
      if (way) put([at[0] + step * way[0], at[1] + step * way[1]]);
      else if (event.key === "Delete" && act.remove) act.remove();
      else return;
      event.preventDefault();
      event.stopPropagation();
      if (way) act.drop();
    },
  });
  tell();
  return handle;
}

/** A closed line through points. */
const ringPath = (points) => (points.length ? `M${points.map((point) => point.join(" ")).join("L")}z` : "");
