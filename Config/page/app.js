// The map page of the tracker: joins the live events, the map and the numbers.
import { Stream, ask } from "./stream.js";
import { TrackMap } from "./map.js";
import { settings, openSettings } from "./settings.js";
import { $, brief, make, showChip, showPosition, showFences, showEvents, showDelivery, showSky, showHealth, showLogs } from "./panel.js";
import * as units from "./units.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const state = { status: {}, position: undefined, events: [], stops: [], near: [], total: 0, connection: "", lastHeard: 0 };
const map = new TrackMap();

/** What may be looked at from outside, for tests and for the curious. */
window.waypost = { state, get map() { return map.map; }, get indicator() { return map.indicator; }, get track() { return map.track; } };

// Fetched while all else begins.
const leaflet = document.documentElement.dataset.leaflet === "yes" ? loadLeaflet() : null;

// The text for those without JavaScript has the place of the moment when the page was loaded.
document.querySelector("noscript").remove();
applyTheme();

async function loadLeaflet() {
  try {
    document.head.prepend(make("link", { rel: "stylesheet", href: "leaflet/leaflet.css" }));
    return await import("./leaflet/leaflet.esm.min.js");
  } catch { return null; }
}

// MARK: - What the tracker says

const handlers = {
  connection(now) {
    const before = state.connection;
    state.connection = now;
    if (now === "gone") state.goneSince ??= Date.now();
    if (now === "open") state.goneSince = state.refusal = undefined;
    document.body.classList.toggle("stale", now === "gone");
    map.indicator.setStale(now === "gone");
    if (state.position) showNumbers();
    if (now === "open" && (before === "gone" || before === "hidden")) refill();
    showState();
  },
  refused(words) {
    // Of a guest's cookie, which ends with the link, the tracker sees nothing any more.
    state.refusal = state.report?.visitor === "guest" && words.includes("token") ? "this link for guests has expired" : words;
    showState();
  },
  status(report, lateness = 0) {
    const isFirst = !state.report;
    const wasToday = !isFirst && isToday();
    const [wasPrivate, stood] = [state.status.privacy?.withheld, state.status.following?.stationary];
    state.report = report;
    state.status = report.status;
    state.isOwner = report.visitor === "owner";
    // A guest sees the current day.
    $("days").hidden = !state.isOwner;
    noteAge(report.age ?? report.status.last_age, lateness);
    units.setDisplay(settings.units || report.status.display?.units, report.status.display?.time_zone);
    map.setGround(report);
    const { position, privacy, last, last_age: lastAge } = report.status;
    if (privacy?.withheld && !position) withhold();
    else if (position) { if (!state.position || state.lost) take(position, lateness + 1000 * (report.age ?? 0)); }
    else lose(last, lastAge);
    if (wasPrivate && !privacy?.withheld) refill();
    // The doctor is a program of its own, which needs the processor that draws the map on a small board.
    if (isFirst) { setDay(); refill(); setTimeout(loadDoctor, 3000); }
    // Midnight: a page on a wall goes on with the new day.
    else if (wasToday && !isToday()) { setDay(); refill(); }
    // A stop has begun, or has ended.
    else if (isToday() && report.status.following?.stationary !== stood) loadTrack();
    map.markInside(report.status.fences?.inside);
    if (state.isOwner) {
      showDelivery(mergeOldest(report.status.destinations ?? []));
      showHealth(report.status, state.doctor, loadDoctor);
    }
    if (report.sky) showSky(report.sky);
    showState();
  },
  position(fix, lateness) {
    state.raw = fix;
    // Of the best position only the matched event that follows tells which it is.
    const waits = settings.shown === "matched" || settings.shown !== "raw" && state.status.roads?.matching;
    if (fix.mode > 1 && !waits) take(fix, lateness);
    performance.mark("position");
  },
  matched({ position, confidence, road }, lateness) {
    state.road = position && confidence >= 0.5 ? road : undefined;
    map.setRoad(state.road?.way_id);
    if (settings.shown === "raw") return;
    if (position && (confidence >= 0.5 || settings.shown === "matched")) take(position, lateness);
    else if (settings.shown !== "matched" && state.raw?.mode > 1) take(state.raw, lateness);
  },
  sky: showSky,
  lost(loss) {
    map.interrupt();
    if (loss.reason === "private" || loss.reason === "privacy_zone") withhold(loss.reason);
    else lose();
    state.lossWords = loss.detail;
    showState();
  },
  event(event) {
    if (!state.events.some(({ id }) => id === event.id)) state.events.push(event);
    state.heard?.push(event);
    if (isToday()) listEvents();
    say(`${event.event === "exit" ? "Left" : event.event === "enter" ? "Entered" : event.event} ${event.fence}`);
  },
  fences({ total, fences, version }) {
    Object.assign(state, { total, near: fences });
    listFences();
    const seen = `${version}/${total}`;
    if (state.fencesSeen !== seen) { state.fencesSeen = seen; loadFences(); }
  },
  beat({ age }) { noteAge(age); showState(); },
  dropped: refill,
  erased: refill,
};

