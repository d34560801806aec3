// All problems that need attention.

import { read } from "../api.js";
import { element, table } from "../dom.js";
import { toast } from "../toast.js";

const ofQueue = new Set(["BREAKER_OPEN", "QUEUE_PAUSED", "SEGMENT_TROUBLE"]);

export function problemsPage(place) {
  const problems = table([
    { title: "Problem", cell: (p) => element("span", { class: "state bad" }, "✕ " + p.code.toLowerCase().replaceAll("_", " ")) },
    { title: "Subject", cell: subject },
    { title: "Description and remedy", cell: (p) => p.message, prose: true },
  ], (p) => p.code + p.subject, "No problems found.");
  place.append(element("h1", {}, "Problems"), element("section", { class: "card" }, problems.whole));
  const show = async () => problems.show(await read("/v1/problems"));
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 3000);
  return () => clearInterval(timer);
}

function subject({ code, subject: name }) {
  const folder = ofQueue.has(code) ? "#/queues/" : code.startsWith("TASK_") ? "#/tasks/" : null;
  return folder ? element("a", { href: folder + encodeURIComponent(name) }, name) : name;
}
