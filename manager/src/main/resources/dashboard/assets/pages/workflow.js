// One workflow: how far it is, commands, and views of it of which only the open one is loaded.

import { post, read, remove } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";
import { isUnknown, showMissing } from "../missing.js";
import { mayChange } from "../session.js";
import { entitle } from "../title.js";
import { toast } from "../toast.js";
import { criticalPathView } from "./criticalpath.js";
import { errorsView } from "./steperrors.js";
import { graphView } from "./workflowgraph.js";
import { resourcesView } from "./stepusage.js";
import { stepsView } from "./steps.js";
import { askLimit, templatesView } from "./templates.js";
import { timelineView } from "./timeline.js";
import { endWords, stepProgress, workflowAddress, workflowState } from "./workflows.js";

const views = { "": ["Graph", graphView], templates: ["Templates", templatesView], steps: ["Steps", stepsView], timeline: ["Timeline", timelineView], errors: ["Errors", errorsView], resources: ["Resources", resourcesView], path: ["Critical path", criticalPathView] };
const mostHints = 10;
const usual = 2000;
const whenEnded = 10_000;

export function workflowPage(place, { variables: [id], query }) {
  const chosen = query.get("view") in views ? query.get("view") : "";
  const title = element("h1", {}, "Workflow " + id);
  const notice = element("p", { class: "notice", hidden: true });
  const hints = element("div");
  const progress = element("div", { class: "whole" });
  const facts = element("dl", { class: "facts twice" });
  const tabs = element("nav", { class: "filters", "aria-label": "Views" },
    Object.entries(views).map(([key, [words]]) => element("a", { class: "view", href: workflowAddress(id, key), "aria-current": key === chosen ? "page" : null }, words)));
  const head = element("section", { class: "card", hidden: true }, progress, facts);
  const changes = table([
    { title: "When", cell: (event) => clock(event.at) },
    { title: "Who", cell: (event) => event.actor },
    { title: "Last changes", words: true, cell: (event) => event.event },
  ], (event) => event.at + event.event, "");
  const changed = element("section", { class: "card", "aria-label": "Last changes", hidden: true }, changes.whole);
  const body = element("div");
  const buttons = element("span", { class: "buttons" });
  let pill = element("span");
  place.append(title, notice, hints, head, body, changed);
  let view = null;
  let offered = "";
  let hinted = "";
  let timer = null;
  let closed = false;

  async function show() {
    const details = await read("/v1/workflows/" + id);
    if (closed) return details;
    const { workflow } = details;
    entitle("Workflow " + id + ": " + workflow.name);
    if (title.childElementCount === 0) title.replaceChildren(element("span", { class: "prose" }, "Workflow " + id + ": " + workflow.name), pill, buttons);
    const shown = workflowState(workflow);
    if (!pill.isEqualNode(shown)) {
      pill.replaceWith(shown);
      pill = shown;
    }
    notice.textContent = workflow.reason ? sentence(workflow.reason) : workflow.paused && !workflow.endedAt ? "Paused: no further steps start until it is resumed." : "";
    notice.hidden = !notice.textContent;
    head.hidden = false;
    const running = details.templates.reduce((sum, template) => sum + template.running, 0);
    progress.replaceChildren(stepProgress(workflow.progress, running, true));
    showFacts(facts, factsOf(details));
    changes.show(details.events.toReversed());
    changed.hidden = details.events.length === 0;
    const told = hintsOf(details);
    if (JSON.stringify(told) !== hinted) {
      hinted = JSON.stringify(told);
      hints.replaceChildren(...told.map((hint) => hintLine(id, hint, show)));
    }
    const offers = [workflow.state, workflow.paused, workflow.startedAt, workflow.progress.failed > 0, Boolean(details.archivedAt)].join();
    if (offers !== offered) {
      offered = offers;
      buttons.replaceChildren(...(mayChange() ? commands(details, show) : []));
    }
    if (!view) {
      view = views[chosen][1]({ id, query });
      body.replaceChildren(tabs, view.whole);
    }
    await view.show(details);
    return details;
  }

  const again = async () => {
    const began = Date.now();
    let wait = usual;
    if (!document.hidden) {
      try {
        const { workflow } = await show();
        if (workflow.endedAt) wait = whenEnded;
      } catch (failure) {
        if (isUnknown(failure)) {
          closed = true;
          view?.close?.();
          entitle("Workflow " + id);
          title.replaceChildren("Workflow " + id);
          showMissing(title, "workflow", id, failure);
          return;
        }
        if (!closed) {
          notice.textContent = failure.message;
          notice.hidden = false;
        }
      }
    }
    // A large workflow is asked for less often.
    if (!closed) timer = setTimeout(again, Math.max(wait, 10 * (Date.now() - began)));
  };
  again();
  return () => { closed = true; clearTimeout(timer); view?.close?.(); };
}

const sentence = (words) => words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");

/** What an operator should know: {words, template if some of its steps can be tried}. */
function hintsOf({ workflow, templates, warnings, reset }) {
  return [
    ...(reset ? [{ words: (reset.ending ? "Steps that run are ended; then steps are reset" : "Steps are being reset") + ", as requested by " + reset.actor + ": " + count(reset.left) + " left. No step starts meanwhile." }] : []),
    ...templates.filter((template) => template.pause).slice(0, mostHints).map(({ name, pause }) => ({
      words: "Template " + name + (pause.trying ? ": some of its steps are tried. " : " is paused. ") + sentence(pause.reason),
      template: pause.trying || workflow.endedAt ? null : name,
    })),
    ...warnings.slice(0, mostHints).map((words) => ({ words: sentence(words) })),
  ];
}

