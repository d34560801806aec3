// The log of decisions about weight, with the figures behind each.

import { read } from "../api.js";
import { element, table } from "../dom.js";
import { clock, count } from "../format.js";

export function balancingPage(place, { query }) {
  const queue = element("input", { value: query.get("queue") ?? "", placeholder: "any queue", "aria-label": "Queue", onchange: go });
  const node = element("input", { value: query.get("node") ?? "", placeholder: "any node", "aria-label": "Node", onchange: go });
  const log = decisionLog();
  place.append(
    element("h1", {}, "Rebalancing history"),
    element("div", { class: "filters" }, element("label", {}, "Queue ", queue), element("label", {}, "Node ", node)),
    element("section", { class: "card" }, log.whole));
  function go() {
    const parts = new URLSearchParams();
    if (queue.value) parts.set("queue", queue.value);
    if (node.value) parts.set("node", node.value);
    location.hash = "#/balancing" + (parts.size ? "?" + parts : "");
  }
  const load = async () => log.show(await decisions(query.get("queue"), query.get("node"), 200));
  load();
  const timer = setInterval(() => { if (!document.hidden) load().catch(() => {}); }, 3000);
  return () => clearInterval(timer);
}

/** The newest decisions of a queue or node; null for any. */
export function decisions(queue, node, limit) {
  const parts = new URLSearchParams({ limit });
  if (queue) parts.set("queue", queue);
  if (node) parts.set("node", node);
  return read("/v1/balancing/decisions?" + parts);
}

/** A table of decisions; also a part of the pages of a node and a queue. */
export function decisionLog() {
  return table([
    { title: "At", cell: (d) => clock(d.at) },
    { title: "Kind", cell: (d) => element("span", { class: "state " + (d.kind === "SHORTAGE" ? "bad" : d.kind === "HEAL" ? "warn" : "run") }, d.kind.toLowerCase().replace("_", " ")) },
    { title: "By", cell: (d) => d.node },
    { title: "Moves", cell: moves },
    { title: "Why", prose: true, cell: (d) => d.reason },
    { title: "Figures", cell: (d) => d.inputs == null ? "" : element("details", {}, element("summary", {}, "show"), element("pre", { class: "log" }, JSON.stringify(d.inputs, null, 1))) },
  ], (d) => d.id, "No decisions about weight yet.");
}

function moves(decision) {
  return element("ul", { class: "lines" }, decision.moves.map((move) => element("li", {},
    count(move.points) + " of ", element("a", { href: "#/queues/" + encodeURIComponent(move.queue) }, move.queue),
    (move.from ? " from " + move.from : "") + (move.to ? " to " + move.to : ""))));
}
