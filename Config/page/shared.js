// Runs once per browser, for all its pages: they share one connection, of which a browser has only six for a tracker.
import { Feed } from "./feed.js";

const pages = new Map(); // the port of each page that is seen, and when it last said so
const kept = new Map(); // what a page that comes later needs, by name: the data, and when it came
const forgotten = 15000; // ms; a page that has crashed says nothing any more, and must not keep the receiver on

const feed = new Feed((name, data) => {
  if (name === "lost") kept.delete("position");
  if (name === "position") kept.delete("lost");
  if (["status", "position", "lost", "sky", "fences"].includes(name)) kept.set(name, [data, performance.now()]);
  for (const port of pages.keys()) port.postMessage([name, data, 0]);
});

function forget(port) {
  pages.delete(port);
  if (pages.size) return;
  feed.close();
  kept.clear();
}

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: isSeen }) => {
    if (!isSeen) return forget(port);
    if (!pages.has(port)) {
      for (const name of ["status", "fences", "sky", "position", "lost"]) {
        if (kept.has(name)) port.postMessage([name, kept.get(name)[0], performance.now() - kept.get(name)[1]]);
      }
    }
    pages.set(port, performance.now());
    port.postMessage(["here"]);
    feed.open();
  };
};

setInterval(() => {
  for (const [port, time] of pages) if (performance.now() - time > forgotten) forget(port);
}, 5000);
