// What jobs used in a period, by owner, queue or task.

import { read } from "../api.js";
import { element, table } from "../dom.js";
import { count } from "../format.js";

const kinds = ["owner", "queue", "task"];
const periods = [["today", "0s"], ["7 days", "7d"], ["30 days", "30d"], ["90 days", "90d"], ["400 days", "400d"]];

export function usagePage(place, { query }) {
  const by = kinds.includes(query.get("by")) ? query.get("by") : "owner";
  const since = query.get("since") ?? "7d";
  const words = element("p", { class: "muted" });
  const total = element("p");
  const view = (text, address, chosen) => element("a", { href: "#/usage?" + new URLSearchParams(address), class: "view", "aria-current": chosen ? "true" : null }, text);
  const rows = table([
    { title: by[0].toUpperCase() + by.slice(1), prose: true, cell: (r) => by === "owner" ? r.name : element("a", { href: "#/" + by + "s/" + encodeURIComponent(r.name) }, r.name), order: (r) => r.name },
    { title: "Runs", order: (r) => r.runs, number: true, cell: (r) => count(r.runs) },
    { title: "Failed", order: (r) => r.failures, number: true, cell: (r) => count(r.failures) },
    { title: "Slot hours", order: (r) => r.slotSeconds, number: true, cell: (r) => hours(r.slotSeconds / 3600) },
    { title: "CPU hours", order: (r) => r.cpuSeconds, number: true, cell: (r) => hours(r.cpuSeconds / 3600) },
    { title: "Memory GB hours", order: (r) => r.memoryGibHours, number: true, cell: (r) => hours(r.memoryGibHours) },
  ], (r) => r.name, "Nothing ran in this period.");
  place.append(element("h1", {}, "Usage"),
    element("div", { class: "filters" }, kinds.map((kind) => view("by " + kind, { by: kind, since }, kind === by))),
    element("div", { class: "filters" }, periods.map(([text, value]) => view(text, { by, since: value }, value === since))),
    element("section", { class: "card" }, words, rows.whole, total));
  const show = async () => {
    const report = await read("/v1/usage?" + new URLSearchParams({ by, since }));
    words.textContent = report.from + " to " + report.to + ", whole days (UTC). A run counts on the day on which it ended; slot hours are run time times slots."
      + (report.names > report.rows.length ? " Only the largest " + count(report.rows.length) + " of " + count(report.names) + " are shown." : "");
    rows.show(report.rows);
    total.textContent = report.rows.length > 1 ? "All together: " + count(report.total.runs) + " runs, " + count(report.total.failures) + " failed, " + hours(report.total.slotSeconds / 3600) + " slot hours, "
      + hours(report.total.cpuSeconds / 3600) + " CPU hours, " + hours(report.total.memoryGibHours) + " GB hours of memory." : "";
  };
  show().catch((failure) => { words.textContent = failure.message; });
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 10_000);
  return () => clearInterval(timer);
}

const two = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** As the command prints them: what is too little to be shown is not nothing. */
function hours(value) {
  return value > 0 && value < 0.005 ? "<0.01" : two.format(value);
}
