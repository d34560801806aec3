// How many steps of each template of a workflow ran when.

import { read } from "../api.js";
import { timeChart } from "../charts.js";
import { element } from "../dom.js";
import { count, seconds } from "../format.js";

const largest = 8;
const every = 10_000;

export function timelineView({ id }) {
  const spot = element("div", { class: "chart tall", role: "img", "aria-label": "Running steps by template over time" });
  const words = element("p", { class: "muted" });
  const card = element("section", { class: "card", hidden: true }, element("h2", {}, "Running steps"), spot, words);
  const empty = notStarted();
  let chart = null;
  let readAt = 0;
  let last = "";
  return {
    whole: element("div", {}, card, empty),
    async show({ workflow }) {
      showNotStarted(empty, workflow);
      card.hidden = !workflow.startedAt;
      const key = workflow.state + workflow.endedAt;
      if (card.hidden || (key === last && (workflow.endedAt || Date.now() - readAt < every))) return;
      const timeline = await read("/v1/workflows/" + id + "/timeline");
      readAt = Date.now();
      last = key;
      const { names, rows, others } = stacked(timeline);
      chart ??= timeChart(spot, [], (value) => value.toLocaleString("en-US", { maximumFractionDigits: 1 }));
      chart.show(rows, names.map((name, at) => ({ name, stack: "steps", area: true, step: true, plain: others > 0 && at === names.length - 1 })));
      words.textContent = ["Means of intervals of " + seconds(timeline.intervalMillis / 1000),
        others ? "others are " + count(others) + " templates together" : "",
        timeline.moreTemplates ? count(timeline.moreTemplates) + " small templates are left out" : "",
        timeline.oneIn > 1 ? "estimated from one in " + count(timeline.oneIn) + " steps" : ""].filter(Boolean).join("; ") + ".";
    },
    close() { chart?.close(); },
  };
}

/** Why a view of a run is empty. */
export function notStarted() {
  return element("section", { class: "card", hidden: true }, element("p", { class: "empty" }));
}

/** Brings such a reason up to date; it is hidden once the run has started. */
export function showNotStarted(empty, { startedAt, endedAt, state }) {
  empty.hidden = Boolean(startedAt);
  empty.firstElementChild.textContent = endedAt ? "It was " + state.toLowerCase() + " and never started." : "It has not started: its graph has not been checked yet.";
}

/** The curves of the templates that ran most, and of the others together. */
function stacked({ from, intervalMillis, templates }) {
  const sum = (curve) => curve.running.reduce((all, one) => all + one, 0);
  const active = templates.filter((curve) => sum(curve) > 0);
  const most = new Set([...active].sort((one, other) => sum(other) - sum(one)).slice(0, largest));
  const rest = active.filter((curve) => !most.has(curve));
  const shown = active.filter((curve) => most.has(curve));
  const start = Date.parse(from);
  const length = Math.max(0, ...active.map((curve) => curve.running.length));
  const rows = Array.from({ length }, (_, at) => [start + at * intervalMillis, ...shown.map((curve) => curve.running[at] ?? 0),
    ...(rest.length ? [rest.reduce((all, curve) => all + (curve.running[at] ?? 0), 0)] : [])]);
  // The last interval lasts as long as the others.
  if (length) rows.push([start + length * intervalMillis, ...rows.at(-1).slice(1)]);
  return { names: [...shown.map((curve) => curve.template), ...(rest.length ? ["others"] : [])], rows, others: rest.length };
}
