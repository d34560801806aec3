// The unfinished events of a queue, listed without leasing them.

import { read } from "../api.js";
import { element, table } from "../dom.js";
import { seconds } from "../format.js";
import { isUnknown, showMissing } from "../missing.js";

export function eventsPage(place, { variables: [name], query }) {
  const of = query.get("state") ?? "ready";
  const path = "/v1/queues/" + encodeURIComponent(name) + "/peek?limit=100&state=" + encodeURIComponent(of);
  const address = "#/queues/" + encodeURIComponent(name) + "/events";
  const list = table([
    { title: "Event", cell: (e) => element("span", { class: "mono" }, e.id) },
    { title: "Node", cell: (e) => e.node },
    { title: "Priority", number: true, cell: (e) => e.priority },
    { title: "Age", number: true, cell: (e) => seconds(e.ageSeconds) },
    { title: of === "leased" ? "Lease ends in" : "Ready in", number: true, cell: (e) => e.heldSeconds ? seconds(e.heldSeconds) : "–" },
    { title: "Deliveries", number: true, cell: (e) => e.deliveries },
    { title: "Failures", number: true, cell: (e) => e.failures },
    { title: "Data", cell: (e) => e.omittedBytes ? e.omittedBytes + " bytes, not shown" : element("details", {}, element("summary", {}, "show"), element("pre", { class: "log" }, JSON.stringify({ attributes: e.attributes, data: e.data }, null, 1))) },
  ], (e) => e.node + "/" + e.id, "No events.");
  const heading = element("h1", {}, "Events of ", element("a", { href: "#/queues/" + encodeURIComponent(name) }, name));
  place.append(heading,
    element("div", { class: "tabs" }, ["ready", "delayed", "leased"].map((one) =>
      element("button", { type: "button", "aria-pressed": String(one === of), onclick: () => { location.hash = address + "?state=" + one; } }, one))),
    element("p", { class: "muted" }, "Up to 100 per queue node, in delivery order."),
    element("section", { class: "card" }, list.whole));
  const load = async () => list.show(await read(path));
  const timer = setInterval(() => { if (!document.hidden) load().catch(() => {}); }, 5000);
  load().catch((failure) => {
    if (isUnknown(failure)) clearInterval(timer);
    showMissing(heading, "queue", name, failure);
  });
  return () => clearInterval(timer);
}
