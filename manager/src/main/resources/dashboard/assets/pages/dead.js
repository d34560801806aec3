// The dead letters of a queue: why they failed, and actions on them.

import { call, post, read } from "../api.js";
import { ask } from "../dialog.js";
import { element, table } from "../dom.js";
import { failuresCard } from "../failures.js";
import { clock, count } from "../format.js";
import { showMissing } from "../missing.js";
import { mayChange } from "../session.js";
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
  const causes = failuresCard((item) => element("span", { class: "mono" }, item), (line) => {
    const part = longestPart(line);
    return part.length < 4 ? line : element("a", { href: address(name, part), title: "Dead letters whose reason contains: " + part }, line);
  });
  const list = table([
    mayChange() && { title: everyOne, cell: (d) => element("input", { type: "checkbox", "aria-label": "Select " + d.id, onchange: (event) => choose(d, event.target.checked) }) },
    { title: "Died", cell: (d) => clock(d.diedAt) },
    { title: "Event", cell: (d) => element("span", { class: "mono" }, d.id) },
    { title: "Node", cell: (d) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(d.node) }, d.node) },
    { title: "Failures", number: true, cell: (d) => d.failures },
    { title: "Returns", number: true, cell: (d) => d.returns },
    { title: "Reason", prose: true, cell: (d) => element("div", { class: "lined" }, d.reason ?? "") },
    { title: "Data", cell: (d) => element("details", {}, element("summary", {}, "show"), element("pre", { class: "log" }, JSON.stringify({ attributes: d.attributes, data: d.data }, null, 1))) },
    mayChange() && { title: "", cell: (d) => element("button", { type: "button", onclick: () => edit(d) }, "Edit and requeue") },
  ].filter(Boolean), (d) => d.handle, wanted ? "No dead letters with this reason." : "No dead letters.");
  const heading = element("h1", {}, "Dead letters of ", element("a", { href: "#/queues/" + encodeURIComponent(name) }, name));
  place.append(heading,
    element("div", { class: "filters" }, element("label", {}, "Reason contains ", filter), actions, words),
    causes.whole,
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
    actions.replaceChildren(...(all.length && mayChange() ? [
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
    await reload(count(done.events) + (danger ? " dropped" : " requeued") + (done.unreached.length ? "; no answer from: " + done.unreached.join(", ") : ""));
  }
  async function edit(letter) {
    if (letter.rounded && hasNumbers(letter.data)) {
      toast("This browser rounds long numbers, so the data of " + letter.id + " could not be sent as they are. Use a newer browser, or: millrace queue dead requeue "
        + name + " --handle " + letter.handle + " --data-file FILE");
      return;
    }
    const answer = await ask({
      title: "Requeue " + letter.id + " with changed data", action: "Requeue", wide: true,
      words: "It is delivered again as if it was new, with this data; its ID, attributes and priority stay.",
      fields: [{ name: "data", label: "Data (JSON)", lines: 14, value: JSON.stringify(letter.data, null, 2), input: { spellcheck: "false" } }],
      attempt: async ({ data }) => {
        JSON.parse(data);
        // An array is read as several events: the data are the only element of one.
        await call(path + "/requeue-changed?" + new URLSearchParams({ handle: letter.handle }), { method: "POST", headers: { "Content-Type": "application/json" }, body: "[" + data + "]" });
      },
    });
    if (answer) await reload("Requeued with changed data");
  }
  async function reload(words) {
    toast(words, true);
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
      letters = [...letters, ...exactly(await answer.text())];
      older = answer.headers.get("Millrace-Next");
      silent = answer.headers.get("Millrace-Unreached");
      if (!wanted) break;
    }
    more.hidden = !older;
    list.show(shown());
    causes.show(await read(path + "/groups"));
    tell();
  }
  tell();
  load().catch((failure) => showMissing(heading, "queue", name, failure));
  return () => {};
}

/**
 * Dead letters whose numbers keep all their digits where the browser can do that, because the data may be sent again;
 * elsewhere they say whether numbers among them were rounded.
 */
function exactly(text) {
  if (!JSON.rawJSON) {
    const rounded = numbersIn(text).some((number) => String(Number(number)) !== number);
    return JSON.parse(text).map((letter) => ({ ...letter, rounded }));
  }
  const kept = (key, value, context) => typeof value === "number" && context?.source !== undefined && String(value) !== context.source ? JSON.rawJSON(context.source) : value;
  return JSON.parse(text, kept);
}

/** The numbers in the text of JSON, as written. */
function numbersIn(text) {
  return (text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g) ?? []).filter((token) => !token.startsWith('"'));
}

function hasNumbers(data) {
  return typeof data === "number" || (data !== null && typeof data === "object" && Object.values(data).some(hasNumbers));
}

function address(name, reason) {
  return "#/queues/" + encodeURIComponent(name) + "/dead" + (reason ? "?reason=" + encodeURIComponent(reason) : "");
}

/** What the reasons of one cause have in common: the longest part without anything that differs. */
function longestPart(line) {
  return line.split("#").map((part) => part.trim()).reduce((longest, part) => part.length > longest.length ? part : longest, "");
}
