// The steps of a workflow by rising number, a page at a time.

import { read } from "../api.js";
import { element, state, table } from "../dom.js";
import { count } from "../format.js";
import { stepAddress, workflowAddress } from "./workflows.js";

const states = ["waiting", "released", "succeeded", "failed", "cancelled"];
const pageSize = 50;
// Pages that the server looks through on its own are bounded; a rare state may need several.
const searches = 4;

export function stepsView({ id, query }) {
  const wanted = { template: query.get("template") ?? "", state: query.get("state") ?? "", after: query.get("after") ?? "" };
  const field = element("input", { type: "search", value: wanted.template, "aria-label": "Template", placeholder: "template", list: "templates" });
  const names = element("datalist", { id: "templates" });
  const choice = element("select", { "aria-label": "State", onchange: () => go() }, element("option", { value: "" }, "any state"),
    states.map((one) => element("option", { value: one, selected: one === wanted.state }, one)));
  const go = () => { location.hash = workflowAddress(id, "steps", { template: field.value.trim(), state: choice.value }); };
  const form = element("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); go(); } }, field, names, choice, element("button", { type: "submit" }, "Show"));
  const problem = element("p", { class: "notice", hidden: true });
  const steps = table([
    { title: "Step", cell: (s) => element("a", { href: stepAddress(id, s.step) }, s.step) },
    { title: "Name", cell: (s) => s.name ?? "" },
    { title: "Template", cell: (s) => element("a", { href: workflowAddress(id, "steps", { template: s.template }) }, s.template) },
    { title: "State", cell: (s) => state(s.state) },
    { title: "Arguments", words: true, cell: (s) => argumentWords(s.arguments) },
  ], (s) => s.step, "No step matches.");
  const first = element("a", { hidden: !wanted.after, href: workflowAddress(id, "steps", { ...wanted, after: "" }) }, "First steps");
  const next = element("a", { hidden: true }, "Next steps");
  const searched = element("span", { class: "muted" });

  async function page() {
    const asked = new URLSearchParams({ limit: pageSize });
    for (const [name, value] of Object.entries(wanted)) if (value !== "") asked.set(name, value);
    const found = [];
    let answer = null;
    for (let times = 0; times < searches && (!answer || (answer.next != null && !found.length)); times++) {
      if (answer) asked.set("after", answer.next);
      answer = await read("/v1/workflows/" + id + "/steps?" + asked);
      found.push(...answer.steps);
    }
    steps.show(found);
    next.hidden = answer.next == null;
    if (answer.next != null) next.href = workflowAddress(id, "steps", { ...wanted, after: answer.next });
    searched.textContent = !found.length && answer.next != null ? "None among the steps up to " + count(answer.next) + "." : "";
  }

  return {
    whole: element("section", { class: "card", "aria-label": "Steps" }, form, problem, steps.whole, element("p", { class: "pages" }, first, " ", next, " ", searched)),
    async show({ templates }) {
      if (!names.childElementCount) names.append(...templates.slice(0, 500).map((one) => element("option", { value: one.name })));
      // Asking would be refused.
      if (wanted.template && !templates.some((one) => one.name === wanted.template)) {
        problem.textContent = "The workflow has no template '" + wanted.template + "'.";
        problem.hidden = false;
        steps.show([]);
        return;
      }
      await page();
    },
  };
}

/** Arguments as name=value. */
export function argumentWords(values) {
  return Object.entries(values ?? {}).map(([name, value]) => name + "=" + value).join(", ");
}
