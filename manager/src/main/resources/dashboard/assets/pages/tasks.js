// Tasks: their schedules, next times and last runs.

import { read } from "../api.js";
import { element, state, table } from "../dom.js";
import { clock, count, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";

export function tasksPage(place) {
  const tasks = table([
    { title: "Task", cell: (t) => element("a", { href: taskAddress(t.definition.name) }, t.definition.name) },
    { title: "Schedule", words: true, cell: (t) => t.schedule?.description ?? "on request only" },
    { title: "Next", cell: (t) => t.paused ? state("paused", pausedWords(t)) : nextWords(t) },
    { title: "Now", cell: (t) => t.current ? runWords(t.current) : "" },
    { title: "Last run", cell: (t) => t.last ? element("span", {}, state(t.last.state, t.last.reason), " ", element("span", { class: "muted" }, clock(t.last.endedAt ?? t.last.plannedAt))) : "" },
  ], (t) => t.definition.name, "No tasks. Define one with New definition, or with: millrace apply -f FILE");
  place.append(element("h1", {}, "Tasks", mayChange() ? element("a", { class: "aside", href: "#/new-task" }, "New definition") : null), element("section", { class: "card" }, tasks.whole));
  const show = async () => tasks.show(await read("/v1/tasks"));
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
  return () => clearInterval(timer);
}

export const taskAddress = (name) => "#/tasks/" + encodeURIComponent(name);

/** Who paused a task, why and until when. */
export function pausedWords(task) {
  if (!task.paused) return "";
  return "Paused" + (task.pausedBy ? " by " + task.pausedBy : "") + (task.pauseReason ? ": " + task.pauseReason : "")
    + (task.pausedUntil ? ", until " + clock(task.pausedUntil) : "") + ".";
}

/** How far a run is. */
export function runWords(run) {
  if (run.state === "QUEUED") return state("QUEUED");
  const done = run.total ? count(run.done) + " of " + count(run.total) : count(run.done) + " done";
  return element("span", {}, state(run.state, run.reason), " " + done + ", " + run.running + " running" + (run.failed ? ", " + count(run.failed) + " failed" : ""));
}

function nextWords(task) {
  const next = task.schedule?.next?.[0];
  if (!next) return task.definition.schedule?.perpetual ? "continuously" : "";
  const left = (Date.parse(next) - Date.now()) / 1000;
  return element("span", { title: next }, clock(next), " ", element("span", { class: "muted" }, left > 0 ? "in " + seconds(left) : "due"));
}
