// Quantities and times for people; data is always in metres, metres per second and UTC.
const systems = {
  metric: { speed: [3.6, "km/h"], short: [1, "m"], long: [1000, "km"], height: [1, "m"] },
  imperial: { speed: [3600 / 1609.344, "mph"], short: [1 / 0.3048, "ft"], long: [1609.344, "mi"], height: [1 / 0.3048, "ft"] },
  nautical: { speed: [3600 / 1852, "kn"], short: [1, "m"], long: [1852, "nmi"], height: [1, "m"] },
};
let system = systems.metric;
let zone;

export const unitNames = Object.keys(systems);

/** Sets the units and the time zone; an empty zone is the browser's. */
export function setDisplay(units, timeZone) {
  system = systems[units] ?? systems.metric;
  zone = timeZone || undefined;
}

export const known = (value) => typeof value === "number" && Number.isFinite(value);
const number = (value, decimals) => value.toFixed(decimals);

export function speedParts(metresPerSecond) {
  const value = metresPerSecond * system.speed[0];
  return [number(value, value < 9.95 && value >= 0.05 ? 1 : 0), system.speed[1]];
}
export const speed = (metresPerSecond) => speedParts(metresPerSecond).join(" ");
export const speedFactor = () => system.speed;

export function distance(metres) {
  const short = Math.abs(metres) * system.short[0];
  if (short < 999.5) return `${number(short, short < 9.95 ? 1 : 0)} ${system.short[1]}`;
  const long = Math.abs(metres) / system.long[0];
  return `${number(long, long < 99.95 ? 1 : 0)} ${system.long[1]}`;
}
export const altitude = (metres) => `${number(metres * system.height[0], 0)} ${system.height[1]}`;

const winds = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
export const wind = (degrees) => winds[Math.round(degrees / 22.5) % 16];

export function span(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} days`;
}

export function bytes(count) {
  let [value, unit] = [count, "B"];
  for (const larger of ["KiB", "MiB", "GiB"]) if (value >= 1024) [value, unit] = [value / 1024, larger];
  return `${number(value, unit === "B" || value >= 99.5 ? 0 : 1)} ${unit}`;
}

const formatters = new Map();
/** A formatter of the shown zone: to make one takes a hundred times as long as to use it. */
function formatter(language, options) {
  const key = [language, zone, ...Object.entries(options).flat()].join();
  let found = formatters.get(key);
  if (!found) formatters.set(key, found = new Intl.DateTimeFormat(language, { ...options, timeZone: zone }));
  return found;
}
function format(time, options) {
  const date = new Date(time);
  try {
    return formatter(undefined, options).format(date);
  } catch {
    return isNaN(date) ? "" : date.toISOString();
  }
}
export const clock = (time) => format(time, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
export const dayWords = (time) => format(time, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
export const dayAndClock = (time) => format(time, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The day of a moment in the shown zone, as 2026-11-25. */
export function dayOf(time) {
  return formatter("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" }).format(time).slice(0, 10);
}

/** The first moment of a day in the shown zone. */
export function startOf(day) {
  let time = Date.parse(`${day}T00:00:00Z`);
  // The offset at that moment, found by what a clock there shows; twice, for days on which it changes.
  for (let round = 0; round < 2; round++) {
    const shown = formatter("en-CA", {
      year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
    }).format(time).replace(", ", "T");
    time += Date.parse(`${day}T00:00:00Z`) - Date.parse(`${shown}Z`);
  }
  return time;
}
