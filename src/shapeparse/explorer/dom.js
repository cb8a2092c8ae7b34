// Elements without a framework. Text from outside enters the page through these alone, as text.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An HTML element. Functions in `attributes` listen to the event of their name; null and false leave one out. */
function make(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function draw(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 2.5v11L5 8zM3 2.5h1.6v11H3z",
  forward: "M4 2.5v11L11 8zM11.4 2.5H13v11h-1.6z",
  close: "M3.2 4.3l1.1-1.1L8 6.9l3.7-3.7 1.1 1.1L9.1 8l3.7 3.7-1.1 1.1L8 9.1l-3.7 3.7-1.1-1.1L6.9 8z",
  plus: "M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z",
  minus: "M3 7.2h10v1.6H3z",
  fit: "M2 2h4.5v1.5H3.5v3H2zM9.5 2H14v4.5h-1.5v-3h-3zM2 9.5h1.5v3h3V14H2zM12.5 9.5H14V14H9.5v-1.5h3z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM8 3v10A5 5 0 0 1 8 3z",
  download: "M7.2 2h1.6v6l2.3-2.3 1.1 1.1L8 11 3.8 6.8l1.1-1.1L7.2 8zM3 12.4h10V14H3z",
};

function icon(name) {
  const path = draw("path", { d: ICONS[name], "fill-rule": "evenodd" });
  return draw("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
}

/** A button that shows an icon and says `label` to those who do not see it. */
function iconButton(name, label, click) {
  return make("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click }, icon(name));
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Call `act` once `pause` milliseconds have gone by without another call. */
function debounced(act, pause) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, pause);
  };
}

/** Hand over a file. */
function save(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A number that no other call has given, for the `id` and `name` of elements that belong together. */
let lastNumber = 0;
const unique = (prefix) => `${prefix}-${++lastNumber}`;
