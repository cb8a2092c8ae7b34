// Numbers and nodes as people read them.

const NO_BREAK = "\u00a0";

const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}${NO_BREAK}%`;

const plural = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A number with at most `digits` behind the point, and its thousands apart. */
function grouped(number, digits = 0) {
  return number.toLocaleString("en", { maximumFractionDigits: digits }).replaceAll(",", "\u202f");
}

/** A length, with fewer digits the longer it is. */
const measured = (number, unit) => `${grouped(number, number < 10 ? 2 : number < 100 ? 1 : 0)}${NO_BREAK}${unit}`;

const extent = (width, height) => `${width}${NO_BREAK}×${NO_BREAK}${height}${NO_BREAK}px`;

function duration(seconds) {
  if (seconds < 60) return measured(seconds, "s");
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return `${grouped(minutes)}${NO_BREAK}min ${whole % 60}${NO_BREAK}s`;
}

/** What is done at a node, in two or three words. */
function ruleWords(tree, index) {
  const { rule } = tree.nodes[index];
  return tree.isLeaf(index) ? rule : `${rule} at ${tree.location(index).toFixed(2)}`;
}

/** All there is to know of a node, most important things first: the parts of a sentence. */
function describe(tree, index) {
  const { x, y, w, h, depth, rule, likely } = tree.nodes[index];
  const parts = [ruleWords(tree, index)];
  if (typeof likely === "number" && tree.isLeaf(index)) {
    parts.push(`probability ${percent(rule === "paint" ? likely : 1 - likely)}`);
  }
  parts.push(`${extent(w, h)} at (${x}, ${y})`, `depth ${depth}`);
  if (!tree.isLeaf(index)) {
    parts.push(`${plural(tree.leavesBelow[index], "rectangle")} below, ${percent(tree.paintShare[index], 0)} paint`);
  }
  parts.push(`node ${index + 1} of ${tree.size}`);
  return parts;
}
