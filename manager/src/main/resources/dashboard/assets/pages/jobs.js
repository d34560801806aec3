// Jobs, found by a search that lives in the address, so that a view can be kept and shared; and what
// can be done to many of them at once.

import { call, post, read } from "../api.js";
import { ask } from "../dialog.js";
import { bar, element, table, state } from "../dom.js";
import { atWork, between, clock, count, ending, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";

const views = [
  ["all", ""], ["waiting", "state:waiting,blocked,held"], ["running", "state:placed,running"], ["failed", "state:failed"],
  ["workers", "kind:worker"], ["managers", "kind:manager"],
];
const searchHelp = "All terms must match: state:failed,waiting  kind:worker  name:foo*  tag:x  node:e1  task:nightly  run:17  array:12  lane:x  id:5  exit:1,2"
  + "  since:2h (submitted in the last two hours)  ended:>2h (ended more than two hours ago). A minus negates a term: -state:succeeded  -exit:0.";
const verbs = [["Cancel", "CANCEL", true], ["Hold", "HOLD"], ["Release", "RELEASE"], ["Retry", "RETRY"], ["Priority", "PRIORITY"], ["Delete", "DELETE", true]];

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
  const jobs = jobTable({ choose: mayChange() ? choose : null, emptyWords: search ? "No job matches." : undefined });
  function choose(job, yes) {
    if (yes) chosen.add(job.id);
    else chosen.delete(job.id);
    tell();
  }
  place.append(
    element("h1", {}, "Jobs", element("span", { class: "aside" }, element("a", { href: "#/shares" }, "Shares and licences")), element("span", { class: "aside" }, element("a", { href: "#/usage" }, "Usage"))),
    form, element("details", {}, element("summary", {}, "Search terms"), element("p", { class: "muted" }, searchHelp)), problem,
    element("section", { class: "card" }, mayChange() ? element("div", { class: "filters" }, words, element("span", { class: "buttons" }, buttons)) : null, jobs.whole, older));
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
    const searched = verb === "DELETE" && !chosen.size;
    if (verb === "PRIORITY") fields.unshift({ name: "priority", label: "New priority (higher runs first)", value: "0" });
    try {
      const action = (answer, dryRun) => ({ verb, ...which, reason: answer.reason || null, priority: verb === "PRIORITY" ? Number(answer.priority) : null, dryRun });
      const tried = await call("/v1/jobs/actions", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(action({ priority: 0 }, true)) });
      const trial = await tried.json();
      if (searched) {
        // What ends after it was counted has not been confirmed. The server's clock counts, to the second.
        const counted = new Date((Date.parse(tried.headers.get("Date")) || Date.now()) + 1000);
        which.search = search + " ended:<" + counted.toISOString();
        fields.unshift({ name: "confirm", label: "Type " + trial.changed + ", the number of jobs to delete, to confirm", required: String(trial.changed) });
      }
      const answer = await ask({ title: title + " " + count(trial.changed) + " jobs?", action: title, danger, fields,
        words: count(trial.matched) + " jobs match, " + (verb === "DELETE" ? deletionWords(trial) : count(trial.changed) + " will change.") });
      if (!answer) return;
      const done = await post("/v1/jobs/actions", action(answer, false));
      toast(count(done.changed) + (verb === "DELETE" ? " deleted" : " changed") + (done.unchanged.length ? "; job " + done.unchanged[0].job + " was not changed: it " + done.unchanged[0].reason : ""), true);
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

/** What deleting would do; jobs that have not ended stay. */
function deletionWords(trial) {
  const left = trial.matched - trial.changed;
  return count(trial.changed) + " of them have ended and are deleted permanently with their attempts, output and history."
    + (left ? " " + count(left) + (left === 1 ? " stays" : " stay") + ": " + trial.unchanged.slice(0, 2).map((one) => "job " + one.job + " " + one.reason).join("; ") + (left > 2 ? "; …" : ".") : "");
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
    { title: "Job", order: (j) => j.id, cell: (j) => element("a", { href: "#/jobs/" + j.id }, j.index == null ? j.id : j.array + "[" + j.index + "]") },
    { title: "Name", order: (j) => j.name, words: true, cell: (j) => element("span", {}, j.name, (j.tags ?? []).map((tag) => element("a", { class: "tag", href: address("tag:" + tag) }, tag))) },
    { title: "State", order: (j) => j.state, cell: (j) => element("span", {}, state(j.state, reason(j)), j.progress ? progress(j.progress) : null, j.state === "RUNNING" ? reported(j) : null) },
    { title: "Node", order: (j) => j.node, cell: (j) => j.node ? element("a", { href: "#/execution-nodes/" + encodeURIComponent(j.node) }, j.node) : "" },
    { title: "Attempt", order: (j) => j.attempt, number: true, cell: (j) => j.attempt || "" },
    { title: "Submitted", order: (j) => j.submittedAt, cell: (j) => clock(j.submittedAt) },
    { title: "Ran", order: (j) => between(j.startedAt, j.endedAt ?? (j.state === "RUNNING" ? new Date().toISOString() : null)), number: true, cell: (j) => seconds(between(j.startedAt, j.endedAt ?? (j.state === "RUNNING" ? new Date().toISOString() : null))) },
    !brief && { title: "End", order: (j) => ending(j), cell: (j) => ending(j) },
    !brief && { title: "Reason", order: reason, words: true, cell: (j) => element("span", { title: reason(j) ?? "" }, reason(j) ?? "") },
  ].filter(Boolean), (j) => j.id, emptyWords);
}

/** Why the job waits, or why its latest attempt ended so. */
const reason = (job) => atWork(job) ? null : job.reason;

/** How far an array is, as a bar with text. */
export function progress(of) {
  const parts = [[of.succeeded, "var(--good)", "succeeded"], [of.failed, "var(--bad)", "failed"], [of.cancelled, "var(--warn)", "cancelled"], [of.running, "var(--accent)", "running"]]
    .filter(([amount]) => amount > 0);
  return element("span", {},
    bar(parts.map(([amount, hue, word]) => ({ share: amount / of.size, color: hue, title: count(amount) + " " + word })), "split"),
    element("span", { class: "muted small" }, count(of.succeeded + of.failed + of.cancelled) + " of " + count(of.size)
      + (of.running ? ", " + count(of.running) + " running" : "") + (of.failed ? ", " + count(of.failed) + " failed" : "")));
}

/** What the program of a job reports: a bar, the text, and how long it will take at its rate so far. */
export function reported(job) {
  const of = job.programProgress;
  if (!of) return null;
  const percent = of.percent == null ? null : Math.floor(of.percent) + "%";
  const counts = of.total == null ? null : count(of.done) + " of " + count(of.total);
  const left = job.state === "RUNNING" && of.expectedEnd ? "about " + seconds(Math.max(0, between(new Date().toISOString(), of.expectedEnd))) + " left" : null;
  const words = [percent && counts ? percent + " (" + counts + ")" : percent ?? counts, of.message, left].filter(Boolean).join(", ");
  return element("span", { title: "reported at " + clock(of.reportedAt) },
    of.percent == null ? null : bar([{ share: of.percent / 100, color: "var(--accent)", title: percent + " reported" }], "split"),
    element("span", { class: "muted small" }, words));
}
