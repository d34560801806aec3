// The longest chain of a workflow by measured run times.

import { read } from "../api.js";
import { bar, element, table } from "../dom.js";
import { count, seconds } from "../format.js";
import { notStarted, showNotStarted } from "./timeline.js";
import { stepAddress, workflowAddress } from "./workflows.js";

const every = 15_000;

export function criticalPathView({ id }) {
  let longest = 0;
  const words = element("p", {});
  const missing = element("p", { class: "muted" });
  const links = table([
    { title: "#", number: true, cell: (l) => l.at },
    { title: "Step", cell: (l) => l.step == null ? "" : element("a", { href: stepAddress(id, l.step) }, l.name ?? l.step) },
    { title: "Template", cell: (l) => element("a", { href: workflowAddress(id, "steps", { template: l.template }) }, l.template) },
    { title: "Ran", number: true, cell: (l) => seconds(l.seconds) },
    { title: "", cell: (l) => bar([{ share: longest ? l.seconds / longest : 0, color: "var(--accent)", title: seconds(l.seconds) }], "split wide") },
  ], (l) => l.at, "No step has been measured yet.");
  const card = element("section", { class: "card", hidden: true }, element("h2", {}, "Critical path"), words, links.whole, missing);
  const empty = notStarted();
  let readAt = 0;
  let last = "";
  return {
    whole: element("div", {}, card, empty),
    async show({ workflow }) {
      showNotStarted(empty, workflow);
      card.hidden = !workflow.startedAt;
      const key = workflow.state + workflow.endedAt;
      if (card.hidden || (key === last && (workflow.endedAt || Date.now() - readAt < every))) return;
      const path = await read("/v1/workflows/" + id + "/critical-path");
      readAt = Date.now();
      last = key;
      const what = path.level === "STEPS" ? "steps" : "templates";
      longest = Math.max(0, ...path.links.map((link) => link.seconds));
      const half = Math.ceil(path.links.length / 2);
      words.textContent = "The longest chain of " + what + " takes " + seconds(path.seconds) + ": the run cannot be faster, however many slots there are.";
      missing.textContent = [path.skipped ? count(path.skipped) + " links in the middle are left out." : "",
        path.unmeasured ? count(path.unmeasured) + " " + what + " have not been measured and count as nothing." : ""].filter(Boolean).join(" ");
      links.show(path.links.map((link, at) => ({ ...link, at: 1 + at + (at >= half ? path.skipped : 0) })));
    },
  };
}
