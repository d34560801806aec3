// What a queue's managers decided and why: as text, as a chart, as a table, and for export.

import { read } from "../api.js";
import { timeChart } from "../charts.js";
import { decisionReader } from "../decisionreader.js";
import { element, table } from "../dom.js";
import { clock, count, rate } from "../format.js";
import { gapOf, withGaps } from "../spans.js";

const kept = 1000;
const first = 500;
const latest = 60;
const page = 10;
const shown = 15 * 60 * 1000;
const step = 10 * 1000;
const mostBars = 90;
const spans = [["last hour", 3600], ["last day", 86400], ["last 30 days", 30 * 86400]];
const free = "NONE";

/**
 * The section of one queue; load() brings it up to date, explain() its words, close() ends it. curve
 * gives what waited in the last minutes, or null. over(range, waiting) makes its chart one of that
 * span {from, to} and of what waited then, or null; without a range it is one of the last minutes.
 */
export function decisionSection(name, curve) {
  const path = "/v1/queues/" + encodeURIComponent(name);
  const words = element("ul", { class: "sentences" });
  const spot = element("div", { class: "chart tall", role: "img", "aria-label": "Workers started and events waiting over the chosen span; see the table for the figures" });
  const extent = element("p", { class: "muted small extent", role: "status", hidden: true });
  const reader = decisionReader(path);
  let asked = null;
  let turn = 0;
  let gates = {};
  let known = [];
  let reasons = new Map();
  let before = null;
  const nodes = element("select", { "aria-label": "Segment", onchange: () => { before = null; show(); } });
  const span = element("select", { "aria-label": "Time to export" }, spans.map(([title, length]) => element("option", { value: length }, title)));
  const log = decisionTable((gate) => gates[gate]);
  const newest = element("button", { type: "button", hidden: true, onclick: () => { before = null; show(); } }, "Newest");
  const older = element("button", { type: "button", hidden: true }, "Older");
  const standing = element("span", { class: "muted", role: "status" });
  const choice = element("div", { class: "filters" }, element("label", {}, "Segment ", nodes), element("span", { class: "spacer" }),
    element("label", {}, "Export the ", span), exportLink("CSV", "csv"), exportLink("JSON", "json"));
  const whole = element("section", { class: "card decisions", "aria-label": "Decisions" },
    element("h2", {}, "Decisions"), words, spot, extent, choice, log.whole,
    element("div", { class: "filters paging" }, newest, older, standing),
    element("p", { class: "muted small" }, "Kept for 30 days: decisions that started workers or met a different limit than the previous one, plus one per minute."));
  const chart = timeChart(spot, [
    { name: "workers started", kind: "bar", hue: 1, axis: 1 },
    { name: "events waiting", step: true, area: true, hue: 0 },
    { name: "limit changed", kind: "scatter", hue: 3 },
  ], count, null, (at) => reasons.get(at) ?? []);

  function exportLink(title, format) {
    const address = () => path + "/decisions/export?" + new URLSearchParams({ format, from: new Date(Date.now() - span.value * 1000).toISOString() });
    // The period ends when the link is clicked.
    return element("a", { href: address(), download: name + "-decisions." + format, onclick: (event) => { event.currentTarget.href = address(); } }, title);
  }

  function draw() {
    const drawn = asked?.read ? pictured(asked.read.found, asked.waiting, asked.range) : pictured(asked ? [] : known, asked ? asked.waiting : curve(), asked?.range);
    reasons = drawn.reasons;
    spot.hidden = known.length === 0 && !asked;
    chart.show(drawn.rows, null, asked?.range);
    extent.textContent = asked ? asked.failure ?? extentWords(asked.read) : drawn.cut ? beginWords(known) : "";
    extent.hidden = !extent.textContent;
  }

  async function show() {
    const node = nodes.value;
    let found;
    if (before == null) {
      found = known.filter((one) => !node || one.node === node).slice(0, page + 1);
    } else {
      found = await read(path + "/decisions?" + new URLSearchParams({ limit: page + 1, before, ...(node && { node }) }));
    }
    log.show(found.slice(0, page));
    newest.hidden = before == null;
    older.hidden = found.length <= page;
    older.onclick = () => { before = found[page - 1].number; show(); };
    standing.textContent = before != null ? "Showing older decisions; new ones are not added here." : "";
  }

  return {
    whole,
    async load() {
      known = merged(known, await read(path + "/decisions?limit=" + (known.length ? latest : first)));
      if (known.length > kept) known.length = kept;
      choose(nodes, [...new Set(known.map((one) => one.node))].sort());
      choice.hidden = known.length === 0;
      if (!asked) draw();
      if (before == null) await show();
    },
    async over(range, waiting) {
      const mine = ++turn;
      // Until they are read, the decisions of a span that moved on are those read before.
      asked = range && { range, waiting, read: asked?.read && range.from >= asked.range.from ? asked.read : null };
      draw();
      if (!asked) return;
      const found = await reader.read(range).then((read) => ({ read }), (failure) => ({ failure: failure.message }));
      if (mine !== turn) return;
      asked = { ...asked, ...found };
      draw();
    },
    async explain() {
      const answer = await read(path + "/explanation?since=15m&limit=0");
      gates = answer.gates;
      words.replaceChildren(...answer.words.map((one) => element("li", {}, one)));
      if (before == null) await show();
    },
    close() {
      turn++;
      chart.close();
    },
  };
}

