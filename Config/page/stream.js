// The live events of the tracker: opened while the page is seen, watched over, and opened again.
const silence = 2500; // ms; the tracker sends a beat each second

/**
 * Follows the tracker.
 *
 * `handlers` has a function for each event (status, position, matched, sky, lost, event, fences, beat, dropped), and `connection(state)` with
 * "open", "gone" or "hidden".
 */
export class Stream {
  #source; #heard = 0; #timer; #handlers; #state; #retry;

  constructor(handlers) {
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#close("hidden") : this.#open()));
    // Before it is put aside for "back", and after.
    addEventListener("pagehide", () => this.#close("hidden"));
    addEventListener("pageshow", (event) => { if (event.persisted) this.#open(); });
    if (!document.hidden) this.#open();
  }

  #open() {
    this.#source?.close();
    clearTimeout(this.#retry);
    const source = new EventSource(this.lastID ? `api/v1/stream?after=${encodeURIComponent(this.lastID)}` : "api/v1/stream");
    this.#source = source;
    this.#heard = performance.now();
    for (const name of ["status", "position", "matched", "sky", "lost", "event", "fences", "beat", "dropped"]) {
      source.addEventListener(name, (event) => {
        this.#heard = performance.now();
        if (event.lastEventId) this.lastID = event.lastEventId;
        this.#tell("open");
        this.#handlers[name]?.(JSON.parse(event.data));
      });
    }
    source.onerror = () => {
      this.#tell("gone");
      // A refusal (an expired link, a restarted tracker that is not up yet) ends the source for good.
      if (source.readyState === EventSource.CLOSED && source === this.#source) this.#retry = setTimeout(() => this.#open(), 3000);
    };
    this.#timer ??= setInterval(() => this.#watch(), 500);
  }

  /** A dead connection raises no error. */
  #watch() {
    const silent = performance.now() - this.#heard;
    if (silent > silence) this.#tell("gone");
    if (silent > 10000) this.#open();
  }

  #close(state) {
    this.#source?.close();
    clearTimeout(this.#retry);
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tell(state);
  }

  #tell(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.connection(state);
  }
}

/** Asks the interface; throws with the tracker's words. */
export async function ask(path) {
  const answer = await fetch(`api/v1/${path}`, { cache: "no-store" });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.message ?? answer.statusText);
  return value;
}
