// The marks of the tree: a square a leaf, a box with its cut a split, a triangle a folded subtree; all around (0, 0).

function leafGlyph(pitch) {
  const side = Math.min(17, Math.max(3, pitch * 0.74));
  return [ring(side, side), box(side, side)];
}

/** A box with the line of the cut; `piece`, if given, is the part of the photograph it shows, in that part's shape. */
function splitGlyph(node, location, side, piece) {
  const [width, height] = glyphSize(node, side, piece);
  const at = location - 0.5;
  const line = node.rule === "split-x"
    ? { x1: at * width, x2: at * width, y1: -height / 2, y2: height / 2 }
    : { x1: -width / 2, x2: width / 2, y1: at * height, y2: at * height };
  const cut = draw("line", { ...line, class: "cut" });
  if (!piece) return [ring(width, height), box(width, height), cut];
  const under = draw("line", { ...line, class: "cut under" }); // on a photograph the line needs a light one under it
  return [ring(width, height), thumbnail(piece, width, height), box(width, height), under, cut];
}

function glyphSize({ w, h }, side, piece) {
  if (!piece) return [side, side];
  const longer = Math.max(w, h);
  return [Math.max(5, (side * w) / longer), Math.max(5, (side * h) / longer)];
}

function thumbnail({ x, y, w, h, source, tree }, width, height) {
  const whole = { href: source, width: tree.width, height: tree.height, preserveAspectRatio: "none" };
  const frame = { x: -width / 2, y: -height / 2, width, height, viewBox: `${x} ${y} ${w} ${h}` };
  return draw("svg", { ...frame, preserveAspectRatio: "none", "aria-hidden": "true" }, draw("image", whole));
}

function subtreeGlyph(half, paintShare) {
  const triangle = draw("path", { class: "shape", d: `M0 ${-half}L${half} ${half}H${-half}z` });
  triangle.style.setProperty("--paint-share", `${100 * paintShare}%`);
  return [ring(2 * half, 2 * half), triangle];
}

/** What shows that a node is selected, pointed at, or being derived. */
function ring(width, height) {
  const [across, down] = [width + 8, height + 8];
  return draw("rect", { class: "ring", rx: 3, x: -across / 2, y: -down / 2, width: across, height: down });
}

function box(width, height) {
  return draw("rect", { class: "shape", x: -width / 2, y: -height / 2, width, height });
}

function words(text, y) {
  return draw("text", { y, "text-anchor": "middle" }, text);
}