function extentWords(answer) {
  if (!answer) return "";
  if (!answer.found.length) return "No decisions of this time are recorded.";
  return answer.whole ? "" : beginWords(answer.found);
}

const beginWords = (found) => "Workers started are shown from " + clock(found.at(-1).at) + " on: only the newest " + count(found.length)
  + " decisions of this time are read. The export has all of them.";

/** Newest first; what is known goes when what came does not reach back to it. */
function merged(known, came) {
  const oldest = came.at(-1)?.number;
  const reaches = known.some((one) => one.number === oldest);
  const rest = known.filter((one) => one.number < oldest);
  return came.length < latest || reaches || !known.length ? [...came, ...rest] : came;
}

function choose(select, nodes) {
  const chosen = select.value;
  const wanted = ["", ...nodes];
  if (JSON.stringify([...select.options].map((one) => one.value)) === JSON.stringify(wanted)) return;
  select.replaceChildren(...wanted.map((node) => element("option", { value: node, selected: node === chosen }, node || "all")));
}

/**
 * Rows [at, started, waiting, waiting where the limit changed] of the range, otherwise of at most a
 * quarter of an hour; the reasons by time; and whether decisions of that time are left out. curve is
 * [[at, waiting], …]; null when only the decisions know what waits.
 */
function pictured(decisions, curve, range) {
  const now = Math.max(Date.parse(decisions[0]?.at ?? 0), curve?.at(-1)?.[0] ?? 0);
  // If there are more decisions than are kept here, earlier times are not shown.
  const begin = decisions.length < first ? 0 : Date.parse(decisions.at(-1).at);
  const from = range?.from ?? Math.max(now - shown, begin);
  const width = range ? Math.max(step, Math.ceil((range.to - range.from) / mostBars / step) * step) : step;
  const rows = new Map();
  const row = (at) => {
    const bucket = Math.floor(at / width) * width;
    if (!rows.has(bucket)) rows.set(bucket, { started: 0, waiting: null, changed: false, words: new Map() });
    return rows.get(bucket);
  };
  for (const [at, waiting] of curve ?? []) if (at >= from) row(at).waiting = waiting;
  const limits = new Map();
  for (const one of [...decisions].reverse()) {
    const at = Date.parse(one.at);
    const changed = limits.has(one.node) && limits.get(one.node) !== one.gate;
    limits.set(one.node, one.gate);
    if (at < from) continue;
    const its = row(at);
    its.started += one.start;
    its.changed ||= changed;
    if (!curve) its.waiting = one.inputs?.waiting ?? its.waiting;
    // Of each segment the latest, and rather one that tells of another limit.
    if (changed || !its.words.get(one.node)?.changed) its.words.set(one.node, { changed, words: told(one) });
  }
  let waiting = null;
  const inOrder = [...rows].sort(([one], [other]) => one - other);
  for (const [, its] of inOrder) waiting = its.waiting ??= waiting;
  const drawn = inOrder.map(([at, its]) => [at, its.started, its.waiting, its.changed ? its.waiting : null]);
  return {
    rows: range ? withGaps(drawn, gapOf(Math.max(width, range.step))) : drawn,
    cut: begin > now - shown,
    reasons: new Map(inOrder.map(([at, its]) => [at, [...its.words.values()].map((one) => one.words).slice(0, 4)])),
  };
}

const limit = (gate) => gate === free ? "" : gate.toLowerCase().replaceAll("_", " ");

function told(decision) {
  return decision.node + (decision.gate === free ? "" : ", limited by " + limit(decision.gate)) + ": " + decision.reason;
}

function decisionTable(meaning) {
  const figure = (decision, name, format = count) => decision.inputs?.[name] == null ? "–" : format(decision.inputs[name]);
  return table([
    { title: "At", cell: (d) => element("span", { title: d.at }, clock(d.at)) },
    { title: "Segment", cell: (d) => d.node },
    { title: "Waiting", number: true, cell: (d) => figure(d, "waiting") },
    { title: "Arrivals", number: true, cell: (d) => figure(d, "arrivalRate", rate) },
    { title: "Starting", number: true, cell: (d) => figure(d, "starting") },
    { title: "Running", number: true, cell: (d) => figure(d, "running") },
    { title: "Wanted", number: true, cell: (d) => figure(d, "wanted") },
    { title: "Started", number: true, cell: (d) => d.start ? element("strong", {}, count(d.start)) : "0" },
    { title: "Limited by", cell: (d) => d.gate === free ? "" : element("span", { class: "state warn", title: meaning(d.gate) }, "▲ " + limit(d.gate)) },
    { title: "Reason", prose: true, cell: (d) => d.reason },
  ], (d) => d.number, "No decisions yet. A queue manager starts deciding once the queue has a segment and a worker.");
}
