// The span of time that the charts of a page show. The choice is part of the address, so that it can be shared.

import { read } from "./api.js";
import { element } from "./dom.js";

const spans = { "15m": ["15 min", 15 * 60], "1h": ["hour", 3600], "6h": ["6 hours", 6 * 3600], "1d": ["day", 86400], "7d": ["week", 7 * 86400], "30d": ["30 days", 30 * 86400] };
const usual = "15m";
const lead = 5000;

/**
 * A choice of the span, and the samples of it: draw(samples, {from, to, step}) is called with the
 * samples of path's history, as history.js flattens them, and milliseconds; again when newer ones
 * are due. If live, the usual span is drawn by its page: draw(null, {from, to, step}).
 */
export function spanChoice(path, query, draw, live = false) {
  const place = location.hash.split("?")[0];
  const words = element("span", { class: "muted", role: "status" });
  const links = Object.entries(spans).map(([key, [title]]) => element("a", { class: "view", href: address({ key }), "data-span": key, onclick: (event) => go(event, { key }) }, title));
  const from = element("input", { type: "datetime-local", "aria-label": "From", required: true });
  const to = element("input", { type: "datetime-local", "aria-label": "To", required: true });
  const form = element("form", { class: "filters", hidden: true, onsubmit: (event) => go(event, { from: new Date(from.value), to: new Date(to.value) }) },
    element("label", {}, "From ", from), element("label", {}, "to ", to), element("button", {}, "Show"));
  const free = element("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => open(form.hidden) }, "From – to");
  let chosen = asked(query);
  let timer = null;
  let turn = 0;
  // Not before the caller has what it draws with.
  queueMicrotask(show);

  function open(shown) {
    form.hidden = !shown;
    free.setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    const range = rangeOf(chosen);
    from.value = local(range.from);
    to.value = local(range.to);
  }

  function address(choice) {
    if (choice.key) return place + (choice.key === usual ? "" : "?span=" + choice.key);
    return place + "?" + new URLSearchParams({ from: choice.from.toISOString(), to: choice.to.toISOString() });
  }

  function go(event, choice) {
    // A new tab gets the address.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (choice.from >= choice.to) {
      words.textContent = "The beginning must be before the end.";
      return;
    }
    chosen = choice;
    history.replaceState(null, "", address(choice));
    show();
  }

  function show() {
    clearTimeout(timer);
    for (const link of links) {
      if (link.dataset.span === chosen.key) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!chosen.key) open(true);
    else open(false);
    words.textContent = "";
    load(++turn);
  }

  async function load(mine) {
    const range = rangeOf(chosen);
    if (live && chosen.key === usual) {
      words.textContent = stepWords(5);
      draw(null, { ...range, step: 5000 });
      return;
    }
    let wait = lead;
    if (!document.hidden) {
      try {
        const answer = await read(path + "/history?" + new URLSearchParams({ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }));
        if (mine !== turn) return;
        const step = answer.stepSeconds * 1000;
        wait = Math.max(lead, step / 2);
        words.textContent = stepWords(answer.stepSeconds) + (answer.samples.length ? "" : "; no samples of this time");
        draw(answer.samples.map(flat), { ...range, step });
      } catch (failure) {
        if (mine !== turn) return;
        words.textContent = failure.message;
      }
    }
    // What has ended does not change.
    if (chosen.key || range.to > Date.now()) timer = setTimeout(() => load(mine), wait);
  }

  return {
    whole: element("div", { class: "spans" }, element("div", { class: "filters" }, links, free, words), form),
    /** Whether the page draws the span itself. */
    get live() { return live && chosen.key === usual; },
    close() { clearTimeout(timer); turn++; },
  };
}

/** The figures of a sample by their names: means, and the largest values by "mostName". */
export function flat({ at, figures, weights }) {
  const flat = { at, weights };
  for (const [name, { mean, most }] of Object.entries(figures)) {
    flat[name] = mean;
    flat["most" + name[0].toUpperCase() + name.slice(1)] = most;
  }
  return flat;
}

/** Rows [milliseconds, …] with an empty one wherever more than the gap lies between two. */
export function withGaps(rows, gap) {
  return rows.flatMap((row, index) => index && row[0] - rows[index - 1][0] > gap ? [[rows[index - 1][0] + 1], row] : [row]);
}

/** What lies between two samples of steps of that length at most, unless some are missing. */
export const gapOf = (step) => Math.max(2.5 * step, 20_000);

function asked(query) {
  const from = new Date(query.get("from") ?? NaN);
  const to = new Date(query.get("to") ?? NaN);
  if (from < to) return { from, to };
  return { key: query.get("span") in spans ? query.get("span") : usual };
}

function rangeOf({ key, from, to }) {
  if (!key) return { from: from.getTime(), to: to.getTime() };
  const now = Date.now();
  return { from: now - spans[key][1] * 1000, to: now };
}

function stepWords(seconds) {
  const length = seconds < 60 ? seconds + " s" : seconds < 3600 ? seconds / 60 + " min" : seconds / 3600 + " h";
  return "in steps of " + length;
}

/** The time of an input, in the browser's zone. */
function local(millis) {
  const at = new Date(millis - new Date(millis).getTimezoneOffset() * 60000);
  return at.toISOString().slice(0, 16);
}
