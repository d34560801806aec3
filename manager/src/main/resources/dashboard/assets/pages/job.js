// One job: what it is, why it waits, its attempts, its history and its live output.

import { call, post, read } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, state, table } from "../dom.js";
import { atWork, between, bytes, clock, commandLine, count, ending, seconds } from "../format.js";
import { failuresCard } from "../failures.js";
import { outputCard } from "../output.js";
import { isUnknown, showMissing } from "../missing.js";
import { entitle } from "../title.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { progress, reported } from "./jobs.js";
import { waiting } from "./waiting.js";
import { stepAddress, workflowAddress } from "./workflows.js";

const ended = ["SUCCEEDED", "FAILED", "CANCELLED"];

export function jobPage(place, { variables: [id] }) {
  const title = element("h1", {}, "Job " + id);
  const facts = element("dl", { class: "facts" });
  const actions = element("div", { class: "filters" });
  const attempts = attemptTable();
  const waits = waiting(id);
  const history = table([
    { title: "At", cell: (h) => clock(h.at) },
    { title: "State", cell: (h) => state(h.state) },
    { title: "Attempt", number: true, cell: (h) => h.attempt || "" },
    { title: "Event", cell: (h) => h.words },
  ], (h) => h.at + h.state + h.words, "No history.");
  const output = outputCard(id);
  // Only the sample's job is known by its number.
  const failures = failuresCard((item, group) => item === group.sample.item ? element("a", { href: "#/jobs/" + group.sample.job }, item) : item);
  let failed = -1;
  const tried = element("section", { class: "card" }, element("h2", {}, "Attempts"), attempts.whole);
  place.append(title, actions, waits.whole,
    element("section", { class: "card" }, element("h2", {}, "Details"), facts), tried,
    failures.whole,
    output.whole,
    element("section", { class: "card" }, element("h2", {}, "History"), history.whole));

  const show = async () => {
    let all;
    try {
      all = await read("/v1/jobs/" + id);
    } catch (failure) {
      // Numbers of jobs are not used again.
      if (isUnknown(failure)) clearInterval(timer);
      title.replaceChildren("Job " + id);
      showMissing(title, "job", id, failure);
      return;
    }
    const { job, spec } = all;
    entitle("Job " + job.id + ": " + job.name);
    title.replaceChildren("Job " + job.id + ": " + job.name + " ", state(job.state, atWork(job) ? null : job.reason));
    showFacts(facts, factsOf(job, spec, all.workflow), ["command", "on the command line", "requires", "rank"]);
    attempts.show(all.attempts);
    history.show(all.history);
    // Attempts and output of an array are those of its elements.
    tried.hidden = Boolean(job.progress);
    output.show(job.progress ? [] : all.attempts);
    actions.replaceChildren(...commands(job, show));
    if (job.progress && job.progress.failed !== failed) {
      failed = job.progress.failed;
      failures.show(await read("/v1/jobs/failures?" + new URLSearchParams({ search: "array:" + id })));
    }
    await waits.show(job);
  };
  show().catch((failure) => { facts.replaceChildren(element("dd", { class: "problem" }, failure.message)); });
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 1500);
  return () => { clearInterval(timer); output.close(); };
}