/** `lateness`: how many milliseconds ago that was said. */
function noteAge(age, lateness = 0) {
  state.age = age;
  state.ageAt = performance.now() - lateness;
}

function take(position, lateness) {
  state.position = position;
  [state.lost, state.lossWords] = [false, undefined];
  noteAge(0, lateness);
  map.update(position);
  map.indicator.setAge("");
  showNumbers();
  showState();
}

function lose(last, age) {
  state.lost = true;
  if (last && !state.position) {
    state.position = last;
    noteAge(age);
  }
  map.lose(state.position);
  map.setRoad();
  showNumbers();
}

function withhold() {
  [state.position, state.lost, state.age, state.raw, state.road] = [undefined, false, undefined];
  map.indicator.withhold();
  map.setRoad();
  if (state.status.privacy?.private !== false) { map.clearTrack(); [state.events, state.stops] = [[], []]; listEvents(); }
  showPosition(undefined);
  listFences();
}

/** Nobody knows how fast a device is now that is lost, or not heard from, or where to. */
const isOld = () => state.lost || state.connection === "gone";
const showNumbers = () => showPosition(state.position, isOld() ? undefined : map.indicator.heading, isOld(), state.road);

/** The state of everything in a word, and what a banner says when a word is not enough. */
function showState() {
  const { status, position, connection } = state;
  const age = state.age === undefined ? undefined : state.age + (performance.now() - state.ageAt) / 1000;
  const ago = age === undefined ? "" : age < 2 ? "now" : `${units.span(age)} ago`;
  let [banner, isBad] = ["", false];
  if (connection === "gone") {
    showChip("not connected", "gone");
    banner = state.refusal ? `The tracker does not let this page in any more: ${state.refusal}.` : `No connection to the tracker for ${units.span((Date.now() - (state.goneSince ?? Date.now())) / 1000 + 2)}. What is shown may be old.`;
    isBad = true;
  } else if (status.privacy?.private) {
    showChip("private", "lost");
    banner = "Private mode is on: nothing is logged, sent or shown.";
  } else if (status.privacy?.withheld && !position) {
    showChip("privacy zone", "lost");
    banner = "Inside a privacy zone: no position is shown.";
  } else if (state.lost || (!position && state.report)) {
    showChip(position ? "lost" : "no position yet", "lost");
    const asleep = status.following?.asleep_seconds;
    const why = state.lossWords ?? status.source?.detail;
    banner = asleep ? `The receiver sleeps for ${units.span(asleep)} more.` : why ? `${why[0].toUpperCase()}${why.slice(1)}.` : (state.report ? "Waiting for the first fix." : "");
  } else if (position) {
    const words = [position.mode === 3 ? "3D fix" : "2D fix"];
    if (position.status === 8 || status.source?.url?.startsWith("sim:")) words.push("simulated");
    if (status.following?.stationary) words.push("at rest");
    showChip(words.join(", "), "fix");
  }
  $("age").textContent = ago;
  if (state.lost || connection === "gone") map.indicator.setAge(position && ago ? ago : "");
  const box = $("banner");
  if (box.textContent !== banner) box.textContent = banner;
  box.hidden = !banner;
  box.className = isBad ? "bad" : "";
  document.body.classList.toggle("waiting", !state.report);
  document.title = position && !isOld() && units.known(position.speed) ? `${units.speed(position.speed)} · waypost` : "waypost";
  measureSheet();
}

// MARK: - What is asked for

