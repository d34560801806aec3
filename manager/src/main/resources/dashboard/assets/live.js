// The live overview: one server-sent-event stream for all pages, with a mark when it is stale.

const listeners = new Set();
const staleAfter = 5000;
let last = null;
let heardAt = 0;

/** The overview heard last, or null. */
export function overview() {
  return last;
}

/** Calls back with each overview, at once with the one known; returns a function that ends it. */
export function follow(listener) {
  listeners.add(listener);
  if (last) listener(last);
  return () => listeners.delete(listener);
}

/** Opens the stream and keeps it open; the mark element shows how fresh the page is. */
export function connect(mark) {
  const source = new EventSource("/v1/stream");
  source.addEventListener("overview", (event) => {
    last = JSON.parse(event.data);
    heardAt = Date.now();
    show(mark);
    for (const listener of [...listeners]) listener(last);
  });
  source.onerror = () => {
    show(mark);
    // A refused stream is not tried again by the browser; a fetch tells whether the session ended.
    if (source.readyState === EventSource.CLOSED) {
      fetch("/v1/overview").then((answer) => {
        if (answer.status === 401) location.assign("/login");
        else setTimeout(() => connect(mark), 2000);
      }, () => setTimeout(() => connect(mark), 2000));
    }
  };
  setInterval(() => show(mark), 1000);
}

function show(mark) {
  const age = Date.now() - heardAt;
  const fresh = heardAt > 0 && age < staleAfter;
  mark.dataset.state = fresh ? "live" : heardAt ? "stale" : "";
  mark.textContent = fresh ? "live" : heardAt ? "disconnected, last update " + Math.round(age / 1000) + " s ago" : "connecting…";
}
