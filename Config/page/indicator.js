// Where the device is: a marker with its heading, and the circle that holds 68 % of positions.
const svg = "http://www.w3.org/2000/svg";
const leastSpeed = 0.6; // m/s; below, the course of a receiver is noise

export function element(name, attributes, ...children) {
  const node = document.createElementNS(svg, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...children);
  return node;
}

/**
 * The position indicator.
 *
 * Properties, each effective at once: `visible`, `accuracyVisible`, `tracksCourse` (the marker turns to the course; at rest it keeps its last
 * heading), `orientationOffset` (degrees, added only to a heading from movement), `colour`, `icon` (an image's address; null for the arrow), `size`
 * (pixels). States: "fix", "lost" (hollow and grey, with its age), "private" (nothing is shown).
 */
export class PositionIndicator {
  #L; #map; #marker; #circle; #box; #position; #heading; #turn = 0; #label; #key; #isStale = false;
  #settings = { visible: true, accuracyVisible: true, tracksCourse: true, orientationOffset: 0, colour: "", icon: null, size: 44 };
  state = "none";

  /** Draws from now on. */
  attach(L, map) {
    [this.#L, this.#map] = [L, map];
    this.#draw();
  }

  /** The last position that was shown, and the circle and heading in degrees; undefined where there is none. */
  get position() { return this.#position; }
  get circle() { return this.#circle; }
  get heading() { return this.#heading; }

  /** Changes properties. */
  set(settings) {
    Object.assign(this.#settings, settings);
    this.#draw();
  }

  /** Takes a heading from before the first movement: the last one of the track. */
  remember(heading) {
    this.#heading ??= heading;
    this.#draw();
  }

  /** A new position, of the tracker's JSON. */
  update(position) {
    this.#position = position;
    this.state = "fix";
    if (Number.isFinite(position.track) && (position.speed ?? 0) >= leastSpeed) this.#heading = position.track;
    this.#draw();
  }

  /** The position is lost: the last place stays, if it may be known. */
  lose(last) {
    if (last) this.#position = last;
    this.state = this.#position ? "lost" : "none";
    this.#draw();
  }

  /** Whether nobody knows if it is still there: then it looks as if it were lost. */
  setStale(isStale) {
    if (this.#isStale === isStale) return;
    this.#isStale = isStale;
    this.#draw();
  }
  get isHollow() { return this.state === "lost" || this.#isStale; }

  /** Nobody may know where it is. */
  withhold() {
    this.#position = this.#heading = undefined;
    this.state = "private";
    this.#draw();
  }

  /** The age beside a lost position. */
  setAge(words) {
    this.#label?.replaceChildren(words);
    if (this.#label) this.#label.hidden = !words;
  }

  #draw() {
    if (!this.#map) return;
    const { visible, accuracyVisible, tracksCourse, orientationOffset, colour, icon, size } = this.#settings;
    const position = this.#position;
    if (!position || !visible) {
      this.#marker?.remove();
      this.#circle?.remove();
      this.#marker = this.#circle = this.#label = this.#key = undefined;
      return;
    }
    const place = [position.lat, position.lon];
    const ink = this.isHollow ? "#7b858e" : colour || getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
    if (accuracyVisible && Number.isFinite(position.accuracy)) {
      const style = { color: ink, weight: 1.5, opacity: 1, fillColor: ink, fillOpacity: 0.12, interactive: false, dashArray: this.isHollow ? "4 4" : null };
      // The map's Earth is a sphere of 6378137 m, Leaflet's circle one of 6371000 m.
      const radius = position.accuracy * (6371000 / 6378137);
      if (this.#circle) this.#circle.setLatLng(place).setRadius(radius).setStyle(style);
      else this.#circle = this.#L.circle(place, { ...style, radius, pane: "indicator" }).addTo(this.#map);
    } else {
      this.#circle?.remove();
      this.#circle = undefined;
    }
    const hasHeading = tracksCourse && Number.isFinite(this.#heading);
    const key = [ink, icon, size, hasHeading, this.state, this.isHollow].join();
    if (key !== this.#key) {
      this.#key = key;
      this.#box = document.createElement("div");
      this.#box.append(icon ? this.#image(icon) : this.#arrow(ink, hasHeading));
      this.#label = document.createElement("span");
      this.#label.className = "age";
      this.#label.hidden = true;
      this.#box.append(this.#label);
      this.#marker?.remove();
      this.#marker = this.#L.marker(place, {
        icon: this.#L.divIcon({ html: this.#box, className: "indicator", iconSize: [size, size] }), keyboard: false, interactive: false, zIndexOffset: 1000,
      }).addTo(this.#map);
    }
    this.#marker.setLatLng(place);
    if (hasHeading) {
      const target = this.#heading + orientationOffset;
      // The short way round.
      this.#turn += ((target - this.#turn) % 360 + 540) % 360 - 180;
      this.#box.firstChild.style.transform = `rotate(${this.#turn}deg)`;
    }
  }

  #image(address) {
    const image = new Image();
    image.alt = "";
    image.src = address;
    return image;
  }

  /** Two rims, a dark and a light one: it stands out on any ground. */
  #arrow(ink, hasHeading) {
    const lost = this.isHollow;
    const path = hasHeading ? "M24 5L38 40 24 33 10 40z" : "M24 12a12 12 0 1 0 .01 0z";
    const line = { d: path, "stroke-linejoin": "round" };
    return element("svg", { viewBox: "0 0 48 48", class: "turning" },
      element("path", { ...line, fill: "none", stroke: "#10181f", "stroke-width": 9 }),
      element("path", { ...line, fill: "none", stroke: "#fff", "stroke-width": 6 }),
      element("path", { ...line, fill: lost ? "#fff" : ink, stroke: ink, "stroke-width": lost ? 3 : 1 }));
  }
}
