// What waiting jobs compete for: fair shares and licences.

import { call, read } from "../api.js";
import { ask } from "../dialog.js";
import { color } from "../charts.js";
import { element, meter, table } from "../dom.js";
import { count } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";

export function sharesPage(place) {
  const shares = table([
    { title: "Share", cell: (s) => s.name },
    { title: "Weight", number: true, cell: (s) => s.weight },
    { title: "Waiting jobs", number: true, cell: (s) => count(s.waiting) },
    { title: "Slots booked", number: true, cell: (s) => count(s.running) },
    { title: "Slots started", number: true, cell: (s) => count(s.started) },
    { title: "", cell: (s) => mayChange() ? element("button", { type: "button", onclick: () => weigh(s) }, "Set weight") : "" },
  ], (s) => s.name, "No jobs have been submitted yet.");
  const licences = table([
    { title: "Licence", cell: (l) => l.name },
    { title: "In use", cell: (l) => meter(l.total ? l.used / l.total : 0, color(1), l.used + " of " + l.total) },
    { title: "Held by", words: true, cell: (l) => l.holders.slice(0, 12).flatMap((attempt, index) => [index ? " " : "", element("a", { href: "#/jobs/" + attempt.split(".")[0] }, attempt)]) },
    { title: "", cell: (l) => mayChange() ? element("button", { type: "button", onclick: () => license(l) }, "Set total") : "" },
  ], (l) => l.name, "No licences defined.");
  place.append(
    element("h1", {}, "Shares and licences"),
    element("section", { class: "card" }, element("h2", {}, "Shares"),
      element("p", { class: "muted" }, "Among jobs of equal priority, the share that has started the fewest slots relative to its weight goes first."), shares.whole),
    element("section", { class: "card" }, element("h2", {}, "Licences"),
      element("p", { class: "muted" }, "Cluster-wide consumables; a job that requires one waits until it is available."), licences.whole,
      mayChange() ? element("button", { type: "button", onclick: () => license(null) }, "Define a licence") : null));

  const show = async () => {
    const [all, defined] = await Promise.all([read("/v1/shares"), read("/v1/licences")]);
    shares.show(all);
    licences.show(defined);
  };
  const put = async (path, body) => {
    try {
      await call(path, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  };
  async function weigh(share) {
    const answer = await ask({ title: "Weight of " + share.name, words: "A share of weight 3 starts three times as many jobs as one of weight 1.", action: "Set",
      fields: [{ name: "weight", label: "Weight", value: share.weight }] });
    if (answer) await put("/v1/shares/" + encodeURIComponent(share.name), { weight: Number(answer.weight) });
  }
  async function license(licence) {
    const fields = [{ name: "total", label: "Total", value: licence?.total ?? 1 }];
    if (!licence) fields.unshift({ name: "name", label: "Name" });
    const answer = await ask({ title: licence ? "Licence " + licence.name : "Define a licence", words: "Running jobs keep what they hold.", action: "Set", fields });
    if (answer) await put("/v1/licences/" + encodeURIComponent(licence?.name ?? answer.name), { total: Number(answer.total) });
  }
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 3000);
  return () => clearInterval(timer);
}
