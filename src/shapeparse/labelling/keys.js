// Everything by keyboard: a cross on the photograph that arrow keys move, and a key for every tool and button.

const STEP = 0.02; // of the shorter side of what is seen, per press of an arrow key

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Answer a key that was pressed while the page, but no field of it, had the focus. */
function answerKey(page, event) {
  if (event.target.matches?.("input, select, textarea") || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") done(event, () => (event.shiftKey ? page.redo() : page.undo()));
    else if (key === "y") done(event, () => page.redo());
    return;
  }
  const commands = {
    z: () => page.undo(), y: () => page.redo(), a: () => page.accept(), n: () => page.step(1), k: () => page.step(-1),
    x: () => page.setPaint(!page.paint), t: () => page.turn(), "+": () => page.stage.zoomBy(1.4), "=": () => page.stage.zoomBy(1.4),
    "-": () => page.stage.zoomBy(1 / 1.4), 0: () => page.stage.zoomBy(0), ".": () => page.moreRectangles(1.25),
    ",": () => page.moreRectangles(0.8), "]": () => page.resize(1.25), "[": () => page.resize(0.8),
    Escape: () => page.cancel(), l: () => page.learn(), e: () => page.finish(),
  };
  const tool = Object.keys(TOOLS).find((name) => TOOLS[name].key === key);
  if (tool) done(event, () => page.choose(tool));
  else if (commands[key]) done(event, commands[key]);
  else if (event.target === page.stage.svg) answerOnStage(page, event, key);
}

function done(event, act) {
  event.preventDefault();
  act();
}

function answerOnStage(page, event, key) {
  const { stage } = page;
  if (ARROWS[key]) {
    done(event, () => moveCross(page, ARROWS[key], event.shiftKey ? 5 : 1));
  } else if (key === " " || key === "Enter") {
    done(event, () => {
      if (key === "Enter" && page.tool.finish) page.tool.finish(page);
      else if (!stage.place) moveCross(page, [0, 0], 0);
      else if (!page.pressed) page.press(stage.place, null);
      else page.release(stage.place, null);
      if (page.pressed && !page.tool.release) page.release(stage.place, null);
    });
  }
}

function moveCross(page, [dx, dy], times) {
  const { stage } = page;
  const frame = stage.svg.getBoundingClientRect();
  const by = Math.max(1, STEP * times * Math.min(frame.width, frame.height) * stage.perPixel);
  const [x, y] = stage.place ?? stage.centre;
  const within = (value, most) => Math.min(Math.max(value, 0), most - 0.5);
  const point = [within(x + dx * by, stage.width), within(y + dy * by, stage.height)];
  stage.showCursor(point);
  page.move(point, null);
}
