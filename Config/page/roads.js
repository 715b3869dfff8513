// The roads of the road file on the tracker, as the ground of the map: tiles of lines, with the less detail the more is seen.
import { Graticule } from "./base.js";
import { ask } from "./stream.js";

const tileSize = 512; // pixels, as a tile is meant to be drawn
const kept = 40; // tiles that are kept for when the map comes back to them
const widths = [4.2, 3.4, 2.4, 1.5, 0.9, 1]; // of motorways, main roads, streets, lanes, paths and ferries at zoom 15, in pixels
const colours = ["--road-main", "--road-main", "--road", "--road", "--road-edge", "--grid-text"];
const beyond = 0.2; // of the view that is drawn around it, so that moving it a little draws nothing

/** The layer. `ground` is what the state says of the road file: its `version`, the `zooms` of its tiles and the map's `notice`. */
export class Roads {
  #grid = new Graticule(); #layer; #notice; #ground; #tiles = new Map(); #asked = 0; #way;
  constructor(ground, way) { [this.#ground, this.#way] = [ground, way]; }

  attach(map, L) {
    this.#grid.attach(map, L);
    const roads = this;
    const Ground = L.Layer.extend({
      onAdd(map) {
        this.canvas = L.DomUtil.create("canvas", "leaflet-zoom-hide roads");
        this.canvas.setAttribute("aria-hidden", "true");
        map.getPane("ground").appendChild(this.canvas);
        map.on("move", this.follow, this).on("zoomend resize viewreset", this.soon, this);
        this.draw();
      },
      onRemove(map) {
        this.canvas.remove();
        map.off("move", this.follow, this).off("zoomend resize viewreset", this.soon, this);
      },
      /** The canvas moves with the map: it is drawn again when the view comes near its edge. */
      follow() {
        const moved = this._map.getPixelBounds().min.subtract(this.corner);
        const room = this._map.getSize().multiplyBy(beyond * 0.8);
        if (Math.abs(moved.x) > room.x || Math.abs(moved.y) > room.y) this.soon();
      },
      soon() {
        this.frame ??= requestAnimationFrame(() => { this.frame = undefined; if (this._map) this.draw(); });
      },
      draw() { roads.#draw(this); },
      place(point) { L.DomUtil.setPosition(this.canvas, point); },
    });
    this.#layer = new Ground().addTo(map);
    // Leaflet's own takes HTML.
    const Notice = L.Control.extend({ onAdd: () => Object.assign(L.DomUtil.create("div", "leaflet-control-attribution"), { textContent: this.#ground.notice }) });
    this.#notice = new Notice({ position: "bottomleft" }).addTo(map);
  }
  detach() {
    for (const part of [this.#notice, this.#layer]) part?.remove();
    this.#grid.detach();
    this.#layer = undefined;
  }
  theme() {
    this.#grid.theme();
    this.#layer?.draw();
  }

  /** Shows on which road the device is: the number of its way, or undefined. */
  highlight(way) {
    if (way === this.#way) return;
    this.#way = way;
    this.#layer?.soon();
  }

  #draw(layer) {
    const [map, canvas] = [layer._map, layer.canvas];
    const [view, zoom, ratio] = [map.getSize(), map.getZoom(), Math.min(2, devicePixelRatio || 1)];
    const edge = view.multiplyBy(beyond)._round();
    const size = view.add(edge.multiplyBy(2));
    layer.corner = map.getPixelBounds().min;
    const corner = layer.corner.subtract(edge);
    if (canvas.width !== size.x * ratio || canvas.height !== size.y * ratio) {
      Object.assign(canvas, { width: size.x * ratio, height: size.y * ratio });
      Object.assign(canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
    }
    layer.place(map.containerPointToLayerPoint(edge.multiplyBy(-1)));
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const [least, most] = this.#ground.zooms;
    const level = Math.min(most, Math.round(zoom) - 1);
    if (level < least) return;
    const side = (256 * 2 ** zoom) / 2 ** level;
    const shown = [];
    for (let row = Math.floor(corner.y / side); row * side < corner.y + size.y; row += 1) {
      for (let column = Math.floor(corner.x / side); column * side < corner.x + size.x; column += 1) {
        if (row < 0 || row >= 2 ** level) continue;
        const tile = this.#tile(level, ((column % 2 ** level) + 2 ** level) % 2 ** level, row);
        if (tile?.paths) shown.push({ tile, x: column * side - corner.x, y: row * side - corner.y });
      }
    }
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const grows = Math.max(0.35, 2 ** ((zoom - 15) * 0.6));
    pen.lineJoin = pen.lineCap = "round";
    const stroke = (path, { tile, x, y }, width, name) => {
      const scale = side / tile.extent;
      pen.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
      pen.lineWidth = width / scale;
      pen.strokeStyle = colour(name);
      pen.stroke(path);
    };
    // All edges first, so that roads join.
    if (zoom >= 13) for (const part of shown) for (const rank of [2, 1, 0]) stroke(part.tile.paths[rank], part, widths[rank] * grows + 1.6, "--road-edge");
    for (const rank of [5, 4, 3, 2, 1, 0]) for (const part of shown) stroke(part.tile.paths[rank], part, widths[rank] * grows, colours[rank]);
    if (!this.#way || level < most) return;
    for (const part of shown) stroke(part.tile.way(this.#way), part, widths[1] * grows, "--road-now");
  }

  /** A tile, which is asked for when it is not here: a few at a time. */
  #tile(level, column, row) {
    const key = `${level}/${column}/${row}`;
    const known = this.#tiles.get(key);
    if (known) {
      // The ones that were seen last stay longest.
      this.#tiles.delete(key);
      this.#tiles.set(key, known);
      return known;
    }
    if (this.#asked < 4) this.#load(key);
  }
  async #load(key) {
    this.#asked += 1;
    let tile = {};
    try { tile = new Tile(await ask(`roads/${key}`)); } catch { setTimeout(() => { this.#tiles.delete(key); this.#layer?.soon(); }, 10000); }
    this.#asked -= 1;
    this.#tiles.set(key, tile);
    for (const old of this.#tiles.keys()) if (this.#tiles.size > kept) this.#tiles.delete(old);
    this.#layer?.soon();
  }
}

/** The lines of a tile, ready to be drawn. */
class Tile {
  #lines; #found = {};

  constructor({ extent, lines }) {
    this.extent = extent;
    this.#lines = lines;
    this.paths = lines.map((rank) => drawn(rank));
  }

  /** The lines of a way. */
  way(number) {
    if (this.#found.number !== number) this.#found = { number, path: drawn(this.#lines.flat().filter(([way]) => way === number)) };
    return this.#found.path;
  }
}

/** The path along lines: the number of the way, a point, and the steps to the next ones. */
function drawn(lines) {
  const path = new Path2D();
  for (const line of lines) {
    let [, x, y] = line;
    path.moveTo(x, y);
    for (let index = 3; index < line.length; index += 2) path.lineTo((x += line[index]), (y += line[index + 1]));
  }
  return path;
}
