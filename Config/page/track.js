// The track of a day: coarse as a whole, finer where somebody looks closely, and what is added live. A point is what `columns` of the interface names.

/** The track; no part of it draws anything. */
export class Track {
  #coarse = []; #tolerance = 0; #detail; #frozen = []; #pieces = [];
  /** What is growing: the points since the last piece was closed. */
  live = [];
  /** Where the device stood: with `since`, `until` (not while it still stands), `lat`, `lon`. */
  stops = [];
  /** After a loss the next position does not continue the line. */
  isBroken = false;

  /** The pieces, each without a gap; without the live one. */
  get pieces() { return this.#pieces; }
  /** All points, those of the pieces and the live ones. */
  get points() { return [...this.#pieces.flat(), ...this.live]; }

  /** Replaces it by an answer of the interface. */
  replace({ segments, tolerance = 0, stops = [] }) {
    this.#coarse = segments.map(({ points }) => points);
    [this.#tolerance, this.stops, this.#detail, this.#frozen, this.live] = [tolerance, stops, undefined, [], []];
    this.#join();
  }

  /** Adds a live position; false when it is not new. */
  grow(position) {
    const time = Date.parse(position.time);
    const last = this.live.at(-1) ?? this.#pieces.at(-1)?.at(-1);
    if (last && time <= last[0]) return false;
    // Continues the piece that was there when the page was opened, unless a loss lies between.
    if (!this.live.length && last && !this.isBroken) this.live.push(last);
    this.isBroken = false;
    this.live.push([time, position.lat, position.lon, position.speed ?? null, position.accuracy ?? null, position.altMSL ?? null, position.track ?? null]);
    return true;
  }

  /** What was live becomes a piece like the others; `last` begins the next one. */
  freeze(last) {
    // An hour at 10 Hz is 36 000 points; those on a line between others add nothing but their memory.
    if (this.live.length) this.#frozen.push(simplified(this.live, 0.3));
    this.live = last ? [last] : [];
    if (count(this.#frozen) > 20000) this.#frozen = this.#frozen.map((piece) => piece.filter((_, index) => index % 2 === 0 || index === piece.length - 1));
    this.#join();
  }

  /**
   * The part to ask for so that a view is exact to a pixel; null when nothing better is needed.
   *
   * The time is that in which the coarse track comes near the view: the tracker then reads no more of its log than it must.
   */
  wanted({ box, metresPerPixel }) {
    const tolerance = Math.max(0.03, metresPerPixel * 0.7);
    const enough = tolerance * 1.5;
    if (this.#tolerance <= enough) return this.#drop();
    if (this.#detail && this.#detail.asked <= enough && contains(this.#detail.box, box)) return null;
    const padded = grown(box, (box[2] - box[0]) * 0.5, (box[3] - box[1]) * 0.5);
    const margin = this.#tolerance / 111000;
    const near = grown(padded, margin, margin / Math.max(0.01, Math.cos((box[0] * Math.PI) / 180)));
    let [since, until] = [Infinity, -Infinity];
    for (const piece of this.#coarse) {
      piece.forEach((point, index) => {
        const next = piece[index + 1] ?? point;
        if (!touches(near, point, next)) return;
        since = Math.min(since, point[0]);
        until = Math.max(until, next[0]);
      });
    }
    if (since > until) return this.#drop();
    return { box: padded.map((degrees) => degrees.toFixed(6)), since, until: until + 1, tolerance: tolerance.toFixed(3) };
  }

  /** Takes the answer to what was wanted. */
  refine({ segments }, { box, tolerance }) {
    const pieces = segments.map(({ points }) => points).filter((points) => points.length);
    this.#detail = { box: box.map(Number), asked: Number(tolerance), pieces };
    this.#join();
  }

  /** Back to the coarse track alone; null. */
  #drop() {
    if (this.#detail) {
      this.#detail = undefined;
      this.#join();
    }
    return null;
  }

  #join() {
    const fine = this.#detail?.pieces ?? [];
    this.#pieces = [...this.#coarse.map((piece) => joined(piece, fine)), ...this.#frozen];
  }
}

const count = (pieces) => pieces.reduce((sum, piece) => sum + piece.length, 0);
const grown = ([south, west, north, east], tall, wide) =>
  [Math.max(-90, south - tall), Math.max(-180, west - wide), Math.min(90, north + tall), Math.min(180, east + wide)];
const contains = (outer, [south, west, north, east]) => south >= outer[0] && west >= outer[1] && north <= outer[2] && east <= outer[3];
const touches = ([south, west, north, east], [, latA, lonA], [, latB, lonB]) =>
  Math.max(latA, latB) >= south && Math.min(latA, latB) <= north && Math.max(lonA, lonB) >= west && Math.min(lonA, lonB) <= east;

/** The points of a piece without those that lie within so many metres of the line (Ramer, Douglas and Peucker). */
function simplified(points, tolerance) {
  if (points.length < 3) return points;
  const [, lat, lon] = points[0];
  const wide = 111320 * Math.cos((lat * Math.PI) / 180);
  const flat = points.map((point) => [(point[2] - lon) * wide, (point[1] - lat) * 110540]);
  const kept = new Set([0, points.length - 1]);
  const parts = [[0, points.length - 1]];
  while (parts.length) {
    const [first, last] = parts.pop();
    const [dx, dy] = [flat[last][0] - flat[first][0], flat[last][1] - flat[first][1]];
    const length = dx * dx + dy * dy;
    let [farthest, most] = [0, tolerance];
    for (let index = first + 1; index < last; index++) {
      const [x, y] = [flat[index][0] - flat[first][0], flat[index][1] - flat[first][1]];
      const along = length ? Math.min(1, Math.max(0, (x * dx + y * dy) / length)) : 0;
      const gap = Math.hypot(x - along * dx, y - along * dy);
      if (gap > most) [farthest, most] = [index, gap];
    }
    if (!farthest) continue;
    kept.add(farthest);
    parts.push([first, farthest], [farthest, last]);
  }
  return points.filter((_, index) => kept.has(index));
}

/** A piece in which the points of finer ones stand for its own of the same time. */
function joined(piece, fine) {
  const [first, last] = [piece[0]?.[0], piece.at(-1)?.[0]];
  const parts = fine.filter((part) => part.at(-1)[0] >= first && part[0][0] <= last);
  if (!parts.length) return piece;
  const points = [];
  let index = 0;
  for (const part of parts) {
    while (index < piece.length && piece[index][0] < part[0][0]) points.push(piece[index++]);
    for (const point of part) points.push(point);
    while (index < piece.length && piece[index][0] <= part.at(-1)[0]) index++;
  }
  while (index < piece.length) points.push(piece[index++]);
  return points;
}
