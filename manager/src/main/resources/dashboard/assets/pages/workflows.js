// Workflows, newest first, found by state and name; and what their other pages share.

import { read } from "../api.js";
import { bar, element, state, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";

const views = [["all", ""], ["active", "binding,checking,running,cancelling"], ["succeeded", "succeeded"], ["failed", "failed,refused"], ["cancelled", "cancelled"]];
const pageSize = 50;
// An expected end is computed from all templates, so that only few are asked for, and seldom.
const forecasts = 8;
const forecastEvery = 10_000;

export function workflowsPage(place, { query }) {
  const wanted = { state: query.get("state") ?? "", name: query.get("name") ?? "", before: query.get("before") ?? "" };
  const ends = new Map();
  const field = element("input", { value: wanted.name, type: "search", "aria-label": "Name", placeholder: "exact name" });
  const form = element("form", { class: "filters", role: "search", onsubmit: (event) => { event.preventDefault(); location.hash = address({ ...wanted, name: field.value.trim(), before: "" }); } },
    field, element("button", { type: "submit" }, "Search"),
    views.map(([words, value]) => element("a", { href: address({ ...wanted, state: value, before: "" }), class: "view", "aria-current": value === wanted.state ? "true" : null }, words)));
  const problem = element("p", { class: "notice", hidden: true });
  const workflows = table([
    { title: "Workflow", cell: (w) => element("a", { href: workflowAddress(w.id) }, w.id) },
    { title: "Name", words: true, cell: (w) => element("span", {}, element("a", { href: address({ state: "", name: w.name, before: "" }), title: "All runs of " + w.name }, w.name), w.runKey ? element("span", { class: "muted small", title: "run key" }, " " + w.runKey) : "") },
    { title: "Owner", cell: (w) => w.owner },
    { title: "State", cell: (w) => workflowState(w) },
    { title: "Steps", cell: (w) => stepProgress(w.progress) },
    { title: "Started", cell: (w) => w.startedAt ? clock(w.startedAt) : "" },
    { title: "Ran", number: true, cell: (w) => w.startedAt ? seconds(between(w.startedAt, w.endedAt ?? new Date().toISOString())) : "" },
    { title: "Expected end", cell: (w) => w.state === "RUNNING" ? endWords(ends.get(w.id)) : "" },
  ], (w) => w.id, wanted.state || wanted.name ? "No workflow matches." : "No workflows. Submit one with: millrace workflow submit -f FILE");
  const older = element("a", { hidden: true }, "Older workflows");
  const newest = element("a", { hidden: !wanted.before, href: address({ ...wanted, before: "" }) }, "Newest workflows");
  place.append(element("h1", {}, "Workflows"), form, problem,
    element("section", { class: "card" }, workflows.whole, element("p", { class: "pages" }, newest, " ", older)));

  let page = [];
  let forecastAt = 0;
  let closed = false;
  let timer = null;
  const show = async () => {
    const asked = new URLSearchParams({ limit: pageSize });
    for (const [name, value] of Object.entries(wanted)) if (value) asked.set(name, value);
    const answer = await read("/v1/workflows?" + asked);
    page = answer.workflows;
    problem.hidden = true;
    workflows.show(page);
    older.hidden = answer.next == null;
    older.href = address({ ...wanted, before: answer.next ?? "" });
    if (Date.now() - forecastAt < forecastEvery) return;
    forecastAt = Date.now();
    for (const one of page.filter((workflow) => workflow.state === "RUNNING").slice(0, forecasts)) {
      if (closed) return;
      // It may have been deleted since.
      ends.set(one.id, one.paused ? { unknown: "it is paused" } : (await read("/v1/workflows/" + one.id).catch(() => null))?.expectedEnd);
    }
    workflows.show(page);
  };
  const again = async () => {
    const began = Date.now();
    if (!document.hidden) {
      await show().catch((failure) => {
        problem.textContent = failure.message;
        problem.hidden = false;
      });
    }
    if (!closed) timer = setTimeout(again, Math.max(2000, 10 * (Date.now() - began)));
  };
  again();
  return () => { closed = true; clearTimeout(timer); };
}

function address(wanted) {
  const given = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
  return "#/workflows" + (given.size ? "?" + given : "");
}

/** The page of a workflow; a view with its choices. */
export function workflowAddress(id, view = "", choices = {}) {
  const given = new URLSearchParams(Object.entries({ view, ...choices }).filter(([, value]) => value !== "" && value != null));
  return "#/workflows/" + id + (given.size ? "?" + given : "");
}

export const stepAddress = (workflow, step) => "#/workflows/" + workflow + "/steps/" + step;

/** Its state, or that it is paused. */
export function workflowState(workflow) {
  const paused = workflow.paused && !workflow.endedAt && workflow.state !== "CANCELLING";
  return state(paused ? "paused" : workflow.state, workflow.reason);
}

/** When something is expected to end, or why that is unknown. */
export function endWords(end) {
  if (!end) return "";
  if (!end.at) return element("span", { class: "muted", title: end.unknown }, "unknown");
  return element("span", {}, clock(end.at), " ", element("span", { class: "muted" }, "in " + seconds(Math.max(0, (Date.parse(end.at) - Date.now()) / 1000))));
}

/** The parts of the steps by state, as a bar shows them. */
export function stepParts(of, running = null) {
  const open = running == null ? [[of.released, "var(--accent)", "released"]] : [[running, "var(--accent)", "running"], [Math.max(0, of.released - running), "var(--accent-soft)", "queued"]];
  return [[of.succeeded, "var(--good)", "succeeded"], [of.failed, "var(--bad)", "failed"], [of.cancelled, "var(--warn)", "cancelled"], ...open]
    .filter(([amount]) => amount > 0).map(([amount, color, word]) => ({ amount, color, word, share: amount / Math.max(1, of.steps), title: count(amount) + " " + word }));
}

/** How far the steps of a workflow or template are, as a bar with text. */
export function stepProgress(of, running = null, wide = false) {
  const parts = stepParts(of, running);
  return element("span", {}, bar(parts, wide ? "split ground wide" : "split ground"),
    element("span", { class: "muted small" }, count(of.succeeded) + " of " + count(of.steps) + " succeeded"
      + parts.filter((part) => part.word !== "succeeded").map((part) => ", " + part.title).join("")));
}
