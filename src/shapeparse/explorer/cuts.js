// The tools that change a tree: what a press, a move and a release of the pointer become, as edits.
// `page` has the `tree`, `edit(edit)`, `turned`, and a `stage` with `hint(path)`, `sketch(path)` and `perPixel`.

const NEAR = 14; // pixels of the screen within which a cut is taken hold of

/** Each tool has a `key`, a `title`, what it `tells`, and handlers. */
const CUT_TOOLS = {
  flip: {
    key: "f", title: "Flip", tells: "Click a rectangle to change paint to skip, or back.",
    hover: (page, point) => page.stage.hint(around(page.tree.nodes[leafUnder(page, point)])),
    press: (page, point) => page.edit({ tool: "flip", node: leafUnder(page, point) }),
  },
  drag: {
    key: "d", title: "Drag a cut", tells: "Drag a white line to where the edge is.",
    hover: (page, point) => {
      const node = nearestCut(page, point);
      page.stage.hint(node === null ? "" : lineTo(page.tree.cutLine(node)));
    },
    press: (page, point) => (page.held = nearestCut(page, point)),
    move: (page, point) => page.held !== null && page.stage.sketch(lineTo(movedCut(page, point))),
    release: (page, point) => {
      if (page.held === null) return;
      const at = Math.round(point[page.tree.nodes[page.held].rule === "split-x" ? 0 : 1]);
      page.edit({ tool: "drag", node: page.held, at });
    },
  },
  split: {
    key: "s", title: "Split", tells: "Click where a rectangle shall be cut; T turns the cut. Then flip one half.",
    hover: (page, point) => page.stage.hint(lineTo(splitLine(page, point).line)),
    press: (page, point) => {
      const { node, axis, at } = splitLine(page, point);
      page.edit({ tool: "split", node, axis, at });
    },
  },
  merge: {
    key: "m", title: "Merge", tells: "Click a rectangle to join it with its neighbour of the same split.",
    hover: (page, point) => page.stage.hint(around(page.tree.nodes[parentUnder(page, point)])),
    press: (page, point) => page.edit({ tool: "merge", node: parentUnder(page, point) }),
  },
};

const leafUnder = (page, [x, y]) => page.tree.nodeAt(x, y);

function parentUnder(page, point) {
  const index = leafUnder(page, point);
  return page.tree.nodes[index].parent ?? index;
}

/** The split whose cut is nearest to a point, if one is near. */
function nearestCut(page, [x, y]) {
  let best = null;
  let least = NEAR * page.stage.perPixel;
  page.tree.nodes.forEach((node, index) => {
    if (page.tree.isLeaf(index)) return;
    const [x1, y1, x2, y2] = page.tree.cutLine(index);
    const away = Math.hypot(x - Math.min(Math.max(x, x1), x2), y - Math.min(Math.max(y, y1), y2));
    if (away < least) [best, least] = [index, away];
  });
  return best;
}

function movedCut(page, [x, y]) {
  const node = page.tree.nodes[page.held];
  return node.rule === "split-x" ? [x, node.y, x, node.y + node.h] : [node.x, y, node.x + node.w, y];
}

/** Where a click would cut: across the longer side, unless it was turned. */
function splitLine(page, point) {
  const index = leafUnder(page, point);
  const { w, h } = page.tree.nodes[index];
  const axis = (w >= h) !== page.turned ? "x" : "y";
  const at = Math.round(point[axis === "x" ? 0 : 1]);
  return { node: index, axis, ...lineWithin(page.tree.nodes[index], axis, at) };
}

/** The cut of a rectangle at a pixel of the picture, or at the nearest one that it has inside. */
function lineWithin({ x, y, w, h }, axis, wanted) {
  const [start, size] = axis === "x" ? [x, w] : [y, h];
  const at = Math.min(Math.max(wanted, start + 1), start + Math.max(size - 1, 1));
  return { at, line: axis === "x" ? [at, y, at, y + h] : [x, at, x + w, at] };
}
