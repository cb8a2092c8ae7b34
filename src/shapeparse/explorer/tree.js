// A parse tree as a file describes it, with what drawing and walking it need.

class ParseTree {
  constructor(content) {
    this.width = content.image.width;
    this.height = content.image.height;
    this.nodes = content.nodes;
    this.children = this.nodes.map(() => []);
    this.nodes.forEach((node, index) => index && this.children[node.parent].push(index));
    this.sumUp();
  }

  /** Leaves and share of paint of every subtree; children stand behind their parents. */
  sumUp() {
    this.leavesBelow = this.nodes.map((_, index) => (this.isLeaf(index) ? 1 : 0));
    const painted = this.nodes.map((node) => (node.rule === "paint" ? node.w * node.h : 0));
    for (let index = this.nodes.length - 1; index > 0; index--) {
      const { parent } = this.nodes[index];
      this.leavesBelow[parent] += this.leavesBelow[index];
      painted[parent] += painted[index];
    }
    this.paintShare = this.nodes.map((node, index) => painted[index] / (node.w * node.h));
  }

  get size() {
    return this.nodes.length;
  }

  get leaves() {
    return this.leavesBelow[0];
  }

  get paintLeaves() {
    return this.nodes.filter((node) => node.rule === "paint").length;
  }

  get deepest() {
    return this.nodes.reduce((most, node) => Math.max(most, node.depth), 0);
  }

  isLeaf(index) {
    return !this.nodes[index].rule.startsWith("split");
  }

  /** Where a split cuts, from (x1, y1) to the right or down to (x2, y2). */
  cutLine(index) {
    const { x, y, w, h, cut, rule } = this.nodes[index];
    return rule === "split-x" ? [x + cut, y, x + cut, y + h] : [x, y + cut, x + w, y + cut];
  }

  /** The place of a split's cut in its rectangle, between 0 and 1. */
  location(index) {
    const { w, h, cut, rule } = this.nodes[index];
    return cut / (rule === "split-x" ? w : h);
  }

  ancestors(index) {
    const found = [];
    for (let above = this.nodes[index].parent; above !== null; above = this.nodes[above].parent) found.push(above);
    return found;
  }

  /** The smallest rectangle around a point of the picture, of those that are there once `step` rules are applied. */
  nodeAt(x, y, step = this.size) {
    let index = 0;
    while (index < step && this.children[index].length) {
      const [first, second] = this.children[index];
      const node = this.nodes[first];
      index = x < node.x + node.w && y < node.y + node.h ? first : second;
    }
    return index;
  }

  /** The node whose rectangle is most alike to that of another tree of the same picture. */
  mostAlike(box) {
    let best = 0;
    let most = -1;
    this.nodes.forEach((node, index) => {
      const across = Math.min(node.x + node.w, box.x + box.w) - Math.max(node.x, box.x);
      const down = Math.min(node.y + node.h, box.y + box.h) - Math.max(node.y, box.y);
      const both = Math.max(0, across) * Math.max(0, down);
      const alike = both / (node.w * node.h + box.w * box.h - both);
      if (alike > most) [best, most] = [index, alike];
    });
    return best;
  }
}

/** Paths of a drawing: around a node's rectangle, and along a line. */
const around = ({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;
const lineTo = ([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`;

/** Which nodes are drawn, and where from left to right: branches end at 0, 1, 2 ..., parents over their children. */
function layOut(tree, collapsed) {
  const slot = new Map();
  let ends = 0;
  let levels = 0;
  const visit = (index) => {
    levels = Math.max(levels, tree.nodes[index].depth + 1);
    if (tree.isLeaf(index) || collapsed.has(index)) {
      slot.set(index, ends++);
      return;
    }
    slot.set(index, 0); // keeps its turn before its children
    tree.children[index].forEach(visit);
    const [first, second] = tree.children[index];
    slot.set(index, (slot.get(first) + slot.get(second)) / 2);
  };
  visit(0);
  return { slot, ends, levels };
}

/** The splits to fold so that at most `mostEnds` branches end in the drawing: all at one depth, as deep as can be. */
function foldedToFit(tree, mostEnds) {
  const every = tree.nodes.map((_, index) => index);
  let depth = tree.deepest;
  const endsAt = (deep) => every.filter((index) => {
    const node = tree.nodes[index];
    return node.depth === deep || (node.depth < deep && tree.isLeaf(index));
  });
  while (depth > 1 && endsAt(depth).length > mostEnds) depth--;
  return new Set(endsAt(depth).filter((index) => !tree.isLeaf(index)));
}
