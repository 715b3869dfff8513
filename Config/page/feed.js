// One connection to the tracker's live events, for one page or for all of a browser's.
export const names = ["status", "position", "matched", "sky", "lost", "event", "fences", "beat", "dropped", "erased"];

/** Calls `tell(name, data)` for each event, with JSON as it came, and `tell("gone")` when the connection breaks; `tell("refused", answer)` when the door is shut. */
export class Feed {
  #source; #retry; #lastID; #heard = 0;

  constructor(tell) { this.tell = tell; }

  get isOpen() { return !!this.#source; }

  /** Opens it, or opens it anew when nothing has come for a while: a dead connection raises no error. */
  open() {
    if (this.#source && performance.now() - this.#heard < 5000) return;
    this.close();
    const source = new EventSource(this.#lastID ? `api/v1/stream?after=${encodeURIComponent(this.#lastID)}` : "api/v1/stream");
    this.#source = source;
    this.#heard = performance.now();
    for (const name of names) {
      source.addEventListener(name, (event) => {
        this.#heard = performance.now();
        if (event.lastEventId) this.#lastID = event.lastEventId;
        this.tell(name, event.data);
      });
    }
    source.onerror = () => {
      this.tell("gone");
      // A refusal (an expired link, a restarted tracker that is not up yet) ends the source for good.
      if (source.readyState === EventSource.CLOSED && source === this.#source) {
        this.#source = undefined;
        this.#retry = setTimeout(() => this.open(), 3000);
        this.#askWhy();
      }
    };
  }

  /** An EventSource does not say why it was refused. */
  async #askWhy() {
    try {
      const answer = await fetch("api/v1/state", { cache: "no-store" });
      if (answer.status === 401 || answer.status === 403) this.tell("refused", await answer.text());
    } catch { /* The tracker is away. */ }
  }

  close() {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
  }
}
