// Trees that people change, as `labelling/surgery.py` and `labelling/edits.py` do it: a page in a file has no service.
// Cuts are places in the picture, so a cut that moves takes nothing else with it.

const DEEPEST = 64; // levels of a tree that is read back

/** The content of a tree file after an edit such as `{tool: "flip", node: 3}`; an error says why it cannot be. */
function editedTree(content, edit) {
  const { nodes, image } = content;
  const change = { flip: flipped, drag: dragged, split: cutHere, merge: mergedPart }[edit.tool];
  const part = change(partsOf(nodes), nodes, edit);
  const replaced = (index) => (index === edit.node ? part : null);
  return { ...content, nodes: nodesOf(partsOf(nodes, replaced)[0], image.width, image.height) };
}

/** What stands at each node: a leaf (`paint`), or a split (`axis`, `at` a pixel of the picture, `first`, `second`). */
function partsOf(nodes, replaced = () => null) {
  const parts = new Array(nodes.length);
  const below = nodes.map(() => []);
  for (let index = nodes.length - 1; index >= 0; index--) { // children stand behind their parents
    const { x, y, rule, cut, parent } = nodes[index];
    const [first, second] = below[index];
    const own = rule.startsWith("split")
      ? { axis: rule === "split-x" ? 0 : 1, at: (rule === "split-x" ? x : y) + cut, first, second }
      : { paint: rule === "paint" };
    parts[index] = replaced(index) ?? own;
    if (index) below[parent].unshift(parts[index]);
  }
  return parts;
}

/** The nodes of a picture of that size, depth-first. A cut outside of its rectangle is left out, with what is beyond. */
function nodesOf(part, width, height) {
  const nodes = [];
  const stack = [{ part, box: [0, 0, width, height], depth: 0, parent: null }];
  while (stack.length) {
    const { box, depth, parent, ...rest } = stack.pop();
    const found = fitting(rest.part, box);
    const [x, y, w, h] = box;
    const place = { x, y, w, h, depth, parent };
    if (found.axis === undefined) {
      nodes.push({ ...place, rule: found.paint ? "paint" : "skip", cut: null });
      continue;
    }
    if (depth === DEEPEST) throw new Error(`The tree would be deeper than ${DEEPEST} levels; merge rectangles first.`);
    const cut = found.at - box[found.axis];
    const [first, second] = found.axis === 0
      ? [[x, y, cut, h], [x + cut, y, w - cut, h]]
      : [[x, y, w, cut], [x, y + cut, w, h - cut]];
    const below = { depth: depth + 1, parent: nodes.length };
    nodes.push({ ...place, rule: found.axis === 0 ? "split-x" : "split-y", cut });
    stack.push({ part: found.second, box: second, ...below }, { part: found.first, box: first, ...below });
  }
  return nodes;
}

function fitting(part, box) {
  let found = part;
  while (found.axis !== undefined) {
    const start = box[found.axis];
    if (found.at > start && found.at < start + box[found.axis + 2]) break;
    found = found.at <= start ? found.second : found.first;
  }
  return found;
}

// The tools: each gives the part that comes into the place of a node

function flipped(parts, nodes, { node }) {
  return { paint: !leafAt(parts, node).paint };
}

function dragged(parts, nodes, { node, at }) {
  const part = parts[node];
  if (part.axis === undefined) throw new Error(`Rectangle ${node} has no cut to drag; choose a split.`);
  const [low, extent] = along(nodes[node], part.axis);
  return { ...part, at: Math.min(Math.max(at, low + 1), low + extent - 1) };
}

function cutHere(parts, nodes, { node, axis, at }) {
  const leaf = leafAt(parts, node);
  const across = axis === "x" ? 0 : 1;
  const [low, extent] = along(nodes[node], across);
  if (at <= low || at >= low + extent) {
    throw new Error(`The pixel ${at} is not within rectangle ${node}; split it inside.`);
  }
  return { axis: across, at, first: leaf, second: leaf };
}

/** One rectangle, with the label that most of it had. */
function mergedPart(parts, nodes, { node }) {
  const { x, y, w, h } = nodes[node];
  const inside = (one) => one.x >= x && one.y >= y && one.x + one.w <= x + w && one.y + one.h <= y + h;
  const paint = nodes.filter((one) => one.rule === "paint" && inside(one));
  return { paint: 2 * paint.reduce((sum, one) => sum + one.w * one.h, 0) >= w * h };
}

function leafAt(parts, node) {
  const part = parts[node];
  if (part.axis !== undefined) throw new Error(`Node ${node} is a split; choose a rectangle, or merge it first.`);
  return part;
}

const along = ({ x, y, w, h }, axis) => (axis === 0 ? [x, w] : [y, h]);
