// What should run and does not, and whatever else an operator should look at.

import { read } from "../api.js";
import { element, table } from "../dom.js";
import { toast } from "../toast.js";

export function problemsPage(place) {
  const problems = table([
    { title: "Problem", cell: (p) => element("span", { class: "state bad" }, "✕ " + p.code.toLowerCase().replaceAll("_", " ")) },
    { title: "Of", cell: (p) => p.subject },
    { title: "What is wrong, and what to do", cell: (p) => element("span", { class: "prose" }, p.message) },
  ], (p) => p.code + p.subject, "Nothing is wrong that Millrace knows of.");
  place.append(element("h1", {}, "Problems"), element("section", { class: "card" }, problems.whole));
  const show = async () => problems.show(await read("/v1/problems"));
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 3000);
  return () => clearInterval(timer);
}
