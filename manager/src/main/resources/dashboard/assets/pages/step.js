// One step of a workflow: why it waits, what it needs, its job and its output.

import { read } from "../api.js";
import { element, showFacts, state, table } from "../dom.js";
import { count } from "../format.js";
import { isUnknown, missingWords } from "../missing.js";
import { outputCard } from "../output.js";
import { entitle } from "../title.js";
import { attemptTable } from "./job.js";
import { argumentWords } from "./steps.js";
import { waiting } from "./waiting.js";
import { stepAddress, workflowAddress } from "./workflows.js";

const ended = ["SUCCEEDED", "FAILED", "CANCELLED"];

export function stepPage(place, { variables: [id, number] }) {
  const title = element("h1", {}, "Step " + number + " of workflow " + id);
  const reasons = element("ul", { class: "reasons" });
  const why = element("section", { class: "card", hidden: true }, element("h2", {}, "Why it has not started"), reasons);
  const facts = element("dl", { class: "facts" });
  const needs = table([
    { title: "Step", cell: (s) => element("a", { href: stepAddress(id, s.step) }, s.step) },
    { title: "Name", cell: (s) => s.name ?? "" },
    { title: "Template", cell: (s) => s.template },
    { title: "State", cell: (s) => state(s.state) },
    { title: "Arguments", words: true, cell: (s) => argumentWords(s.arguments) },
  ], (s) => s.step, "");
  const more = element("p", { class: "muted", hidden: true });
  const needed = element("section", { class: "card", hidden: true }, element("h2", {}, "Needs"), needs.whole, more);
  const attempts = attemptTable();
  const tried = element("section", { class: "card", hidden: true }, element("h2", {}, "Attempts"), attempts.whole);
  const afterwards = element("div");
  const body = element("div", { hidden: true }, why, element("section", { class: "card" }, element("h2", {}, "Details"), facts), needed, tried, afterwards);
  const notice = element("p", { class: "notice", hidden: true });
  place.append(title, notice, body);
  let job = null;
  let output = null;
  let waits = null;
  let timer = null;
  let closed = false;

  async function show() {
    const details = await read("/v1/workflows/" + id + "/steps/" + encodeURIComponent(number));
    if (closed) return false;
    const { step } = details;
    entitle("Step " + step.step + " of workflow " + id);
    notice.hidden = true;
    body.hidden = false;
    title.replaceChildren("Step " + step.step + " of ", element("a", { href: workflowAddress(id) }, "workflow " + id), " ", shownState(details));
    reasons.replaceChildren(...details.reasons.map((words) => element("li", {}, words)));
    why.hidden = details.reasons.length === 0;
    showFacts(facts, {
      name: step.name,
      template: element("a", { href: workflowAddress(id, "steps", { template: step.template }) }, step.template),
      arguments: argumentWords(step.arguments),
      job: details.job == null ? null : element("a", { href: "#/jobs/" + details.job }, details.job),
      "on the command line": "millrace workflow explain " + id + " " + step.step,
    });
    needs.show(details.needs);
    needed.hidden = details.needs.length === 0;
    more.textContent = details.moreNeeds ? "and " + count(details.moreNeeds) + " more" : "";
    more.hidden = !details.moreNeeds;
    attempts.show(details.attempts);
    tried.hidden = details.attempts.length === 0;
    if (details.job !== job) {
      // A retried step has another job.
      output?.close();
      job = details.job;
      output = job == null ? null : outputCard(job);
      waits = job == null ? null : waiting(job);
      afterwards.replaceChildren(...(output ? [output.whole, waits.whole] : []));
    }
    output?.show(details.attempts);
    if (waits) await waits.show((await read("/v1/jobs/" + job)).job);
    return ended.includes(step.state);
  }

  const again = async () => {
    let done = false;
    if (!document.hidden) {
      try {
        done = await show();
      } catch (failure) {
        if (closed) return;
        // What was shown stays if an answer is lost.
        if (isUnknown(failure)) body.hidden = true;
        notice.hidden = false;
        if (isUnknown(failure) && failure.code === "UNKNOWN_WORKFLOW") {
          notice.replaceChildren(...missingWords("workflow", id));
          return;
        }
        notice.replaceChildren(failure.message + " ", element("a", { href: workflowAddress(id, "steps") }, "All steps"));
        if (failure.code === "INVALID_REQUEST") return;
      }
    }
    if (!closed) timer = setTimeout(again, done ? 10_000 : 2000);
  };
  again();
  return () => { closed = true; clearTimeout(timer); output?.close(); };
}

/** The state of a released step is that of its job. */
function shownState({ step, attempts }) {
  const last = attempts.at(-1);
  return state(step.state === "RELEASED" && last && !last.endedAt ? last.state : step.state);
}
