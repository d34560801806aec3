// The failed steps of a workflow, by their causes.

import { read } from "../api.js";
import { element } from "../dom.js";
import { failuresCard } from "../failures.js";
import { stepAddress, workflowAddress } from "./workflows.js";

export function errorsView({ id }) {
  const card = failuresCard((item) => element("a", { href: stepAddress(id, item), title: "The step with its output" }, "step " + item));
  const empty = element("section", { class: "card", hidden: true }, element("p", { class: "empty" }, "No step has failed."));
  const list = element("p", { hidden: true }, element("a", { href: workflowAddress(id, "steps", { state: "failed" }) }, "All failed steps"));
  let shown = null;
  return {
    whole: element("div", {}, card.whole, empty, list),
    async show({ workflow }) {
      const { failed } = workflow.progress;
      empty.hidden = failed > 0;
      list.hidden = failed === 0;
      const key = workflow.state + failed;
      if (key === shown) return;
      card.show(await read("/v1/workflows/" + id + "/errors"));
      shown = key;
    },
  };
}
