// The live overview: one server-sent-event stream for all pages, with a mark when it is stale.

import { logIn } from "./api.js";

const listeners = new Set();
const staleAfter = 5000;
let source = null;
let last = null;
let heardAt = 0;
let openedAt = Date.now();

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

/** Opens the stream and keeps it open; mark shows how fresh the page is, lost that the server is gone. */
export function connect(mark, lost) {
  open(mark, lost);
  // The browser keeps pages that were left, with their streams, and has six connections to a server: without this,
  // the pages opened after some of those would wait for one.
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    // While the page was left, the server was not silent.
    openedAt = Date.now();
    open(mark, lost);
  });
  setInterval(() => show(mark, lost), 1000);
}

function open(mark, lost) {
  source?.close();
  source = new EventSource("/v1/stream");
  source.addEventListener("overview", (event) => {
    last = JSON.parse(event.data);
    heardAt = Date.now();
    show(mark, lost);
    for (const listener of [...listeners]) listener(last);
  });
  source.onerror = () => {
    show(mark, lost);
    // A refused stream is not tried again by the browser; a fetch tells whether the session ended.
    if (source.readyState === EventSource.CLOSED) {
      fetch("/v1/overview").then((answer) => {
        if (answer.status === 401) logIn();
        else setTimeout(() => open(mark, lost), 2000);
      }, () => setTimeout(() => open(mark, lost), 2000));
    }
  };
}

function show(mark, lost) {
  const age = Date.now() - heardAt;
  const fresh = heardAt > 0 && age < staleAfter;
  const silent = Date.now() - Math.max(heardAt, openedAt) >= staleAfter;
  const stale = silent && heardAt > 0;
  mark.dataset.state = fresh ? "live" : stale ? "stale" : "";
  mark.textContent = fresh ? "live" : stale ? "disconnected, last update " + Math.round(age / 1000) + " s ago" : "connecting…";
  lost.hidden = !silent;
  // Announced once, not each second.
  const words = "The server does not answer" + (heardAt ? "; the page shows the state of " + new Date(heardAt).toLocaleTimeString([], { hour12: false }) : "")
    + ". The page continues by itself when it answers again.";
  if (silent && lost.textContent !== words) lost.textContent = words;
}
