// Jobs, found by a search that lives in the address, so that a view can be kept and shared; and what
// can be done to many of them at once.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { bar, element, table, state } from "../dom.js";
import { between, clock, count, ending, seconds } from "../format.js";
import { toast } from "../toast.js";

const views = [
  ["all", ""], ["waiting", "state:waiting,blocked,held"], ["running", "state:placed,running"], ["failed", "state:failed"],
  ["workers", "kind:worker"], ["managers", "kind:manager"],
];
const verbs = [["Cancel", "CANCEL", true], ["Hold", "HOLD"], ["Release", "RELEASE"], ["Retry", "RETRY"], ["Priority", "PRIORITY"]];

export function jobsPage(place, { query }) {
  const search = query.get("search") ?? "";
  const chosen = new Set();
  let before = null;
  const field = element("input", { value: search, size: 48, type: "search", "aria-label": "Search", placeholder: "state:failed node:e1 tag:nightly name:foo*" });
  const form = element("form", { class: "filters", role: "search", onsubmit: (event) => { event.preventDefault(); go(field.value); } },
    field, element("button", { type: "submit" }, "Search"),
    views.map(([words, value]) => element("a", { href: address(value), "aria-current": value === search ? "true" : null, class: "view" }, words)));
  const problem = element("p", { class: "notice", hidden: true });
  const words = element("span", { class: "muted" });
  const older = element("button", { type: "button", hidden: true }, "Older jobs");
  const buttons = verbs.map(([title, verb, danger]) =>
    element("button", { type: "button", class: danger ? "danger" : null, onclick: () => act(title, verb, danger) }, title));
  const tell = () => { words.textContent = chosen.size ? count(chosen.size) + " selected" : "Apply to all matching jobs:"; };
  const jobs = jobTable({ choose: (job, yes) => { if (yes) chosen.add(job.id); else chosen.delete(job.id); tell(); } });
  place.append(
    element("h1", {}, "Jobs", element("span", { class: "aside" }, element("a", { href: "#/shares" }, "Shares and licences"))),
    form, problem,
    element("section", { class: "card" }, element("div", { class: "filters" }, words, element("span", { class: "buttons" }, buttons)), jobs.whole, older));
  tell();

  const show = async () => {
    const wanted = new URLSearchParams({ limit: 100 });
    if (search) wanted.set("search", search);
    if (before) wanted.set("before", before);
    try {
      const page = await read("/v1/jobs?" + wanted);
      problem.hidden = true;
      jobs.show(page.jobs);
      older.hidden = page.next == null;
      older.onclick = () => { before = page.next; show(); };
    } catch (failure) {
      problem.textContent = failure.message;
      problem.hidden = false;
      jobs.show([]);
    }
  };
  async function act(title, verb, danger) {
    const which = chosen.size ? { ids: [...chosen] } : { search };
    const fields = [{ name: "reason", label: "Reason" }];
    if (verb === "PRIORITY") fields.unshift({ name: "priority", label: "New priority (higher runs first)", value: "0" });
    try {
      const action = (answer, dryRun) => ({ verb, ...which, reason: answer.reason || null, priority: verb === "PRIORITY" ? Number(answer.priority) : null, dryRun });
      const trial = await post("/v1/jobs/actions", action({ priority: 0 }, true));
      const answer = await ask({ title: title + " " + count(trial.changed) + " jobs?", action: title, danger, fields,
        words: count(trial.matched) + " jobs match, " + count(trial.changed) + " will change." });
      if (!answer) return;
      const done = await post("/v1/jobs/actions", action(answer, false));
      toast(count(done.changed) + " changed" + (done.unchanged.length ? "; unchanged: " + done.unchanged[0].job + ", " + done.unchanged[0].reason : ""), true);
      chosen.clear();
      tell();
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  }
  show();
  const timer = setInterval(() => { if (!document.hidden && !before && !chosen.size) show(); }, 2000);
  return () => clearInterval(timer);
}

function address(search) {
  return search ? "#/jobs?" + new URLSearchParams({ search }) : "#/jobs";
}

function go(search) {
  location.hash = address(search.trim());
}

/** Jobs as rows; also, in brief while they live, on the pages of queues. */
export function jobTable({ brief, choose, emptyWords = "No jobs. Submit one with: millrace submit -- echo hello" } = {}) {
  return table([
    choose && { title: "", cell: (j) => element("input", { type: "checkbox", "aria-label": "Select job " + j.id, onchange: (event) => choose(j, event.target.checked) }) },
    { title: "Job", cell: (j) => element("a", { href: "#/jobs/" + j.id }, j.index == null ? j.id : j.array + "[" + j.index + "]") },
    { title: "Name", words: true, cell: (j) => element("span", {}, j.name, (j.tags ?? []).map((tag) => element("a", { class: "tag", href: address("tag:" + tag) }, tag))) },
    { title: "State", cell: (j) => j.progress ? element("span", {}, state(j.state, j.reason), progress(j.progress)) : state(j.state, j.reason) },
    { title: "Node", cell: (j) => j.node ? element("a", { href: "#/execution-nodes/" + encodeURIComponent(j.node) }, j.node) : "" },
    { title: "Attempt", number: true, cell: (j) => j.attempt || "" },
    { title: "Submitted", cell: (j) => clock(j.submittedAt) },
    { title: "Ran", number: true, cell: (j) => seconds(between(j.startedAt, j.endedAt ?? (j.state === "RUNNING" ? new Date().toISOString() : null))) },
    !brief && { title: "End", cell: (j) => ending(j) },
    !brief && { title: "Reason", words: true, cell: (j) => element("span", { title: j.reason ?? "" }, j.reason ?? "") },
  ].filter(Boolean), (j) => j.id, emptyWords);
}

/** How far an array is, as a bar with text. */
export function progress(of) {
  const parts = [[of.succeeded, "var(--good)", "succeeded"], [of.failed, "var(--bad)", "failed"], [of.cancelled, "var(--warn)", "cancelled"], [of.running, "var(--accent)", "running"]]
    .filter(([amount]) => amount > 0);
  return element("span", {},
    bar(parts.map(([amount, hue, word]) => ({ share: amount / of.size, color: hue, title: count(amount) + " " + word })), "split"),
    element("span", { class: "muted small" }, count(of.succeeded + of.failed + of.cancelled) + " of " + count(of.size)
      + (of.running ? ", " + count(of.running) + " running" : "") + (of.failed ? ", " + count(of.failed) + " failed" : "")));
}
