// The templates of a workflow: how far each is, its limit and its expected end.

import { post } from "../api.js";
import { ask } from "../dialog.js";
import { element, table } from "../dom.js";
import { count } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { endWords, stepProgress, workflowAddress } from "./workflows.js";

const most = 200;

export function templatesView({ id }) {
  let last = null;
  const field = element("input", { type: "search", "aria-label": "Template", placeholder: "part of a name", oninput: () => last && draw() });
  const words = element("span", { class: "muted", role: "status" });
  const templates = table([
    { title: "Template", prose: true, cell: (t) => element("a", { href: workflowAddress(id, "steps", { template: t.name }) }, t.name) },
    { title: "Steps", cell: (t) => t.awaits ? awaitedList(t.awaits) : element("span", {}, stepProgress(t.progress, t.running), t.pause ? element("span", { class: "muted small", title: t.pause.reason }, t.pause.trying ? ", some are tried" : ", paused") : "") },
    { title: "Running", number: true, cell: (t) => count(t.running) },
    { title: "Queued", number: true, cell: (t) => count(Math.max(0, t.progress.released - t.running)) },
    { title: "Waiting", number: true, cell: (t) => count(t.progress.waiting) },
    { title: "Failed", number: true, cell: (t) => count(t.progress.failed) },
    { title: "Limit", number: true, cell: (t) => t.maxRunning == null ? "–" : count(t.maxRunning) },
    { title: "Expected end", cell: (t) => endWords(t.expectedEnd) },
    { title: "Array", cell: (t) => t.array == null ? "" : element("a", { href: "#/jobs/" + t.array }, t.array) },
    { title: "", cell: (t) => mayChange() && !last.workflow.endedAt ? element("button", { type: "button", class: "quiet", onclick: () => limit(t.name) }, "Set limit") : "" },
  ], (t) => t.name, "No template has this in its name.");
  const limit = (name) => askLimit(id, last.templates.find((one) => one.name === name)?.maxRunning, name, async () => toast("The limit of " + name + " is changed.", true))
    .catch((failure) => toast(failure.message));
  function draw() {
    const part = field.value.trim().toLowerCase();
    const found = last.templates.filter((one) => one.name.toLowerCase().includes(part));
    words.textContent = found.length > most ? "The first " + most + " of " + count(found.length) + " templates" : count(found.length) + (found.length === 1 ? " template" : " templates");
    templates.show(found.slice(0, most));
  }
  return {
    whole: element("section", { class: "card", "aria-label": "Templates" }, element("div", { class: "filters" }, field, words), templates.whole),
    show(details) {
      last = details;
      draw();
    },
  };
}

/** Which list must be given before the steps of a template are known. */
function awaitedList({ template, value, problem }) {
  return element("span", { class: "muted", title: problem ?? "its steps are made from " + value + ", which " + template + " gives" }, "after " + template + (problem ? ": " + problem : ""));
}

/** Asks for the limit of the workflow, or of the named template; changed is called after it was set. */
export async function askLimit(id, of, template, changed) {
  const answer = await ask({
    title: template ? "Limit of template " + template : "Limit of workflow " + id, action: "Set limit",
    words: "The most " + (template ? "of its steps" : "steps of the workflow") + " that run at the same time. 0 starts none; empty is any number. Steps that run continue.",
    fields: [{ name: "most", label: "At most", value: of ?? "", input: { type: "number", min: 0, step: 1 } }],
    attempt: ({ most }) => post("/v1/workflows/" + id + "/limit", { maxRunning: most === "" ? null : Number(most), template: template ?? null }),
  });
  if (answer) await changed();
}
