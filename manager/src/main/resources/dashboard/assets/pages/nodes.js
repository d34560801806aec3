// Every node: queue nodes with load and segments, execution nodes with slots, load balancers.

import { follow } from "../live.js";
import { element, table, meter } from "../dom.js";
import { color } from "../charts.js";
import { bytes, count, seconds } from "../format.js";
import { nodeStatus, nodeTable } from "./overview.js";

export function nodesPage(place) {
  const queueNodes = nodeTable();
  const executionNodes = table([
    { title: "Node", cell: (n) => element("a", { href: "#/execution-nodes/" + encodeURIComponent(n.name) }, n.name) },
    { title: "Status", cell: nodeStatus },
    { title: "Slots", cell: (n) => meter(n.capacity.slots ? n.usedSlots / n.capacity.slots : 0, color(2), n.usedSlots + " of " + n.capacity.slots) },
    { title: "Last report", number: true, cell: (n) => seconds(n.silentSeconds) + " ago" },
    { title: "Pools", cell: (n) => n.pools.join(", ") },
    { title: "Attributes", words: true, cell: (n) => attributes(n.attributes ?? {}) },
    { title: "Attempts", words: true, cell: (n) => n.attempts.slice(0, 12).flatMap((attempt, index) => [index ? " " : "", element("a", { href: "#/jobs/" + attempt.split(".")[0] }, attempt)]) },
  ], (n) => n.id, "No execution node has registered.");
  const balancers = table([
    { title: "Load balancer", cell: (b) => b.name },
    { title: "Address", cell: (b) => element("span", { class: "mono" }, b.address) },
    { title: "Events forwarded", number: true, cell: (b) => count(b.accepted) },
    { title: "Refused", number: true, cell: (b) => count(b.refused) },
  ], (b) => b.id, "No live load balancers.");
  const segments = table([
    { title: "Queue node", cell: (s) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(s.node) }, s.node) },
    { title: "Queue", cell: (s) => element("a", { href: "#/queues/" + encodeURIComponent(s.queue) }, s.queue) },
    { title: "Weight", number: true, cell: (s) => s.weight },
    { title: "Waiting", number: true, cell: (s) => count(s.waiting) },
    { title: "Leased", number: true, cell: (s) => count(s.leased) },
    { title: "Oldest", number: true, cell: (s) => seconds(s.waiting ? s.oldestSeconds : null) },
    { title: "Dead", number: true, cell: (s) => count(s.dead) },
  ], (s) => s.node + "/" + s.queue, "No segment has been reported yet.");
  place.append(
    element("h1", {}, "Nodes"),
    element("section", { class: "card" }, element("h2", {}, "Queue nodes"), queueNodes.whole),
    element("section", { class: "card" }, element("h2", {}, "Execution nodes"), executionNodes.whole),
    element("section", { class: "card" }, element("h2", {}, "Load balancers"), balancers.whole),
    element("section", { class: "card" }, element("h2", {}, "Segments"), segments.whole));
  return follow((now) => {
    queueNodes.show(now.queueNodes);
    executionNodes.show(now.executionNodes);
    balancers.show(now.balancers);
    segments.show(now.queueNodes.flatMap((node) => node.segments));
  });
}

/** What jobs may require, without what is empty. */
function attributes(of) {
  return Object.entries(of).filter(([, value]) => value !== "")
    .map(([key, value]) => key + "=" + (key === "memory" ? bytes(Number(value)) : value)).join(" ");
}
