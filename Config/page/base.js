// What lies below everything: layers that draw the ground. A layer has `attach(map, L)`, `detach()` and `theme(name)`.

/** Meridians and parallels with their degrees: a ground that needs no server. */
export class Graticule {
  #layer;

  attach(map, L) {
    const Grid = L.Layer.extend({
      onAdd(map) {
        this.canvas = L.DomUtil.create("canvas", "leaflet-zoom-hide");
        this.canvas.setAttribute("aria-hidden", "true");
        map.getPane("ground").appendChild(this.canvas);
        map.on("move zoomend resize viewreset", this.soon, this);
        this.draw();
      },
      onRemove(map) {
        this.canvas.remove();
        map.off("move zoomend resize viewreset", this.soon, this);
      },
      soon() {
        this.frame ??= requestAnimationFrame(() => { this.frame = undefined; if (this._map) this.draw(); });
      },
      draw() {
        const map = this._map;
        const size = map.getSize();
        const ratio = Math.min(2, devicePixelRatio || 1);
        L.DomUtil.setPosition(this.canvas, map.containerPointToLayerPoint([0, 0]));
        if (this.canvas.width !== size.x * ratio || this.canvas.height !== size.y * ratio) {
          Object.assign(this.canvas, { width: size.x * ratio, height: size.y * ratio });
          Object.assign(this.canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
        }
        const pen = this.canvas.getContext("2d");
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, size.x, size.y);
        const style = getComputedStyle(document.documentElement);
        const northWest = map.containerPointToLatLng([0, 0]);
        const southEast = map.containerPointToLatLng(size);
        const step = stepFor((southEast.lng - northWest.lng) / (size.x / 130));
        const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
        const x = (lon) => Math.round(map.latLngToContainerPoint([northWest.lat, lon]).x) + 0.5;
        const y = (lat) => Math.round(map.latLngToContainerPoint([lat, northWest.lng]).y) + 0.5;
        const between = (from, to, step) => Array.from({ length: Math.max(0, Math.floor(to / step) - Math.ceil(from / step) + 1) }, (_, index) => (Math.ceil(from / step) + index) * step);
        // Fine lines between the named ones, as on squared paper.
        for (const [part, opacity] of [[5, 0.35], [1, 1]]) {
          pen.globalAlpha = opacity;
          pen.strokeStyle = style.getPropertyValue("--grid");
          pen.beginPath();
          for (const lon of between(northWest.lng, southEast.lng, step / part)) { pen.moveTo(x(lon), 0); pen.lineTo(x(lon), size.y); }
          for (const lat of between(southEast.lat, northWest.lat, step / part)) { pen.moveTo(0, y(lat)); pen.lineTo(size.x, y(lat)); }
          pen.stroke();
        }
        pen.font = "11px system-ui, sans-serif";
        pen.fillStyle = style.getPropertyValue("--grid-text");
        for (const lon of between(northWest.lng, southEast.lng, step)) {
          const shown = ((lon + 540) % 360 + 360) % 360 - 180;
          pen.fillText(`${Math.abs(shown).toFixed(digits)}° ${shown < 0 ? "W" : "E"}`, x(lon) + 4, 14);
        }
        for (const lat of between(southEast.lat, northWest.lat, step)) {
          if (y(lat) > 24) pen.fillText(`${Math.abs(lat).toFixed(digits)}° ${lat < 0 ? "S" : "N"}`, 6, y(lat) - 4);
        }
      },
    });
    this.#layer = new Grid().addTo(map);
  }
  detach() { this.#layer?.remove(); }
  theme() { this.#layer?.draw(); }
}

/** Tiles of the owner's own server. */
export class Tiles {
  #layer; #address;
  constructor(address) { this.#address = address; }
  attach(map, L) { this.#layer = L.tileLayer(this.#address, { maxZoom: 20, maxNativeZoom: 19 }).addTo(map); }
  detach() { this.#layer?.remove(); }
  theme(name) { document.documentElement.classList.toggle("tiles-dark", name !== "light"); }
}

function stepFor(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
