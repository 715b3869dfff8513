// The map: ground, track, fences, indicator, and what it follows. Leaflet is given, or null: then there is no map, and all else works.
import { PositionIndicator } from "./indicator.js";
import { Graticule, Tiles } from "./base.js";
import { Track } from "./track.js";
import { brief, make, stopWords } from "./panel.js";
import * as units from "./units.js";

const speedSteps = [3, 8, 14, 22]; // m/s
const speedColours = ["#7c4fc4", "#2f6fd0", "#0f9488", "#c98a00", "#cf3d2e"];

export class TrackMap {
  #L; #map; #follows = true; #base; #lines; #live; #stopMarks; #track = new Track(); #fences = new Map(); #drawn = ""; #hasView = false; #bySpeed = false;
  #changedByUs = false; #shift = { x: 0, y: 0 }; #focus; #showsPast = false; #phone = matchMedia("(max-width: 760px)"); #still = matchMedia("(prefers-reduced-motion: reduce)");
  onfollow = () => {};
  onview = () => {};
  /** Gets what the track needs to be exact in the view; answers with the interface's answer. */
  askTrack = async () => undefined;

  /** The numbers need no map: it begins when Leaflet is there, with all that was told until then. */
  begin(L, box) {
    this.#L = L;
    if (!L) {
      box.classList.add("missing");
      box.textContent = "The map needs the package libjs-leaflet on the tracker. All numbers are here.";
      return;
    }
    const map = L.map(box, { zoomControl: false, attributionControl: false, zoomSnap: 0.5, minZoom: 2, maxZoom: 21, zoomAnimation: !this.#still.matches, worldCopyJump: true });
    this.#map = this.map = map;
    box.tabIndex = 0;
    for (const [name, level] of [["ground", 150], ["track", 350], ["indicator", 420]]) map.createPane(name).style.zIndex = level;
    map.getPane("indicator").style.pointerEvents = "none";
    map.setView([20, 0], 2);
    L.control.scale({ maxWidth: 140, imperial: false }).addTo(map);
    this.setBase(new Graticule());
    this.#lines = L.layerGroup().addTo(map);
    this.#canvas = L.canvas({ pane: "track", tolerance: 8 });
    this.#stopMarks = L.layerGroup().addTo(map);
    this.indicator.attach(L, map);
    // Dragging, and the arrow keys, leave the position; zooming does not.
    map.on("dragstart", () => this.follow(false));
    box.addEventListener("keydown", (event) => { if (event.key.startsWith("Arrow")) this.follow(false); });
    map.on("moveend", () => { if (!this.#changedByUs) this.onview(); this.#changedByUs = false; this.#nameFences(); this.#refineSoon(); });
    map.on("zoomstart", () => { this.#zooms = true; this.#shift = { x: 0, y: 0 }; });
    map.on("zoomend", () => { this.#zooms = false; for (const fence of this.#fences.values()) fence.layer.widen?.(); if (this.#follows) this.#keepInView(false); });
    map.on("click", (event) => this.#tapTrack(event.latlng));
    this.#redraw();
    this.showFences(this.#lastFences);
    this.#showSomething();
    if (this.#follows) this.#keepInView(false);
    this.#refineSoon();
  }
  indicator = new PositionIndicator();
  #canvas; #zooms = false; #ground; #way;

  get follows() { return this.#follows; }
  get track() { return this.#track; }

  setBase(base) {
    if (!this.#map) return;
    this.#base?.detach();
    this.#base = base;
    base.attach(this.#map, this.#L);
    base.theme(document.documentElement.dataset.theme);
  }
  /** What lies below: tiles of the owner's server, the roads of the tracker's road file, or a grid. */
  async setGround({ tiles, ground }) {
    const key = tiles || ground?.version;
    if (!this.#map || key === this.#ground) return;
    this.#ground = key;
    const base = tiles ? new Tiles(tiles) : ground ? new (await import("./roads.js")).Roads(ground, this.#way) : new Graticule();
    if (key === this.#ground) this.setBase(base);
  }
  /** The road on which the device is: the number of its way, or undefined. */
  setRoad(way) { this.#way = way; this.#base?.highlight?.(way); }

  theme(name) {
    this.#base?.theme(name);
    this.#redraw();
    this.#drawn = "";
    this.showFences(this.#lastFences);
    this.indicator.set({});
  }

  follow(follows) {
    if (this.#follows !== follows) {
      this.#follows = follows;
      this.onfollow(follows);
    }
    if (follows) {
      this.#focus?.remove();
      this.#keepInView(true);
    }
    const centre = follows ? "center" : true;
    if (this.#map) Object.assign(this.#map.options, { scrollWheelZoom: centre, touchZoom: centre, doubleClickZoom: centre });
  }

  zoom(by) { this.#map?.zoomIn(by); }
  resize() { this.#map?.invalidateSize({ pan: false }); if (this.#follows) this.#keepInView(false); }

  // MARK: position

  update(position, isLive = true) {
    this.indicator.update(position);
    if (isLive && !this.#showsPast) this.#grow(position);
    if (this.#follows) this.#keepInView(this.#hasView);
  }

  /** The position is lost: its last place stays, if it may be known. */
  lose(last) {
    this.indicator.lose(last);
    if (this.#follows) this.#keepInView(false);
  }

  /** The position a little behind the middle in the direction of travel, so that more of what is ahead is seen; clear of the sheet on a phone. */
  #keepInView(animates) {
    const map = this.#map;
    const position = this.indicator.position;
    // A move would end the zooming half way.
    if (!map || !position || this.#zooms) return;
    if (!this.#hasView) {
      this.#hasView = true;
      this.#changedByUs = true;
      map.setView([position.lat, position.lon], 16.5, { animate: false });
    }
    const size = map.getSize();
    const ahead = this.indicator.state === "fix" && (position.speed ?? 0) > 3 && this.indicator.heading !== undefined ? Math.min(size.x, size.y) * 0.16 : 0;
    const angle = ((this.indicator.heading ?? 0) * Math.PI) / 180;
    const covered = this.#phone.matches ? document.getElementById("panel").offsetHeight : 0;
    const wanted = { x: Math.sin(angle) * ahead, y: -Math.cos(angle) * ahead };
    this.#shift.x += (wanted.x - this.#shift.x) * 0.15;
    this.#shift.y += (wanted.y - this.#shift.y) * 0.15;
    const point = map.latLngToContainerPoint([position.lat, position.lon]);
    const offset = this.#L.point(point.x - size.x / 2 + this.#shift.x, point.y - (size.y - Math.min(covered, size.y * 0.6)) / 2 + this.#shift.y);
    const length = Math.hypot(offset.x, offset.y);
    if (length < 1) return;
    const moves = animates && !this.#still.matches && length < size.x;
    // Without motion the ground jumps only when the position leaves the middle.
    if (this.#still.matches && length < Math.min(size.x, size.y) * 0.2 && animates) return;
    this.#changedByUs = true;
    map.panBy(offset, moves ? { animate: true, duration: 0.6, easeLinearity: 1, noMoveStart: true } : { animate: false, noMoveStart: true });
  }

  /** Goes to a place and leaves the position. */
  goTo(lat, lon, words) {
    if (!this.#map || lat === undefined) return;
    this.follow(false);
    this.#hasView = true;
    this.#map.setView([lat, lon], Math.max(this.#map.getZoom(), 15), { animate: !this.#still.matches });
    this.#focus?.remove();
    this.#focus = this.#L.popup({ closeButton: true }).setLatLng([lat, lon]).setContent(lines(words)).openOn(this.#map);
  }

  // MARK: track

  /** Replaces the track; `isPast` says that live positions do not belong to it. */
  showTrack(answer, isPast) {
    this.#showsPast = isPast;
    this.#track.replace(answer);
    this.#redraw();
    this.#showSomething();
    if (isPast) this.showWhole();
    this.#refineSoon();
  }
  /** While there is no position: where the track was, or where the fences are, rather than the whole Earth. */
  #showSomething() {
    if (!this.#map || this.#hasView) return;
    const places = this.#track.points.map(place);
    const boxes = places.length ? this.#L.latLngBounds(places) : [...this.#fences.values()].reduce((box, { layer }) => box.extend(layer.getBounds()), this.#L.latLngBounds([]));
    this.#changedByUs = true;
    if (boxes.isValid()) this.#map.fitBounds(boxes, { padding: [40, 40], maxZoom: 16, animate: false });
  }
  clearTrack() { this.showTrack({ segments: [] }, this.#showsPast); }
  setBySpeed(bySpeed) { this.#bySpeed = bySpeed; this.#redraw(); }

  /** A loss: the next position does not continue the line. */
  interrupt() {
    this.#freeze();
    this.#track.isBroken = true;
  }
  /** What was live is drawn with the points that are kept of it. */
  #freeze(last) {
    this.#track.freeze(last);
    this.#live?.setLatLngs(this.#track.pieces.at(-1).map(place));
    this.#live = undefined;
    if (this.#bySpeed) this.#redraw();
  }

  #grow(position) {
    if (!this.#track.grow(position) || !this.#lines) return;
    const { live } = this.#track;
    if (live.length > 240) this.#freeze(live.at(-1));
    const places = this.#track.live.map(place);
    if (this.#live) this.#live.setLatLngs(places);
    else this.#live = this.#line(places).addTo(this.#lines);
  }

  #refining; #isRefining = false;
  /** Asks for a finer track when the view has come to rest, one part at a time. */
  #refineSoon() {
    this.#refining ??= setTimeout(() => { this.#refining = undefined; this.#refine(); }, 250);
  }
  async #refine() {
    if (!this.#map || this.#isRefining || this.#zooms) return;
    const centre = this.#map.getCenter();
    const wanted = this.#track.wanted({ box: this.box.split(",").map(Number), metresPerPixel: metresPerPixel(centre.lat, this.#map.getZoom()) });
    if (!wanted) return;
    this.#isRefining = true;
    const track = this.#track.pieces;
    const answer = await this.askTrack(wanted);
    this.#isRefining = false;
    // Not the track of another day, or one that is loaded anew.
    if (!answer || track !== this.#track.pieces) return answer && this.#refineSoon();
    this.#track.refine(answer, wanted);
    this.#redraw();
    this.#refineSoon();
  }

  #line(places, style = {}) {
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--track").trim();
    return this.#L.polyline(places, { renderer: this.#canvas, color: colour, weight: 4, opacity: 0.85, smoothFactor: 0.5, interactive: false, ...style });
  }

  #redraw() {
    if (!this.#lines) return;
    this.#lines.clearLayers();
    this.#live = undefined;
    for (const piece of this.#track.pieces) {
      if (!this.#bySpeed) this.#line(piece.map(place)).addTo(this.#lines);
      else for (const [step, points] of bySpeed(piece)) this.#line(points.map(place), { color: speedColours[step], weight: 3 + step, opacity: 1 }).addTo(this.#lines);
    }
    if (this.#track.live.length) this.#live = this.#line(this.#track.live.map(place)).addTo(this.#lines);
    this.#stopMarks.clearLayers();
    const style = getComputedStyle(document.documentElement);
    const look = { renderer: this.#canvas, radius: 6, weight: 3, color: style.getPropertyValue("--track").trim(), fillColor: style.getPropertyValue("--panel").trim(), fillOpacity: 1, interactive: false };
    for (const stop of this.#track.stops) this.#L.circleMarker([stop.lat, stop.lon], look).addTo(this.#stopMarks);
  }

  /** What the colours of the track mean, for the legend: a width, a colour and words. */
  static legend() {
    const [factor, unit] = units.speedFactor();
    const limits = speedSteps.map((step) => Math.round(step * factor));
    return speedColours.map((colour, index) => ({
      colour, width: 3 + index, words: index === 0 ? `below ${limits[0]} ${unit}` : index === 4 ? `above ${limits[3]} ${unit}` : `${limits[index - 1]} to ${limits[index]} ${unit}`,
    }));
  }

  showWhole() {
    const places = this.#track.points.map(place);
    if (!this.#map || !places.length) return;
    this.follow(false);
    this.#hasView = true;
    this.#map.fitBounds(this.#L.latLngBounds(places), { padding: [40, 40], paddingBottomRight: [40, this.#phone.matches ? document.getElementById("panel").offsetHeight : 40], maxZoom: 17, animate: false });
  }

  /** The last heading of the track: that of a vehicle at rest. */
  lastHeading() {
    for (const piece of this.#track.pieces.toReversed()) {
      const point = piece.findLast((point) => (point[3] ?? 0) >= 0.6 && point[6] !== null);
      if (point) return point[6];
    }
  }

  #tapTrack(latlng) {
    const map = this.#map;
    const tapped = map.latLngToLayerPoint(latlng);
    const gap = (lat, lon) => map.latLngToLayerPoint([lat, lon]).distanceTo(tapped);
    const stop = this.#track.stops.find(({ lat, lon }) => gap(lat, lon) < 12);
    if (stop) return this.goTo(stop.lat, stop.lon, stopWords(stop));
    let [nearest, best] = [null, 18];
    for (const point of this.#track.points) {
      const distance = gap(point[1], point[2]);
      if (distance < best) [nearest, best] = [point, distance];
    }
    if (!nearest) return;
    const [time, lat, lon, speed, accuracy, altitude] = nearest;
    this.goTo(lat, lon, [
      units.dayAndClock(time), speed === null ? "" : units.speed(speed), accuracy === null ? "accuracy unknown" : `±${units.distance(accuracy)}`,
      altitude === null ? "" : `${units.altitude(altitude)} above the sea`,
    ]);
    this.#ring?.remove();
    if (accuracy !== null) this.#ring = this.#L.circle([lat, lon], { radius: accuracy, weight: 1, interactive: false }).addTo(map);
    map.once("popupclose", () => this.#ring?.remove());
  }
  #ring;

  // MARK: fences

  #lastFences;

  /** Draws the fences of an answer; `inside` has the ids of those that the device is in. */
  showFences(answer, inside = this.#inside) {
    this.#lastFences = answer;
    this.#inside = inside;
    if (!this.#map || !answer) return;
    // A fence that was moved or renamed has the same id.
    const drawn = JSON.stringify(answer.collection) + document.documentElement.dataset.theme;
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      for (const { layer } of this.#fences.values()) layer.remove();
      this.#fences.clear();
      for (const feature of answer.collection.features) {
        const layer = this.#shape(feature);
        if (!layer) continue;
        this.#fences.set(String(feature.id), { layer: layer.addTo(this.#map), name: feature.properties.name, isInside: false });
        layer.bindTooltip(text(brief(feature.properties.name)), { sticky: true });
      }
    }
    this.markInside(inside);
    this.#showSomething();
    this.#nameFences();
  }
  #inside = [];

  /** Fills the fences that the device is in. */
  markInside(ids = []) {
    this.#inside = ids;
    const inside = new Set(ids);
    for (const [id, fence] of this.#fences) {
      if (fence.isInside === inside.has(id)) continue;
      fence.isInside = inside.has(id);
      fence.layer.setStyle({ fillOpacity: fence.isInside ? 0.28 : 0.06, weight: fence.isInside ? 2.5 : 1.5 });
    }
  }

  #shape({ geometry, properties }) {
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--fence").trim();
    const style = { color: colour, weight: 1.5, fillColor: colour, fillOpacity: 0.06, renderer: this.#canvas };
    const turned = (list) => (typeof list[0] === "number" ? [list[1], list[0]] : list.map(turned));
    const places = turned(geometry.coordinates);
    switch (geometry.type) {
      case "Point": return this.#L.circle(places, { ...style, radius: properties.radius });
      case "Polygon":
      case "MultiPolygon": return this.#L.polygon(places, style);
      case "LineString": {
        const line = this.#L.polyline(places, { ...style, opacity: 0.25, lineCap: "round" });
        // A corridor is as wide on the ground as it says.
        line.widen = () => {
          line.setStyle({ weight: Math.max(2, properties.width / metresPerPixel(places[0][0], this.#map.getZoom())) });
        };
        line.widen();
        return line;
      }
    }
  }

  /** Names stand on fences that have room for them, while few are seen. */
  #nameFences() {
    const bounds = this.#map.getBounds();
    const seen = [...this.#fences.values()].filter(({ layer }) => bounds.intersects(layer.getBounds()));
    for (const fence of this.#fences.values()) {
      const box = fence.layer.getBounds();
      const width = this.#map.latLngToLayerPoint(box.getNorthEast()).x - this.#map.latLngToLayerPoint(box.getSouthWest()).x;
      const fits = seen.length <= 60 && width > fence.name.length * 7 + 12 && seen.includes(fence);
      if (fits === fence.isNamed) continue;
      fence.isNamed = fits;
      fence.layer.unbindTooltip();
      fence.layer.bindTooltip(text(brief(fence.name)), fits ? { permanent: true, direction: "center", className: "fence-name" } : { sticky: true });
      // Leaflet's own middle of a polygon is that of the zoom before.
      if (fits) fence.layer.openTooltip(box.getCenter());
    }
  }

  /** Goes to a fence. */
  showFence(id) {
    const fence = this.#fences.get(id);
    if (!fence) return false;
    this.follow(false);
    this.#hasView = true;
    this.#map.fitBounds(fence.layer.getBounds(), { padding: [60, 60], maxZoom: 18 });
    return true;
  }

  /** The seen part of the Earth, for the interface. */
  get box() {
    const bounds = this.#map?.getBounds();
    const cut = (value, limit) => Math.max(-limit, Math.min(limit, value)).toFixed(5);
    return bounds && [cut(bounds.getSouth(), 90), cut(bounds.getWest(), 180), cut(bounds.getNorth(), 90), cut(bounds.getEast(), 180)].join();
  }
}

const place = (point) => [point[1], point[2]];
const metresPerPixel = (lat, zoom) => (40075017 * Math.cos((lat * Math.PI) / 180)) / (256 * 2 ** zoom);

function* bySpeed(points) {
  let [step, run] = [-1, []];
  for (const point of points) {
    const next = speedSteps.filter((limit) => (point[3] ?? 0) >= limit).length;
    run.push(point);
    if (next !== step && run.length > 1) {
      yield [Math.max(step, 0), run];
      run = [point];
    }
    step = next;
  }
  if (run.length > 1) yield [Math.max(step, 0), run];
}

// Text is never HTML, whatever a name says.
const text = (words) => make("bdi", {}, words);
const lines = (words) => make("div", {}, ...words.filter(Boolean).map((line) => make("div", {}, line)));