function hintLine(id, { words, template }, show) {
  return element("p", { class: "notice" }, words, template && mayChange() ? [" ", element("button", { type: "button", class: "quiet", onclick: async () => {
    try {
      await post("/v1/workflows/" + id + "/resume?" + new URLSearchParams({ template }));
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  } }, "Try some steps")] : []);
}

function factsOf({ workflow, expectedEnd, archivedAt }) {
  return {
    "run key": workflow.runKey,
    owner: workflow.owner,
    submitted: clock(workflow.submittedAt) + (workflow.revision > 1 ? ", revision " + workflow.revision : ""),
    started: workflow.startedAt ? clock(workflow.startedAt) : null,
    ended: workflow.endedAt ? clock(workflow.endedAt) + (workflow.startedAt ? ", after " + seconds(between(workflow.startedAt, workflow.endedAt)) : "") : null,
    "expected end": expectedEnd ? element("span", {}, endWords(expectedEnd), expectedEnd.unknown ? element("span", { class: "muted" }, ": " + expectedEnd.unknown) : "") : null,
    limit: workflow.maxRunning == null ? "any number of steps at the same time" : workflow.maxRunning === 0 ? "0: no further steps start" : "at most " + count(workflow.maxRunning) + (workflow.maxRunning === 1 ? " step" : " steps") + " at the same time",
    archived: archivedAt ? clock(archivedAt) : null,
    "on the command line": "millrace workflow show " + workflow.id,
  };
}

function commands({ workflow, archivedAt }, show) {
  const path = "/v1/workflows/" + workflow.id;
  const button = (words, action, danger) => element("button", { type: "button", class: danger ? "danger" : null, onclick: async () => {
    try {
      await action();
    } catch (failure) {
      toast(failure.message);
    }
  } }, words);
  const asked = (words, verb, question, danger) => button(words, async () => {
    const answer = await ask({ title: words + " workflow " + workflow.id + "?", words: question, action: words === "Cancel" ? "Cancel the workflow" : words, danger, attempt: () => post(path + "/" + verb) });
    if (answer) await show();
  }, danger);
  const left = (of) => count(of.steps - of.succeeded - of.failed - of.cancelled);
  const ended = Boolean(workflow.endedAt);
  const live = !ended && workflow.state !== "CANCELLING";
  const deletion = () => button("Delete", async () => {
    const answer = await ask({ title: "Delete workflow " + workflow.id + "?", action: "Delete", danger: true,
      words: workflow.name + " with its " + count(workflow.progress.steps) + " steps and all that is recorded of it is deleted permanently.",
      attempt: () => remove(path) });
    if (!answer) return;
    toast("Workflow " + workflow.id + " is deleted.", true);
    if (location.hash.startsWith("#/workflows/" + workflow.id)) location.hash = "#/workflows";
  }, true);
  const retry = () => button("Retry", async () => {
    const now = (await read(path)).workflow;
    const running = now.state === "RUNNING";
    const declared = now.state === "SUCCEEDED";
    const answer = await ask({ title: "Retry workflow " + now.id + "?", action: "Retry",
      words: count(now.progress.failed + now.progress.cancelled) + " failed and cancelled steps run again, and then those that wait for them. Steps that succeeded do not."
        + (declared ? " It was declared to have succeeded, which is taken back." : ""),
      fields: running ? [{ name: "resume", label: "Steps that run", choices: [["hot", "continue, and count when they end"], ["cold", "are ended first, and run again"]] }] : [],
      attempt: async ({ resume }) => {
        if (declared) await post(path + "/set-status", { steps: [], to: "failed", reason: "to try its failed steps again" });
        await post(path + "/retry" + (resume ? "?" + new URLSearchParams({ resume }) : ""));
      } });
    if (answer) await show();
  });
  return [
    live ? workflow.paused ? asked("Resume", "resume", "Steps of " + workflow.name + " start again.") : asked("Pause", "pause", "No further steps of " + workflow.name + " start until it is resumed; those that run continue.") : null,
    live ? button("Set limit", async () => askLimit(workflow.id, (await read(path)).workflow.maxRunning, null, show)) : null,
    live ? button("Cancel", async () => {
      const now = (await read(path)).workflow;
      const answer = await ask({ title: "Cancel workflow " + workflow.id + "?", action: "Cancel the workflow", danger: true,
        words: "All " + left(now.progress) + " steps of " + workflow.name + " that have not ended are stopped.", attempt: () => post(path + "/cancel") });
      if (answer) await show();
    }, true) : null,
    workflow.startedAt && (["FAILED", "CANCELLED"].includes(workflow.state) || (["RUNNING", "SUCCEEDED"].includes(workflow.state) && workflow.progress.failed > 0)) ? retry() : null,
    ended ? button(archivedAt ? "Unarchive" : "Archive", async () => {
      await post(path + (archivedAt ? "/unarchive" : "/archive"));
      await show();
    }) : null,
    ended ? deletion() : null,
  ].filter(Boolean);
}
