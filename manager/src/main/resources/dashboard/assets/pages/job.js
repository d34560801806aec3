// One job: what it is, why it waits, its attempts, its history and its live output.

import { call, post, read } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, state, table } from "../dom.js";
import { between, bytes, clock, ending, seconds } from "../format.js";
import { toast } from "../toast.js";
import { progress } from "./jobs.js";
import { waiting } from "./waiting.js";

const longestLog = 400_000;
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
  const output = element("pre", { class: "log", tabindex: "0", "aria-label": "Output" }, "");
  const streams = ["stdout", "stderr"].map((name) =>
    element("button", { type: "button", "aria-pressed": String(name === "stdout"), onclick: () => tail(name) }, name));
  const printed = element("section", { class: "card" }, element("h2", {}, "Output"), element("div", { class: "tabs" }, streams), output);
  place.append(title, actions, waits.whole,
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "Details"), facts),
      element("section", { class: "card" }, element("h2", {}, "Attempts"), attempts.whole)),
    printed,
    element("section", { class: "card" }, element("h2", {}, "History"), history.whole));

  let reading = new AbortController();
  let shown = 0;
  let stream = "stdout";
  async function tail(name) {
    stream = name;
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    streams.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === name)));
    output.textContent = "";
    try {
      const answer = await call("/v1/jobs/" + id + "/logs?follow=true&stream=" + name, { signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 8;
        output.append(part.value);
        if (output.textContent.length > longestLog) output.textContent = output.textContent.slice(-longestLog);
        if (atEnd) output.scrollTop = output.scrollHeight;
      }
    } catch (failure) {
      if (!signal.aborted) output.textContent = failure.message;
    }
  }

  const show = async () => {
    const all = await read("/v1/jobs/" + id);
    const { job, spec } = all;
    title.replaceChildren("Job " + job.id + ": " + job.name + " ", state(job.state, job.reason));
    showFacts(facts, factsOf(job, spec), ["command", "on the command line", "requires", "rank"]);
    attempts.show(all.attempts);
    history.show(all.history);
    // An array has no output of its own, and what has not started has none yet.
    printed.hidden = Boolean(job.progress) || job.attempt === 0;
    actions.replaceChildren(...commands(job, show));
    if (job.attempt !== shown && job.attempt > 0) {
      shown = job.attempt;
      tail(stream);
    }
    await waits.show(job);
  };
  show().catch((failure) => { facts.replaceChildren(element("dd", { class: "problem" }, failure.message)); });
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 1500);
  return () => { clearInterval(timer); reading.abort(); };
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
  const waits = ["WAITING", "BLOCKED"].includes(job.state);
  return [
    ended.includes(job.state) ? null : button("Cancel", "cancel", null, true),
    waits ? button("Hold", "hold") : null,
    job.state === "HELD" ? button("Release", "release") : null,
    waits || job.state === "HELD" ? button("Priority", "priority", priority) : null,
    ["FAILED", "CANCELLED"].includes(job.state) ? button("Retry", "retry") : null,
    job.progress ? element("a", { href: "#/jobs?" + new URLSearchParams({ search: "array:" + job.id }) }, "Elements") : null,
  ].filter(Boolean);
}

function factsOf(job, spec) {
  const named = (amounts) => Object.entries(amounts ?? {}).map(([name, amount]) => name + " " + amount).join(", ") || null;
  const link = (id) => element("a", { href: "#/jobs/" + id }, id);
  return {
    command: spec.command ? spec.command.join(" ") : "built-in " + spec.program + " " + (spec.arguments ?? []).join(" "),
    reason: job.reason,
    elements: job.progress ? progress(job.progress) : null,
    "element of": job.array ? element("span", {}, link(job.array), ", index " + job.index) : null,
    kind: job.kind.toLowerCase() + (job.owner ? ", by " + job.owner : ""),
    queue: job.queue ? job.queue + " on " + job.segmentNode : null,
    node: job.node ? element("a", { href: "#/execution-nodes/" + encodeURIComponent(job.node) }, job.node) : null,
    end: ending(job),
    ran: job.startedAt && job.endedAt ? seconds(between(job.startedAt, job.endedAt)) : null,
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

function attemptTable() {
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
