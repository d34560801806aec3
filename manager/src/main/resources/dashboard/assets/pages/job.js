// One job: what it is, its attempts, its history and its output as it comes.

import { call, post, read } from "../api.js";
import { element, table, state } from "../dom.js";
import { between, clock, ending, seconds } from "../format.js";
import { toast } from "../toast.js";

const longestLog = 400_000;

export function jobPage(place, { variables: [id] }) {
  const title = element("h1", {}, "Job " + id);
  const facts = element("dl", { class: "facts" });
  const actions = element("div", { class: "filters" });
  const attempts = attemptTable();
  const history = table([
    { title: "At", cell: (h) => clock(h.at) },
    { title: "State", cell: (h) => state(h.state) },
    { title: "Attempt", number: true, cell: (h) => h.attempt || "" },
    { title: "What happened", cell: (h) => h.words },
  ], (h) => h.at + h.state + h.words, "No history.");
  const output = element("pre", { class: "log", tabindex: "0", "aria-label": "Output" }, "");
  const streams = ["stdout", "stderr"].map((name) =>
    element("button", { type: "button", "aria-pressed": String(name === "stdout"), onclick: () => tail(name) }, name));
  place.append(title, actions,
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "What"), facts),
      element("section", { class: "card" }, element("h2", {}, "Attempts"), attempts.whole)),
    element("section", { class: "card" }, element("h2", {}, "Output"), element("div", { class: "tabs" }, streams), output),
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

  const act = (verb) => async () => {
    try {
      await post("/v1/jobs/" + id + "/" + verb);
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  };
  const show = async () => {
    const all = await read("/v1/jobs/" + id);
    const { job, spec } = all;
    title.replaceChildren("Job " + job.id + ": " + job.name + " ", state(job.state, job.reason));
    facts.replaceChildren(...factsOf(job, spec));
    attempts.show(all.attempts);
    history.show(all.history);
    const ended = ["SUCCEEDED", "FAILED", "CANCELLED"].includes(job.state);
    actions.replaceChildren(...[
      ended ? null : element("button", { type: "button", class: "danger", onclick: act("cancel") }, "Cancel"),
      ["FAILED", "CANCELLED"].includes(job.state) ? element("button", { type: "button", onclick: act("retry") }, "Retry") : null,
    ].filter(Boolean));
    if (job.attempt !== shown && job.attempt > 0) {
      shown = job.attempt;
      tail(stream);
    }
  };
  show().catch((failure) => { facts.replaceChildren(element("dd", { class: "problem" }, failure.message)); });
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 1500);
  return () => { clearInterval(timer); reading.abort(); };
}

function factsOf(job, spec) {
  const facts = {
    command: spec.command ? spec.command.join(" ") : "built-in " + spec.program + " " + (spec.arguments ?? []).join(" "),
    "why": job.reason,
    kind: job.kind.toLowerCase() + (job.owner ? ", by " + job.owner : ""),
    queue: job.queue ? job.queue + " on " + job.segmentNode : null,
    node: job.node,
    end: ending(job),
    ran: job.startedAt && job.endedAt ? seconds(between(job.startedAt, job.endedAt)) : null,
    submitted: clock(job.submittedAt),
    "next try": job.state === "WAITING" && job.notBefore ? clock(job.notBefore) : null,
    "slots, priority": spec.slots + ", " + spec.priority,
    pool: spec.pool,
    timeout: spec.timeout,
    retries: spec.retry.max || null,
    "on the command line": "millrace job show " + job.id,
  };
  return Object.entries(facts).filter(([, value]) => value != null && value !== "")
    .flatMap(([term, value]) => [element("dt", {}, term), element("dd", { class: /command/.test(term) ? "mono" : null }, value)]);
}

function attemptTable() {
  return table([
    { title: "#", number: true, cell: (a) => a.number },
    { title: "State", cell: (a) => state(a.state, a.reason) },
    { title: "Node", cell: (a) => a.node },
    { title: "Started", cell: (a) => clock(a.startedAt) },
    { title: "Ran", number: true, cell: (a) => seconds(between(a.startedAt, a.endedAt)) },
    { title: "End", cell: (a) => ending(a) },
    { title: "Why", words: true, cell: (a) => element("span", { title: a.reason ?? "" }, a.reason ?? "") },
  ], (a) => a.number, "Not started yet.");
}