/** Fills what may have been missed: at the beginning, after sleep, after a lost connection. */
async function refill() {
  // Nothing of it is shown then.
  if (state.status.privacy?.private) return loadFences();
  await Promise.all([loadTrack(), loadEvents(), loadFences(), loadLogs()]);
}
const quietly = (task) => async (...values) => { try { await task(...values); } catch (error) { state.problem = error.message; } };

const dayPlus = (day, days) => new Date(Date.parse(`${day}T12:00:00Z`) + days * 86400000).toISOString().slice(0, 10);
/** The shown day, as the interface is asked for it: of 23 or 25 hours, too. */
function span() {
  const from = units.startOf(state.day);
  return `since=${new Date(from).toISOString()}${isToday() ? "" : `&until=${new Date(units.startOf(dayPlus(state.day, 1))).toISOString()}`}`;
}

const loadTrack = quietly(async () => {
  const asked = span();
  // Coarse: what is looked at closely is asked for when the map is there.
  const track = await ask(`track?${asked}&tolerance=8`);
  if (asked !== span()) return;
  state.stops = track.stops ?? [];
  map.showTrack(track, !isToday());
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("track")));
  map.indicator.remember(isToday() ? map.lastHeading() : undefined);
  if (state.position) showNumbers();
  listEvents();
});
map.askTrack = async ({ box, since, until, tolerance }) => {
  if (state.status.privacy?.private) return;
  const time = (milliseconds) => new Date(milliseconds).toISOString();
  try { return await ask(`track?since=${time(since)}&until=${time(until)}&box=${box}&tolerance=${tolerance}`); } catch (error) { state.problem = error.message; }
};
const loadEvents = quietly(async () => {
  const asked = span();
  // What happens while the answer is on its way is not in it.
  const heard = state.heard = [];
  const { events } = await ask(`events?${asked}`);
  if (asked !== span()) return;
  const known = new Set(events.map(({ id }) => id));
  state.events = [...events, ...(isToday() ? heard.filter(({ id }) => !known.has(id)) : [])];
  if (heard === state.heard) state.heard = undefined;
  listEvents();
});
/** What the doctor finds; the tracker asks it, which takes a moment. */
const loadDoctor = quietly(async () => {
  if (!state.isOwner) return;
  state.doctor = undefined;
  try { state.doctor = await ask("doctor"); } catch (error) { state.doctor = { problem: error.message }; }
  showHealth(state.status, state.doctor, loadDoctor);
});
const loadFences = quietly(async (box) => {
  const answer = await ask(box ? `fences?box=${box}` : "fences");
  state.shown = answer.collection.features.length;
  map.showFences(answer, state.status.fences?.inside);
});
const loadLogs = quietly(async () => { if (state.isOwner) showLogs((await ask("logs")).logs); });
const loadDelivery = quietly(async () => {
  if (!state.isOwner || document.hidden || !state.status.destinations?.length) return;
  state.oldest = Object.fromEntries((await ask("destinations")).destinations.map((entry) => [entry.name, entry.oldest_seconds]));
});
setInterval(loadDelivery, 15000);
const mergeOldest = (destinations) => destinations.map((entry) => ({ ...entry, oldest_seconds: state.oldest?.[entry.name] }));

let viewTimer;
map.onview = () => {
  // Only when there are more fences than are drawn.
  if (!(state.total > (state.shown ?? 0))) return;
  clearTimeout(viewTimer);
  viewTimer = setTimeout(() => loadFences(map.box), 300);
};

// MARK: - Lists and days

function listEvents() {
  showEvents(state.events, state.stops, {
    today: today(),
    empty: state.status.privacy?.private ? "Not shown in private mode." : isToday() ? "Nothing has happened today." : "Nothing happened on that day.",
    go: (lat, lon, lines) => map.goTo(lat, lon, lines),
  });
}
function listFences() {
  const isWithheld = !!state.status.privacy?.withheld && !state.position;
  showFences(state.near, state.total, { isWithheld, go: (fence) => map.showFence(fence.id) || map.goTo(fence.lat, fence.lon, [brief(fence.name)]) });
}

