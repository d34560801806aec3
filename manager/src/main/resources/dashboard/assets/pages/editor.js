// Writes a definition: its YAML is checked first, and applied only as it was checked and only if
// nobody has changed the definition meanwhile.

import { post, read } from "../api.js";
import { element } from "../dom.js";
import { clock } from "../format.js";
import { isUnknown, showMissing } from "../missing.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { diffLines } from "../versions.js";

const starts = {
  queue: "kind: queue\nname:\nbatch: 20\nworker:\n  command: []\n",
  task: "kind: task\nname:\nschedule: {cron: \"0 2 * * *\", zone: " + Intl.DateTimeFormat().resolvedOptions().timeZone + "}\njob:\n  command: []\n",
};
const file = "definition";
const planned = { CREATED: "will be created", CHANGED: "will be changed", UNCHANGED: "stays as it is" };
const done = { CREATED: "is created", CHANGED: "is changed", UNCHANGED: "stays as it is" };

// What was typed and not applied, so that it is there again after a look at another page.
let draft = null;

/** The page that changes a definition of the kind. */
export const editPage = (kind) => (place, { variables: [name] }) => editor(place, kind, name);

/** The page that creates definitions. */
export const newPage = (kind) => (place) => editor(place, kind, null);

function editor(place, kind, name) {
  const home = name == null ? "#/" + kind + "s" : "#/" + kind + "s/" + encodeURIComponent(name);
  const heading = element("h1", {}, name == null ? "New " + kind : element("span", { class: "prose" }, "Edit " + kind + " ", element("a", { href: home }, name)));
  place.append(heading);
  if (!mayChange()) {
    place.append(element("p", { class: "notice" }, "Only administrators and operators can change definitions."));
    return () => {};
  }
  const key = kind + "/" + (name ?? "");
  const origin = element("p", { class: "muted" }, name == null ? "One or more definitions as YAML, each after a line with ---." : "");
  const restored = element("p", { class: "notice", hidden: true }, "This is what you had typed and not applied.");
  const area = element("textarea", { class: "yaml", rows: 28, wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "Definition" });
  const check = element("button", { type: "button", onclick: () => run(true) }, "Check");
  const apply = element("button", { type: "button", disabled: true, title: "Check the text first", onclick: () => run(false) }, "Apply");
  const again = element("button", { type: "button", hidden: name == null, onclick: () => open(true) }, "Read again");
  const problem = element("div", { class: "problem", role: "alert", hidden: true });
  const outcome = element("section", { class: "card", role: "status", hidden: true, "aria-label": "Changes" });
  const mine = element("section", { class: "card", hidden: true }, element("h2", {}, "What you had typed"), element("pre", { class: "log" }));
  place.append(origin, restored, area,
    element("p", { class: "buttons" }, check, apply, again, element("a", { class: "view", href: home }, "Close")), problem, outcome, mine);

  let opened = { version: 0, text: starts[kind] };
  let checked = null;
  const dirty = () => area.value !== opened.text;
  const leaving = (event) => { if (dirty()) event.preventDefault(); };
  addEventListener("beforeunload", leaving);

  function typed() {
    draft = dirty() ? { key, opened, text: area.value } : draft?.key === key ? null : draft;
    restored.hidden = true;
    const same = checked != null && checked.text === area.value;
    apply.disabled = !same || !checked.changes;
    apply.title = same ? "" : "Check the text first";
    outcome.hidden = !same;
    problem.hidden = true;
  }
  area.addEventListener("input", typed);

  function refused(failure) {
    const place = area.value.includes("\n---") ? file + ", " : new RegExp("^" + file + "(, document 1)?, ");
    problem.hidden = false;
    problem.replaceChildren(...failure.message.split("\n").map((line) => element("p", {}, line.replace(place, ""), " ", goTo(line))));
  }

  /** A button that selects the line that a message names; null if it names none. */
  function goTo(line) {
    const number = Number(/\(line (\d+)\)/.exec(line)?.[1] ?? /\bline (\d+)/.exec(line)?.[1]);
    if (!number) return null;
    return element("button", { type: "button", onclick: () => {
      const lines = area.value.split("\n");
      const from = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(from, from + (lines[number - 1]?.length ?? 0));
      area.scrollTop = (number - 3) * area.scrollHeight / lines.length;
    } }, "Go to line " + number);
  }

  async function open(keeping) {
    const before = area.value;
    try {
      const now = await read("/v1/definitions/" + kind + "/" + encodeURIComponent(name));
      mine.hidden = !keeping || !dirty();
      mine.querySelector("pre").textContent = before;
      show({ version: now.version, text: now.text, words: "Version " + now.version + ", applied by " + now.author + " at " + clock(now.appliedAt) + "." }, now.text);
    } catch (failure) {
      // Whoever had begun to change it keeps the text.
      if (isUnknown(failure) && opened.version === 0) {
        removeEventListener("beforeunload", leaving);
        showMissing(heading, kind, name, failure);
        return;
      }
      area.disabled = check.disabled = true;
      refused(failure);
    }
  }

  function show(what, text) {
    opened = what;
    origin.textContent = what.words ?? origin.textContent;
    area.value = text;
    checked = null;
    typed();
  }

  async function run(dryRun) {
    const text = area.value;
    // What was found by the check must still be so: in another version the same text may change something else.
    const expect = dryRun ? (name == null ? [] : [{ kind, name, version: opened.version }]) : checked.expect;
    check.disabled = apply.disabled = area.readOnly = true;
    try {
      const { changes } = await post("/v1/definitions", { files: [{ name: file, text }], dryRun, expect });
      const other = changes.find((one) => name != null && (one.kind !== kind || one.name !== name));
      if (other) throw new Error("The text defines " + other.kind + " " + other.name + ", but this page changes only " + kind + " " + name + ". Use New definition for another one.");
      if (dryRun) found(text, changes);
      else applied(changes);
    } catch (failure) {
      checked = null;
      typed();
      refused(failure);
    }
    check.disabled = area.readOnly = false;
  }

  function found(text, changes) {
    checked = { text, changes: changes.some((one) => one.action !== "UNCHANGED"), expect: changes.map(expected) };
    outcome.replaceChildren(...changes.flatMap((one) => [
      element("h2", {}, one.kind + " " + one.name + " " + planned[one.action] + (one.action === "UNCHANGED" ? "" : ": version " + one.version)),
      one.kind === "job" && one.action !== "UNCHANGED" ? element("p", {}, "Applying it submits the job.") : null,
      one.diff.length ? diffLines(one.diff) : null].filter(Boolean)));
    typed();
  }

  function applied(changes) {
    draft = null;
    opened = { ...opened, text: area.value };
    toast(changes.map((one) => one.kind + " " + one.name + " " + done[one.action] + (one.action === "UNCHANGED" ? "" : ", version " + one.version)).join("; "), true);
    const first = changes.find((one) => one.action !== "UNCHANGED") ?? changes[0];
    location.hash = first.job ? "#/jobs/" + first.job : first.kind === "job" ? home : "#/" + first.kind + "s/" + encodeURIComponent(first.name);
  }

  if (draft?.key === key) {
    show(draft.opened, draft.text);
    restored.hidden = false;
  } else if (name == null) {
    show(opened, opened.text);
  } else {
    open(false);
  }
  return () => removeEventListener("beforeunload", leaving);
}

/** The version that was in force when the change was found. */
function expected({ kind, name, action, version }) {
  return { kind, name, version: action === "CREATED" ? 0 : action === "CHANGED" ? version - 1 : version };
}
