// The sky: where satellites are, which are used, how well they are heard; and the same as a table.
import { element } from "./indicator.js";

// By gpsd's gnssid; the shape and the letter tell what a colour-blind eye needs.
const systems = { 0: ["G", "GPS"], 1: ["S", "SBAS"], 2: ["E", "Galileo"], 3: ["B", "BeiDou"], 4: ["I", "IMES"], 5: ["Q", "QZSS"], 6: ["R", "GLONASS"], 7: ["N", "NavIC"] };
const shapes = { E: "M0-7L7 6H-7z", R: "M-6-6H6V6H-6z", B: "M0-8L8 0 0 8-8 0z", Q: "M-7-2L0-8 7-2 4 7H-4z" };

/** Draws a SKY report into a box. */
export function drawSky(box, sky) {
  const satellites = (sky?.satellites ?? []).toSorted((a, b) => Number(b.used) - Number(a.used) || (b.ss ?? 0) - (a.ss ?? 0));
  const plot = element("svg", { viewBox: "-82 -82 164 164", role: "img", "aria-label": `${satellites.filter((s) => s.used).length} of ${satellites.length} satellites used` });
  for (const radius of [24, 48, 72]) plot.append(element("circle", { r: radius, class: "ring" }));
  plot.append(element("path", { d: "M-72 0H72M0-72V72", class: "ring" }));
  for (const [name, x, y] of [["N", 0, -77], ["E", 77, 0], ["S", 0, 77], ["W", -77, 0]]) plot.append(element("text", { x, y }, name));
  const rows = document.createElement("tbody");
  for (const satellite of satellites) {
    const [letter, system] = systems[satellite.gnssid] ?? ["?", ""];
    if (satellite.el !== undefined && satellite.az !== undefined) {
      const radius = 72 * (1 - Math.max(0, satellite.el) / 90);
      const angle = (satellite.az * Math.PI) / 180;
      const strength = satellite.ss === undefined ? 0.5 : Math.min(1, Math.max(0.35, satellite.ss / 45));
      const group = element("g", { transform: `translate(${(radius * Math.sin(angle)).toFixed(1)} ${(-radius * Math.cos(angle)).toFixed(1)})`, opacity: strength.toFixed(2) });
      const look = { class: satellite.used ? "sat used" : "sat" };
      group.append(shapes[letter] ? element("path", { ...look, d: shapes[letter] }) : element("circle", { ...look, r: 6.5 }), element("text", { class: "letter" }, letter));
      plot.append(group);
    }
    const row = rows.insertRow();
    if (!satellite.used) row.className = "unused";
    for (const value of [`${system} ${satellite.PRN}`, satellite.ss === undefined ? "–" : Math.round(satellite.ss), satellite.used ? "used" : ""]) row.insertCell().textContent = value;
  }
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of ["Satellite", "dB-Hz", "Used"]) head.append(Object.assign(document.createElement("th"), { textContent: name, scope: "col" }));
  table.append(rows);
  const list = document.createElement("div");
  list.className = "table";
  list.tabIndex = 0;
  list.setAttribute("role", "region");
  list.setAttribute("aria-label", "Table of satellites");
  list.append(table);
  const place = box.querySelector(".table")?.scrollTop ?? 0;
  box.replaceChildren(plot, list);
  list.scrollTop = place;
}