function commands(job, show) {
  const button = (words, verb, body, danger) => element("button", { type: "button", class: danger ? "danger" : null, onclick: async () => {
    try {
      const sent = body ? await body() : undefined;
      if (sent === null) return;
      await post("/v1/jobs/" + job.id + "/" + verb, sent);
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  } }, words);
  const priority = async () => {
    const answer = await ask({ title: "Priority of job " + job.id, words: "Higher priorities run first; the default is 0.", action: "Change",
      fields: [{ name: "priority", label: "Priority", value: job.priority }] });
    return answer && { priority: Number(answer.priority) };
  };
  const cancel = () => ask({ title: "Cancel job " + job.id + "?", action: "Cancel the job", danger: true,
    words: job.progress ? "All elements of " + job.name + " that have not ended are stopped: " + count(job.progress.size - job.progress.succeeded - job.progress.failed - job.progress.cancelled) + "."
      : job.state === "RUNNING" ? job.name + " is running; its processes are stopped." : job.name + " will not be started." }).then((answer) => answer && undefined);
  const waits = ["WAITING", "BLOCKED"].includes(job.state);
  const elements = job.progress ? element("a", { href: "#/jobs?" + new URLSearchParams({ search: "array:" + job.id }) }, "Elements") : null;
  if (!mayChange()) return [elements].filter(Boolean);
  return [
    ended.includes(job.state) ? null : button("Cancel", "cancel", cancel, true),
    waits ? button("Hold", "hold") : null,
    job.state === "HELD" ? button("Release", "release") : null,
    waits || job.state === "HELD" ? button("Priority", "priority", priority) : null,
    ["FAILED", "CANCELLED"].includes(job.state) ? button("Retry", "retry") : null,
    ["FAILED", "CANCELLED"].includes(job.state) ? element("button", { type: "button", onclick: () => retryAll(job, show) }, "Retry with dependents") : null,
    ended.includes(job.state) && job.array == null ? element("button", { type: "button", class: "danger", onclick: () => remove(job) }, "Delete") : null,
    elements,
  ].filter(Boolean);
}

/** Deletes an ended job before its retention ends, an array with its elements. */
async function remove(job) {
  const action = (dryRun) => post("/v1/jobs/actions", { verb: "DELETE", ids: [job.id], dryRun });
  try {
    const trial = await action(true);
    if (!trial.changed) throw new Error("Job " + job.id + " is not deleted: it " + trial.unchanged[0]?.reason);
    const answer = await ask({ title: "Delete job " + job.id + "?", action: "Delete", danger: true,
      words: (job.progress ? "The array with its " + count(job.progress.size) + " elements" : job.name) + " is deleted permanently with attempts, output and history.",
      attempt: async () => {
        const done = await action(false);
        if (!done.changed) throw new Error("It was not deleted: it " + done.unchanged[0]?.reason);
      } });
    if (!answer) return;
    toast("Job " + job.id + " is deleted.", true);
    if (location.hash === "#/jobs/" + job.id) location.hash = "#/jobs";
  } catch (failure) {
    toast(failure.message);
  }
}

/** Retries the job and all that was cancelled because of it, after saying how many these are. */
async function retryAll(job, show) {
  const action = (dryRun) => post("/v1/jobs/actions", { verb: "RETRY", ids: [job.id], dependents: true, dryRun });
  try {
    const trial = await action(true);
    const answer = await ask({ title: "Retry job " + job.id + " with its dependents?", action: "Retry",
      words: trial.matched > 1 ? count(trial.matched - 1) + " other jobs were cancelled because of it. They wait for it again." : "No other job was cancelled because of it." });
    if (!answer) return;
    const done = await action(false);
    toast(count(done.changed) + " retried" + (done.unchanged.length ? "; job " + done.unchanged[0].job + " was not changed: it " + done.unchanged[0].reason : ""), true);
    await show();
  } catch (failure) {
    toast(failure.message);
  }
}

function factsOf(job, spec, workflow) {
  const named = (amounts) => Object.entries(amounts ?? {}).map(([name, amount]) => name + " " + amount).join(", ") || null;
  const link = (id) => element("a", { href: "#/jobs/" + id }, id);
  return {
    command: spec.command ? commandLine(spec.command) : "built-in " + spec.program + " " + commandLine(spec.arguments ?? []),
    reason: atWork(job) ? null : job.reason,
    elements: job.progress ? progress(job.progress) : null,
    reported: reported(job),
    "element of": job.array ? element("span", {}, link(job.array), ", index " + job.index) : null,
    workflow: workflow == null ? null : element("span", {}, element("a", { href: workflowAddress(workflow) }, workflow),
      ...(job.index == null ? [] : [", ", element("a", { href: stepAddress(workflow, job.index) }, "step " + job.index)])),
    kind: job.kind.toLowerCase() + (job.owner ? ", by " + job.owner : ""),
    queue: job.queue ? job.queue + " on " + job.segmentNode : null,
    node: job.node ? element("a", { href: "#/execution-nodes/" + encodeURIComponent(job.node) }, job.node) : null,
    end: ending(job),
    ran: !atWork(job) && job.startedAt && job.endedAt ? seconds(between(job.startedAt, job.endedAt)) : null,
    submitted: clock(job.submittedAt),
    "not before": job.notBefore ? clock(job.notBefore) : null,
    deadline: job.deadline ? clock(job.deadline) : null,
    after: spec.after?.length ? element("span", {}, spec.after.flatMap((one, index) => [index ? ", " : "", link(one.job), " " + one.end.toLowerCase()])) : null,
    lane: job.lane,
    single: spec.single,
    "slots, priority": spec.slots + ", " + job.priority,
    processors: spec.cpu,
    memory: spec.memory,
    resources: named(spec.resources),
    licences: named(spec.licences),
    requires: spec.requires,
    rank: spec.rank,
    "pool, share": spec.pool + ", " + job.share,
    tags: job.tags?.join(" "),
    timeout: spec.timeout,
    retries: spec.retry.max || null,
    "on the command line": "millrace job show " + job.id,
  };
}

/** The attempts of a job as rows. */
export function attemptTable() {
  return table([
    { title: "#", number: true, cell: (a) => a.number },
    { title: "State", cell: (a) => state(a.state, a.reason) },
    { title: "Node", cell: (a) => a.node },
    { title: "Cause", words: true, cell: (a) => element("span", { title: a.cause ?? "" }, a.cause ?? "") },
    { title: "Started", cell: (a) => clock(a.startedAt) },
    { title: "Ran", number: true, cell: (a) => seconds(between(a.startedAt, a.endedAt)) },
    { title: "CPU", number: true, cell: (a) => a.usage ? seconds(a.usage.cpuMillis / 1000) : "" },
    { title: "Memory", number: true, cell: (a) => a.usage ? bytes(a.usage.memoryBytes) : "" },
    { title: "End", cell: (a) => ending(a) },
    { title: "Reason", words: true, cell: (a) => element("span", { title: a.reason ?? "" }, a.reason ?? "") },
  ], (a) => a.number, "Not started yet.");
}
