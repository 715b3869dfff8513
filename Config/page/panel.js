// The numbers and lists beside the map. Everything is set as text: names from files and servers are never HTML.
import * as units from "./units.js";
import { drawSky } from "./sky.js";

export const $ = (id) => document.getElementById(id);

/** A node with a class and content. */
export function make(name, attributes = {}, ...content) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...content.filter((part) => part !== undefined && part !== ""));
  return node;
}

/** A name of any length: cut where it would fill the page, and then whole as the title. */
export const brief = (name) => (name?.length > 100 ? `${[...name].slice(0, 99).join("")}…` : name);
const whole = (name) => (name?.length > 100 ? name : undefined);

/** Replaces a list only when it changed: a focused button stays focused. */
function fill(list, rows) {
  const key = rows.map((row) => row.key).join("\n");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const focus = [...list.children].findIndex((child) => child.contains(document.activeElement));
  list.replaceChildren(...rows.map((row) => row.node()));
  if (focus >= 0) list.children[focus]?.querySelector("button, a")?.focus();
}
const none = (words) => ({ key: words, node: () => make("li", { class: "none" }, words) });

/** The state in a word, with the colour that goes with it. */
export function showChip(words, kind) {
  const chip = $("chip");
  if (chip.textContent !== words) chip.textContent = words;
  chip.className = kind;
}

/**
 * `isLost`: the place is the last one that was known, and nobody knows how fast it is now.
 * `road`: the road on which the device is, if that is known.
 */
export function showPosition(position, heading, isLost, road) {
  const [value, unit] = units.known(position?.speed) && !isLost ? units.speedParts(position.speed) : ["–", ""];
  $("speed").textContent = value;
  $("speed-unit").textContent = unit;
  $("heading").hidden = heading === undefined;
  if (heading !== undefined) {
    $("needle").style.transform = `rotate(${heading}deg)`;
    $("course").textContent = `${Math.round(heading) % 360}° ${units.wind(heading)}`;
  }
  $("accuracy").textContent = isLost ? (position ? "Last known place" : "") : position ? (units.known(position.accuracy) ? `±${units.distance(position.accuracy)}` : "accuracy unknown") : "";
  $("altitude").textContent = units.known(position?.altMSL) && !isLost ? `${units.altitude(position.altMSL)} above the sea` : "";
  $("satellites").textContent = position?.satellites && !isLost ? `${position.satellites} satellites` : "";
  $("road").textContent = road && position && !isLost ? (road.name ? `\u2068${brief(road.name)}\u2069, ${road.class}` : `on a road: ${road.class}`) : "";
  $("place").textContent = position ? `${position.lat.toFixed(6)}, ${position.lon.toFixed(6)}` : "";
  // The clipboard works only over HTTPS or on this machine.
  $("copy").hidden = !position || !navigator.clipboard;
}

export function showFences(fences, total, { isWithheld, go }) {
  $("fences-box").hidden = !total;
  $("fences-count").textContent = total ? `${total}, the nearest first` : "";
  if (isWithheld) return fill($("fences"), [none("Not shown while the position is withheld.")]);
  fill($("fences"), fences.slice(0, 12).map((fence) => {
    const value = !units.known(fence.distance) ? "" : fence.inside ? `inside, ${units.distance(fence.distance)} to the border` : units.distance(fence.distance);
    return {
      key: `${fence.id} ${fence.name} ${value} ${fence.inside}`,
      node: () => make("li", { class: fence.inside ? "inside" : "" }, make("button", { type: "button", title: whole(fence.name), onclick: () => go(fence) }, brief(fence.name)), make("span", { class: "value" }, value)),
    };
  }));
}

/** What a stop says: how long, and when. */
export function stopWords({ since, until }) {
  if (!until) return [`Stopped since ${units.dayAndClock(since)}`];
  return [`Stopped for ${units.span((Date.parse(until) - Date.parse(since)) / 1000)}`, `${units.dayAndClock(since)} to ${units.dayAndClock(until)}`];
}

const kinds = { enter: "Entered", exit: "Left", dwell: "Stayed in", pass: "Passed through" };
const reasons = { created: "the fence is new", removed: "the fence was removed", moved: "the fence was moved", expired: "the fence has expired" };

/** Events and stops, the newest first. */
export function showEvents(events, stops, { go, empty, today }) {
  const clock = (time) => (units.dayOf(Date.parse(time)) === today ? units.clock(time) : units.dayAndClock(time));
  const rows = events.slice(-60).map((event) => {
    const words = `${brief(kinds[event.event] ?? event.event)} ${brief(event.fence)}`;
    const details = [event.time && clock(event.time), event.late ? "noticed late" : "", reasons[event.reason] ?? ""].filter(Boolean).join(", ");
    return { time: event.time ?? "", key: event.id, words, title: whole(event.fence) ?? whole(event.event), details, lat: event.lat, lon: event.lon, lines: [words, event.time ? units.dayAndClock(event.time) : "", units.known(event.speed) ? units.speed(event.speed) : ""] };
  });
  for (const stop of stops) rows.push({ time: stop.since, key: "stop", words: stopWords(stop)[0], details: clock(stop.since), lat: stop.lat, lon: stop.lon, lines: stopWords(stop) });
  if (!rows.length) return fill($("events"), [none(empty)]);
  rows.sort((a, b) => (Date.parse(b.time) || 0) - (Date.parse(a.time) || 0));
  fill($("events"), rows.slice(0, 80).map(({ key, words, title, details, lat, lon, lines }) => ({
    key: [key, words, details].join(),
    node: () => make("li", {}, lat === undefined ? make("span", { title }, words) : make("button", { type: "button", title, onclick: () => go(lat, lon, lines) }, words), make("small", { class: "value" }, details)),
  })));
}

