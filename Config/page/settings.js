// What a person chooses for this browser.
import { unitNames } from "./units.js";
import { $, make } from "./panel.js";

const defaults = {
  theme: "auto", units: "", shown: "current", visible: true, accuracyVisible: true, tracksCourse: true, orientationOffset: 0, colour: "", icon: null,
  size: 44, bySpeed: false,
};
const key = "waypost";

/** The choices; a browser that keeps nothing has the defaults each time. */
export const settings = { ...defaults };
try { Object.assign(settings, JSON.parse(localStorage.getItem(key) ?? "{}")); } catch { /* the defaults */ }

let changed = () => {};

export function change(name, value) {
  settings[name] = value;
  try { localStorage.setItem(key, JSON.stringify(settings)); } catch { /* kept until the page is closed */ }
  changed(name);
}

const rows = [
  ["theme", "Colours", ["auto", "light", "dark", "night"]],
  ["units", "Units", ["", ...unitNames]],
  ["shown", "Position", ["current", "raw", "matched"]],
  ["bySpeed", "Colour the track by speed"],
  ["visible", "Show the position"],
  ["accuracyVisible", "Show the accuracy"],
  ["tracksCourse", "Turn the marker to the course"],
  ["orientationOffset", "Offset of the marker, degrees", "number"],
  ["colour", "Colour of the marker", "color"],
  ["size", "Size of the marker, pixels", "number"],
];
const words = { "": "as on the tracker", auto: "as the system", night: "night (red)", current: "best", raw: "raw", matched: "on roads" };

/** Builds the dialog; `onchange(name)` is called for each change. */
export function openSettings(onchange) {
  changed = onchange;
  const choices = $("choices");
  for (const [name, label, kind] of rows) {
    let input;
    if (Array.isArray(kind)) {
      input = make("select", { onchange: () => change(name, input.value) }, ...kind.map((value) => make("option", { value }, words[value] ?? value)));
      input.value = settings[name];
    } else if (kind === "number") {
      input = make("input", { type: "number", min: name === "size" ? 16 : -360, max: name === "size" ? 128 : 360, onchange: () => Number.isFinite(input.valueAsNumber) && change(name, input.valueAsNumber) });
      input.value = settings[name];
    } else if (kind === "color") {
      input = make("input", { type: "color", onchange: () => change(name, input.value) });
      input.value = settings[name] || "#0b6e6e";
    } else {
      input = make("input", { type: "checkbox", onchange: () => change(name, input.checked) });
      input.checked = settings[name];
    }
    choices.append(make("label", {}, label, input));
  }
  const file = make("input", { type: "file", accept: "image/png,image/svg+xml,image/webp", onchange: () => {
    const [image] = file.files;
    if (!image || image.size > 200000) return;
    const reader = new FileReader();
    reader.onload = () => change("icon", reader.result);
    reader.readAsDataURL(image);
  } });
  choices.append(make("label", {}, "Own icon, up to 200 kB", file));
  choices.append(make("p", { class: "line" }, make("button", { type: "button", onclick: () => {
    for (const name in defaults) change(name, defaults[name]);
    $("settings").close();
    choices.replaceChildren();
    openSettings(onchange);
  } }, "Back to the defaults")));
  $("open-settings").onclick = () => $("settings").showModal();
}