const today = () => units.dayOf(Date.parse(state.report?.time ?? new Date().toISOString()));
const isToday = () => state.day === undefined || state.day === today();
function setDay(day = today()) {
  state.day = day;
  $("day").value = day;
  $("day").max = today();
  $("pick").textContent = day === today() ? "Today" : units.dayWords(units.startOf(day) + 43200000);
  $("today").hidden = isToday();
  Object.assign($("gpx"), { href: `api/v1/gpx?${span()}`, download: `waypost-${day}.gpx` });
  $("day-after").disabled = isToday();
}
function goToDay(day) {
  if (!day || day > today()) return;
  setDay(day);
  map.follow(isToday());
  loadTrack();
  loadEvents();
}
const step = (days) => goToDay(dayPlus(state.day, days));
$("day-before").onclick = () => step(-1);
$("day-after").onclick = () => step(1);
$("today").onclick = () => goToDay(today());
$("pick").onclick = () => $("day").showPicker?.();
$("day").onchange = () => goToDay($("day").value);
$("days").onsubmit = (event) => event.preventDefault();

// MARK: - Controls

$("zoom-in").onclick = () => map.zoom(1);
$("zoom-out").onclick = () => map.zoom(-1);
$("follow").onclick = () => (isToday() ? map.follow(!map.follows) : goToDay(today()));
$("whole").onclick = () => map.showWhole();
$("copy").onclick = async () => {
  await navigator.clipboard.writeText($("place").textContent);
  say("Copied");
};
map.onfollow = (follows) => $("follow").setAttribute("aria-pressed", follows);
const sheet = $("sheet");
sheet.onclick = () => {
  const isOpen = $("panel").classList.toggle("open");
  sheet.setAttribute("aria-expanded", isOpen);
  sheet.setAttribute("aria-label", isOpen ? "Show less" : "Show more");
};
const keys = { f: "follow", t: "whole", s: "open-settings", "+": "zoom-in", "-": "zoom-out" };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea") || $("settings").open) return;
  const id = keys[event.key];
  if (!id) return;
  event.preventDefault();
  $(id).click();
});
addEventListener("resize", () => { measureSheet(); map.resize(); });

/** Says something to a screen reader. */
function say(words) {
  const voice = document.querySelector("#voice") ?? document.body.appendChild(make("p", { id: "voice", class: "skip", role: "status" }));
  voice.textContent = words;
}

/** How high the sheet of a phone is, so that buttons and the scale stay above it. */
function measureSheet() {
  const height = `${$("now").offsetHeight}px`;
  if (document.documentElement.style.getPropertyValue("--sheet") !== height) document.documentElement.style.setProperty("--sheet", height);
}

function applyTheme() {
  document.documentElement.dataset.theme = settings.theme !== "auto" ? settings.theme : dark.matches ? "dark" : "light";
  map.theme(document.documentElement.dataset.theme);
}
dark.onchange = applyTheme;

function applySettings() {
  const { visible, accuracyVisible, tracksCourse, orientationOffset, colour, icon, size, bySpeed } = settings;
  map.indicator.set({ visible, accuracyVisible, tracksCourse, orientationOffset, colour, icon, size });
  map.setBySpeed(bySpeed);
  units.setDisplay(settings.units || state.status.display?.units, state.status.display?.time_zone);
  $("legend").hidden = !bySpeed;
  $("legend").replaceChildren(...TrackMap.legend().map(({ colour, width, words }) => {
    const swatch = make("span");
    Object.assign(swatch.style, { background: colour, height: `${width}px`, width: "2rem", borderRadius: "9px" });
    return make("p", {}, swatch, words);
  }));
  if (state.position) showNumbers();
  listEvents();
  listFences();
}
openSettings((name) => (name === "theme" ? applyTheme() : applySettings()));
applySettings();
measureSheet();
// The page comes with the state of the moment, so that nothing waits for the first event.
const first = JSON.parse($("first").textContent);
$("first").remove();
// The way back from the address without the folder, which return.js takes: this storage, unlike a cookie, is not shared with other ports of the host.
// A link for guests that the owner tries does not take the owner's way.
if (/^\/[0-9a-f]{32}\/$/.test(location.pathname)) {
  try { localStorage.setItem(first.visitor === "owner" ? "waypost-folder" : "waypost-guest-folder", location.pathname); } catch { /* It can be bookmarked. */ }
}
if (first.status) handlers.status(first, performance.now() - (performance.getEntriesByType("navigation")[0]?.responseStart ?? 0));
new Stream(handlers);
// The tracker says each second how old things are, but not when it is away.
setInterval(() => { if (state.connection === "gone") showState(); }, 1000);
map.begin(await leaflet, $("map"));
if (state.report) map.setGround(state.report);