const states = {
  idle: "all sent", waiting: "waiting for the next attempt", sending: "sending", retrying: "not reached, tried again", failing: "needs attention",
  paused: "paused", opted_out: "sending is switched off", unconfigured: "no longer configured",
};

export function showDelivery(destinations) {
  $("delivery-box").hidden = !destinations.length;
  fill($("delivery"), destinations.map((destination) => {
    const waiting = destination.events + (destination.positions ?? 0);
    const facts = [
      `${destination.sent} sent`, `${waiting} waiting`, units.known(destination.oldest_seconds) && waiting ? `the oldest for ${units.span(destination.oldest_seconds)}` : "",
      units.known(destination.next_seconds) && waiting ? `next try in ${units.span(destination.next_seconds)}` : destination.on_demand ? "sends on demand" : "",
      destination.dead_letters ? `${destination.dead_letters} refused for good` : "", destination.dropped ? `${destination.dropped} dropped` : "",
    ].filter(Boolean).join(" · ");
    const state = states[destination.state] ?? destination.state;
    return {
      key: [destination.name, state, facts, destination.reason].join(),
      node: () => make("li", {}, make("strong", { title: whole(destination.name) }, brief(destination.name)), make("small", { class: "value" }, state), make("small", {}, facts),
        destination.reason && make("span", { class: "why" }, destination.reason)),
    };
  }));
}

export function showSky(sky) {
  $("sky-box").hidden = !sky?.satellites?.length;
  if (sky) drawSky($("sky"), sky);
}

/** The tracker's problems, what `waypost doctor` has found, and some facts; `look` examines the set-up again. */
export function showHealth(status, doctor, look) {
  $("health-box").hidden = false;
  const rows = (status.problems ?? []).map((words) => ({ key: words, node: () => make("li", { class: "problem" }, words) }));
  const isFaulty = doctor?.findings?.some(({ level }) => level === "fault");
  if (!rows.length) rows.push(none(isFaulty ? "The tracker has no problem, but its set-up has; see below." : "All is well."));
  for (const words of [status.search?.next, ...(status.search?.commands ?? [])].filter(Boolean)) rows.push({ key: words, node: () => make("li", {}, make("small", {}, words)) });
  const facts = [
    ["Source", [status.source?.url, status.source?.connected].filter(Boolean).join(", ")], ["Log", status.log?.off ? "off" : status.log && `${status.log.positions} positions${status.privacy?.withheld ? ", none now" : status.log.recording ? "" : ", paused"}`],
    ["Running for", units.span(status.uptime)], ["Version", status.version],
  ];
  for (const [name, value] of facts) if (value) rows.push({ key: name + value, node: () => make("li", {}, make("small", {}, name), make("small", { class: "value" }, value)) });
  fill($("health"), rows);
  const findings = doctor?.findings ?? [];
  const found = findings.map(({ level, what, evidence, commands }) => ({
    key: what + commands.join(),
    node: () => make("li", {}, make("details", {}, make("summary", { class: level === "fault" ? "problem" : "" }, what),
      ...evidence.map(({ file, line, text }) => make("small", {}, `${line ? `${file}:${line}` : file}: ${text}`)), commands.length ? make("pre", { tabindex: 0 }, commands.join("\n")) : "")),
  }));
  const words = !doctor ? "The set-up is being examined." : doctor.problem ?? (findings.length ? "" : `The set-up has no fault${doctor.not_checked ? "; from here not all of it is seen (sudo waypost doctor)" : ""}.`);
  if (words) found.unshift(none(words));
  if (doctor) found.push({ key: "look", node: () => make("li", {}, make("button", { type: "button", onclick: look }, "Examine the set-up again")) });
  fill($("doctor"), found);
}

export function showLogs(logs) {
  $("logs-box").hidden = false;
  const row = (log) => ({
    key: log.name + log.bytes,
    node: () => make("li", {}, make("a", { href: `api/v1/logs/${encodeURIComponent(log.name)}`, download: log.name }, log.name), make("small", { class: "value" }, units.bytes(log.bytes))),
  });
  const shown = logs.slice(0, showLogs.count ?? 8).map(row);
  if (logs.length > shown.length) {
    const more = () => { showLogs.count = logs.length; showLogs(logs); };
    shown.push({ key: "more", node: () => make("li", {}, make("button", { type: "button", onclick: more }, `${logs.length - shown.length + 1} older ones`)) });
  }
  fill($("logs"), shown.length ? shown : [none("No finished track yet; one ends at midnight UTC, and when the tracker is stopped.")]);
}
