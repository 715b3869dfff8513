// The live events of the tracker: followed while the page is seen, and watched over.
import { Feed } from "./feed.js";

const silence = 2500; // ms; the tracker sends a beat each second
const death = 10000; // ms

/**
 * Follows the tracker.
 *
 * `handlers` has a function for each event (status, position, matched, sky, lost, event, fences, beat, dropped, erased), which gets its data and how many
 * milliseconds ago it came, `connection(state)` with "open", "gone" or "hidden", and `refused(words)` when the tracker lets nobody in with this token.
 */
export class Stream {
  #link; #heard = 0; #alive = 0; #isShared = false; #timer; #handlers; #state; #count = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#close() : this.#open()));
    // Before it is put aside for "back", and after.
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#open(); });
    if (!document.hidden) this.#open();
  }

  #open() {
    const take = (...event) => this.#take(...event);
    // A browser may have such workers, and not run this one.
    const fail = () => {
      this.#isShared = false;
      this.#link = own(take);
      if (this.#timer) this.#link(true);
    };
    if (!this.#link) {
      const link = shared(take, fail);
      this.#isShared = !!link;
      this.#link = link ?? own(take);
    }
    this.#link(true);
    this.#heard = this.#alive = performance.now();
    this.#timer ??= setInterval(() => this.#watch(), 500);
  }

  #take(name, data, age = 0) {
    if (!this.#timer) return;
    // The worker's own sign of life, also while the tracker is away.
    this.#alive = performance.now();
    if (name === "here") return;
    if (name === "gone") return this.#tell("gone");
    if (name === "refused") return this.#handlers.refused(JSON.parse(data).message);
    this.#heard = performance.now();
    this.#tell("open");
    this.#handlers[name]?.(JSON.parse(data), age);
  }

  /** A dead connection raises no error, nor does a worker that has ended. */
  #watch() {
    const silent = performance.now() - this.#heard;
    if (silent > silence) this.#tell("gone");
    this.#count += 1;
    // It opens a dead connection anew, and says that the page is still seen.
    if (this.#count % 10 === 0) this.#link(true);
    if (this.#isShared && performance.now() - this.#alive > 2 * death) {
      this.#isShared = false;
      this.#link(false);
      this.#link = own((...event) => this.#take(...event));
      this.#open();
    }
  }

  #close() {
    this.#link?.(false);
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tell("hidden");
  }

  #tell(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.connection(state);
  }
}

/** The connection of all pages of this browser; null where it has no such workers. */
function shared(take, fail) {
  try {
    const worker = new SharedWorker("shared.js", { type: "module", name: "waypost" });
    worker.onerror = fail;
    worker.port.onmessage = ({ data }) => take(...data);
    return (isSeen) => worker.port.postMessage(isSeen);
  } catch { return null; }
}

/** A connection of this page alone. */
function own(take) {
  const feed = new Feed(take);
  return (isSeen) => (isSeen ? feed.open() : feed.close());
}

/** Asks the interface; throws with the tracker's words. */
export async function ask(path) {
  const answer = await fetch(`api/v1/${path}`, { cache: "no-store" });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.message ?? answer.statusText);
  return value;
}
