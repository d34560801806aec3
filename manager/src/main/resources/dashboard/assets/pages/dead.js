// The dead letters of a queue: why they failed, and actions on them.

import { call, post } from "../api.js";
import { ask } from "../dialog.js";
import { element, table } from "../dom.js";
import { clock, count } from "../format.js";
import { toast } from "../toast.js";

const page = 100;
const mostPages = 20;

export function deadPage(place, { variables: [name], query }) {
  const path = "/v1/queues/" + encodeURIComponent(name) + "/dead";
  const wanted = query.get("reason") ?? "";
  const chosen = new Set();
  let letters = [];
  let older = null;
  let silent = null;
  const filter = element("input", { value: wanted, size: 32, placeholder: "any reason", "aria-label": "Reason contains", onchange: () => {
    location.hash = address(name, filter.value);
  } });
  const words = element("span", { class: "muted" });
  const actions = element("span", { class: "buttons" });
  const more = element("button", { type: "button", hidden: true, onclick: () => load() }, "Older");
  const everyOne = element("input", { type: "checkbox", "aria-label": "Select all shown", onchange: () => {
    for (const box of boxes()) box.checked = everyOne.checked;
    chosen.clear();
    if (everyOne.checked) shown().forEach((letter) => chosen.add(letter.handle));
    tell();
  } });
  const reasons = table([
    { title: "Dead letters", number: true, cell: ([, letters]) => count(letters) },
    { title: "Reason", cell: ([reason]) => element("a", { href: address(name, reason) }, reason || "no reason") },
  ], ([reason]) => reason, "");
  const summary = element("section", { class: "card", hidden: true }, element("h2", {}, "Reasons"), reasons.whole);
  const list = table([
    { title: everyOne, cell: (d) => element("input", { type: "checkbox", "aria-label": "Select " + d.id, onchange: (event) => choose(d, event.target.checked) }) },
    { title: "Died", cell: (d) => clock(d.diedAt) },
    { title: "Event", cell: (d) => element("span", { class: "mono" }, d.id) },
    { title: "Node", cell: (d) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(d.node) }, d.node) },
    { title: "Failures", number: true, cell: (d) => d.failures },
    { title: "Returns", number: true, cell: (d) => d.returns },
    { title: "Reason", cell: (d) => element("span", { class: "prose" }, d.reason ?? "") },
    { title: "Data", cell: (d) => element("details", {}, element("summary", {}, "show"), element("pre", { class: "log" }, JSON.stringify({ attributes: d.attributes, data: d.data }, null, 1))) },
  ], (d) => d.handle, wanted ? "No dead letters with this reason." : "No dead letters.");
  place.append(
    element("h1", {}, "Dead letters of ", element("a", { href: "#/queues/" + encodeURIComponent(name) }, name)),
    element("div", { class: "filters" }, element("label", {}, "Reason contains ", filter), actions, words),
    summary,
    element("section", { class: "card" }, list.whole, more));

  const boxes = () => list.whole.querySelectorAll("tbody input[type=checkbox]");
  const shown = () => letters.filter((one) => (one.reason ?? "").includes(wanted));
  function choose(letter, yes) {
    if (yes) chosen.add(letter.handle);
    else chosen.delete(letter.handle);
    tell();
  }
  function tell() {
    const all = shown();
    words.textContent = count(all.length) + " shown" + (older ? ", older ones exist" : "") + (chosen.size ? ", " + count(chosen.size) + " selected" : "")
      + (silent ? "; no answer from: " + silent : "");
    everyOne.checked = all.length > 0 && chosen.size === all.length;
    const what = chosen.size ? count(chosen.size) + " selected" : wanted ? "all with this reason" : "all";
    actions.replaceChildren(...(all.length ? [
      element("button", { type: "button", onclick: () => act("requeue", what, false) }, "Requeue " + what),
      element("button", { type: "button", class: "danger", onclick: () => act("drop", what, true) }, "Drop " + what)] : []));
  }
  async function act(verb, what, danger) {
    const selection = chosen.size ? { handles: [...chosen] } : wanted ? { reasonContains: wanted } : { all: true };
    const fields = danger && !chosen.size ? [{ name: "confirm", label: "Type the queue name to confirm", required: name }] : [];
    const answer = await ask({
      title: (danger ? "Drop " : "Requeue ") + what + " of " + name + "?",
      words: danger ? "They are deleted permanently." : "They are delivered again as if they were new.",
      action: danger ? "Drop" : "Requeue", danger, fields,
    });
    if (!answer) return;
    const done = await post(path + "/" + verb, selection);
    toast(count(done.events) + (danger ? " dropped" : " requeued") + (done.unreached.length ? "; no answer from: " + done.unreached.join(", ") : ""), true);
    chosen.clear();
    for (const box of boxes()) box.checked = false;
    letters = [];
    older = null;
    await load();
  }
  async function load() {
    // A filter may pass over whole pages.
    for (let pages = 0, before = shown().length; pages < mostPages && (pages === 0 || (older && shown().length - before < page)); pages++) {
      const parts = new URLSearchParams({ limit: page });
      if (older) parts.set("before", older);
      const answer = await call(path + "?" + parts);
      letters = [...letters, ...await answer.json()];
      older = answer.headers.get("Millrace-Next");
      silent = answer.headers.get("Millrace-Unreached");
      if (!wanted) break;
    }
    more.hidden = !older;
    list.show(shown());
    const groups = byReason(shown());
    summary.hidden = groups.length < 2;
    reasons.show(groups.slice(0, 8));
    tell();
  }
  tell();
  load();
  return () => {};
}

function address(name, reason) {
  return "#/queues/" + encodeURIComponent(name) + "/dead" + (reason ? "?reason=" + encodeURIComponent(reason) : "");
}

/** Reasons with their numbers of letters, the most frequent first. */
function byReason(letters) {
  const groups = new Map();
  for (const { reason } of letters) groups.set(reason ?? "", (groups.get(reason ?? "") ?? 0) + 1);
  return [...groups].sort((one, other) => other[1] - one[1]);
}
