// Why a job is waiting, the verdict of each node, and its waiting history.

import { read } from "../api.js";
import { color } from "../charts.js";
import { bar, element, table } from "../dom.js";
import { between, clock, seconds } from "../format.js";

const word = (code) => code === "SOON" ? "dispatch" : code.toLowerCase().replaceAll("_", " ");

/** The card of one job; show(job) brings it up to date. */
export function waiting(id) {
  const reasons = element("ul", { class: "reasons" });
  const nodes = table([
    { title: "Node", cell: (n) => element("a", { href: "#/execution-nodes/" + encodeURIComponent(n.node) }, n.node) },
    { title: "Verdict", cell: (n) => n.reason ? word(n.reason.code) : element("span", { class: "state good" }, "✓ fits") },
    { title: "Details", words: true, cell: (n) => n.reason?.words ?? "" },
  ], (n) => n.node, "");
  const share = element("div");
  const spans = table([
    { title: "From", cell: (w) => clock(w.from) },
    { title: "For", number: true, cell: (w) => seconds(between(w.from, w.until ?? new Date().toISOString())) },
    { title: "Reason", cell: (w) => word(w.code) },
    { title: "Details", words: true, cell: (w) => element("span", { title: w.words }, w.words) },
  ], (w) => w.from + w.code, "It has not waited.");
  const now = element("section", { class: "card" }, element("h2", {}, "Why it is waiting"), reasons, nodes.whole);
  const past = element("details", {}, element("summary", {}, "Waiting history"), share, spans.whole);
  const whole = element("div", {}, now, element("section", { class: "card" }, past));
  let last = null;
  return {
    whole,
    async show(job) {
      // The waiting history of an ended job no longer changes.
      const key = job.state + job.attempt;
      if (key === last && !["WAITING", "BLOCKED", "HELD"].includes(job.state)) return;
      last = key;
      const told = await read("/v1/jobs/" + id + "/explanation");
      now.hidden = told.reasons.length === 0;
      reasons.replaceChildren(...told.reasons.map((one) => element("li", {}, element("span", { class: "state warn" }, "▲ " + word(one.code)), " " + one.words)));
      nodes.show(told.nodes);
      nodes.whole.hidden = told.nodes.length === 0;
      spans.show(told.waits);
      share.replaceChildren(...totals(told.waits));
    },
  };
}

function totals(waits) {
  const byCode = new Map();
  for (const one of waits) {
    const took = between(one.from, one.until ?? new Date().toISOString());
    byCode.set(one.code, (byCode.get(one.code) ?? 0) + took);
  }
  const whole = [...byCode.values()].reduce((sum, one) => sum + one, 0);
  if (!whole) return [];
  const parts = [...byCode].sort((one, other) => other[1] - one[1]);
  return [
    element("p", { class: "muted" }, "Of " + seconds(whole) + " waiting: " + parts.map(([code, took]) => seconds(took) + " " + word(code)).join(", ") + "."),
    bar(parts.map(([code, took], index) => ({ share: took / whole, color: color(index), title: word(code) + " " + seconds(took) })), "split wide"),
  ];
}
