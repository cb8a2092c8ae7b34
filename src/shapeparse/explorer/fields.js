// The things people choose with.

/** A row of small pictures of which one is chosen; where one has no picture, its title stands. */
function gallery(label, entries, choose) {
  const name = unique("gallery");
  const items = entries.map(({ title, source }, place) => {
    const radio = make("input", { type: "radio", name, "aria-label": title, change: () => choose(place) });
    radio.checked = place === 0;
    const face = source ? make("img", { src: source, alt: "" }) : make("span", {}, title);
    return make("label", { title }, radio, face);
  });
  return make("div", { class: "gallery", role: "radiogroup", "aria-label": label }, ...items);
}

/** A list to choose from, and it with its label around it. */
function picker(label, options, change) {
  const select = make("select", { change }, ...options.map(({ value, title }) => make("option", { value }, title)));
  return [select, make("label", { class: "field" }, make("span", {}, label), select)];
}

/** Light or dark as the system has it, until this is pressed. */
function themeButton() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  try {
    const kept = localStorage.getItem("shapeparse-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch {
    // a page without storage forgets
  }
  return iconButton("theme", "Light or dark", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("shapeparse-theme", root.dataset.theme);
    } catch {
      // likewise
    }
  });
}

/** A slider with its value beside it. `write` says a value in words. */
function slider(label, { min, max, step, value, write, change }) {
  const input = make("input", { type: "range", min, max, step, value, "aria-label": label });
  const told = make("span", { class: "told" });
  const tell = () => {
    told.textContent = write(Number(input.value));
    input.setAttribute("aria-valuetext", told.textContent);
  };
  input.addEventListener("input", () => {
    tell();
    change();
  });
  tell();
  const element = make("label", { class: "field" }, make("span", {}, label), told, input);
  return { input, element, tell, get value() { return Number(input.value); } };
}

/** A button that asks for an image file. */
function fileButton(label, take) {
  const input = make("input", { type: "file", accept: "image/*", class: "unseen" });
  input.addEventListener("change", () => {
    if (input.files.length) take(input.files[0]);
    input.value = ""; // so that the same file can be given again
  });
  return make("label", { class: "button" }, input, label);
}
