// Jobs, with filters that live in the address so that a view can be kept and shared.

import { read } from "../api.js";
import { element, table, state } from "../dom.js";
import { between, clock, ending, seconds } from "../format.js";

const kinds = [["submitted", "submitted"], ["worker", "workers"], ["manager", "managers"], ["all", "all"]];
const states = ["", "waiting", "running", "succeeded", "failed", "cancelled"];

export function jobsPage(place, { query }) {
  const jobs = jobTable();
  const filter = { kind: query.get("kind") ?? "submitted", state: query.get("state") ?? "", queue: query.get("queue") ?? "" };
  const change = (name) => (event) => {
    const next = new URLSearchParams({ ...filter, [name]: event.target.value });
    for (const [key, value] of [...next]) if (!value) next.delete(key);
    location.hash = "#/jobs?" + next;
  };
  const choice = (name, options) => element("label", {}, name, element("select", { onchange: change(name) },
    options.map(([value, words]) => element("option", { value, selected: filter[name] === value }, words || "any"))));
  const older = element("button", { type: "button", hidden: true }, "Older jobs");
  place.append(
    element("h1", {}, "Jobs"),
    element("div", { class: "filters" },
      choice("kind", kinds),
      choice("state", states.map((one) => [one, one])),
      element("label", {}, "queue", element("input", { value: filter.queue, size: 16, placeholder: "any", onchange: change("queue") }))),
    element("section", { class: "card" }, jobs.whole, older));
  let before = null;
  const show = async () => {
    const search = new URLSearchParams({ limit: 100 });
    for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value);
    if (before) search.set("before", before);
    const page = await read("/v1/jobs?" + search);
    jobs.show(page.jobs);
    older.hidden = page.next == null;
    older.onclick = () => { before = page.next; show(); };
  };
  show();
  const timer = setInterval(() => { if (!document.hidden && !before) show().catch(() => {}); }, 1500);
  return () => clearInterval(timer);
}

/** Jobs as rows; also, in brief while they live, on the pages of queues. */
export function jobTable(brief, emptyWords = "No job here. Submit one with: millrace submit -- echo hello") {
  return table([
    { title: "Job", cell: (j) => element("a", { href: "#/jobs/" + j.id }, j.id) },
    { title: "Name", words: true, cell: (j) => j.name },
    { title: "State", cell: (j) => state(j.state, j.reason) },
    { title: "Node", cell: (j) => j.node ?? "" },
    { title: "Try", number: true, cell: (j) => j.attempt || "" },
    { title: "Submitted", cell: (j) => clock(j.submittedAt) },
    { title: "Ran", number: true, cell: (j) => seconds(between(j.startedAt, j.endedAt ?? (j.state === "RUNNING" ? new Date().toISOString() : null))) },
    !brief && { title: "End", cell: (j) => ending(j) },
    !brief && { title: "Why", words: true, cell: (j) => element("span", { title: j.reason ?? "" }, j.reason ?? "") },
  ].filter(Boolean), (j) => j.id, emptyWords);
}
