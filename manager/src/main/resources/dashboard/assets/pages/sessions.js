// The sessions of a queue, by state and worker; and what their other pages share.

import { read } from "../api.js";
import { element, state, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";
import { showMissing } from "../missing.js";

const views = [["not completed", ""], ["unassigned", "unassigned"], ["open", "open"], ["parked", "parked"], ["completed", "completed"]];
const pageSize = 50;

export function sessionsPage(place, { variables: [name], query }) {
  const wanted = { state: query.get("state") ?? "", worker: query.get("worker") ?? "", after: query.get("after") ?? "" };
  const field = element("input", { type: "search", "aria-label": "Key", placeholder: "exact key", required: true });
  const form = element("form", { class: "filters", role: "search", onsubmit: (event) => { event.preventDefault(); location.hash = sessionAddress(name, field.value); } },
    field, element("button", { type: "submit" }, "Open"),
    views.map(([words, value]) => element("a", { href: sessionsAddress(name, { ...wanted, state: value, after: "" }), class: "view", "aria-current": value === wanted.state ? "true" : null }, words)),
    wanted.worker ? element("span", {}, "of worker ", element("span", { class: "mono" }, wanted.worker), " ", element("a", { href: sessionsAddress(name, { ...wanted, worker: "", after: "" }) }, "all workers")) : null);
  const problem = element("p", { class: "notice", hidden: true });
  const list = table([
    { title: "Key", words: true, cell: (s) => element("a", { class: "mono", href: sessionAddress(name, s.key) }, s.key) },
    { title: "State", cell: (s) => state(s.state) },
    { title: "Worker", cell: (s) => s.worker ? element("a", { href: sessionsAddress(name, { worker: s.worker }), title: s.worker }, workerName(s.workerName, s.worker)) : "" },
    { title: "Node", cell: (s) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(s.node) }, s.node) },
    { title: "Slot", number: true, cell: (s) => s.slot },
    { title: "Number", number: true, cell: (s) => s.number },
    { title: "Events", number: true, cell: (s) => count(s.accepted) },
    { title: "Done", number: true, cell: (s) => count(s.acknowledged) },
    { title: "Opened", cell: (s) => clock(s.openedAt) },
    { title: "Last event", number: true, cell: (s) => s.lastEventAt ? seconds(between(s.lastEventAt, new Date().toISOString())) + " ago" : "" },
    { title: "Unacknowledged for", number: true, cell: (s) => s.oldestUnacknowledgedSeconds ? seconds(s.oldestUnacknowledgedSeconds) : "–" },
    { title: "Waits for", words: true, cell: (s) => s.waitsFor ?? "" },
  ], (s) => s.key, wanted.state || wanted.worker ? "No session matches." : "No open sessions.");
  const next = element("a", { hidden: true }, "Next sessions");
  const first = element("a", { hidden: !wanted.after, href: sessionsAddress(name, { ...wanted, after: "" }) }, "First sessions");
  const heading = element("h1", {}, element("span", { class: "prose" }, "Sessions of ", element("a", { href: queueAddress(name) }, name)));
  place.append(heading, form, problem,
    element("section", { class: "card" }, list.whole, element("p", { class: "pages" }, first, " ", next)));

  let closed = false;
  let timer = null;
  const asked = new URLSearchParams({ limit: pageSize });
  for (const [part, value] of Object.entries(wanted)) if (value) asked.set(part, value);
  const show = async () => {
    const page = await read(queuePath(name) + "/sessions?" + asked);
    problem.hidden = true;
    list.show(page.sessions ?? []);
    next.hidden = page.next == null;
    next.href = sessionsAddress(name, { ...wanted, after: page.next ?? "" });
  };
  const again = async () => {
    const began = Date.now();
    if (!document.hidden) {
      try {
        await show();
      } catch (failure) {
        if (failure.code === "UNKNOWN_QUEUE") {
          closed = true;
          showMissing(heading, "queue", name, failure);
        }
        problem.textContent = failure.message;
        problem.hidden = false;
      }
    }
    if (!closed) timer = setTimeout(again, Math.max(3000, 10 * (Date.now() - began)));
  };
  again();
  return () => { closed = true; clearTimeout(timer); };
}

export const queueAddress = (name) => "#/queues/" + encodeURIComponent(name);
export const queuePath = (name) => "/v1/queues/" + encodeURIComponent(name);

/** The list of a queue's sessions with its choices. */
export function sessionsAddress(name, choices = {}) {
  const given = new URLSearchParams(Object.entries(choices).filter(([, value]) => value));
  return queueAddress(name) + "/sessions" + (given.size ? "?" + given : "");
}

/** The page of one session. */
export const sessionAddress = (name, key) => queueAddress(name) + "/session?" + new URLSearchParams({ key });

/** A worker by its name, or by the beginning of its ID, with which commands find it. */
export const workerName = (name, id) => name ?? String(id).slice(0, 8);
