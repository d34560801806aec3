// One task: its definition, its next times, its runs, and what can be done to it.

import { post, read } from "../api.js";
import { color } from "../charts.js";
import { ask } from "../dialog.js";
import { bar, element, state, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";
import { toast } from "../toast.js";
import { pausedWords, runWords } from "./tasks.js";

export function taskPage(place, { variables: [name] }) {
  const path = "/v1/tasks/" + encodeURIComponent(name);
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const now = element("section", { class: "card", hidden: true });
  const times = element("ol", { class: "times" });
  const description = element("p");
  const facts = element("dl", { class: "facts" });
  const runs = table([
    { title: "Run", number: true, cell: (r) => r.id },
    { title: "Planned", cell: (r) => clock(r.plannedAt) },
    { title: "Why", cell: (r) => r.cause.toLowerCase().replace("_", " ") + (r.by ? " (" + r.by + ")" : "") },
    { title: "State", cell: (r) => state(r.state) },
    { title: "Lasted", number: true, cell: (r) => seconds(between(r.startedAt, r.endedAt)) },
    { title: "Done", number: true, cell: (r) => r.total ? count(r.done) + " of " + count(r.total) : count(r.done) },
    { title: "Failed", number: true, cell: (r) => count(r.failed) },
    { title: "In words", words: true, cell: (r) => r.reason ?? "" },
    { title: "", cell: (r) => r.manager ? element("a", { href: "#/jobs/" + r.manager }, "its manager") : "" },
  ], (r) => r.id, "It has not run yet.");
  const body = element("div", { hidden: true }, now,
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "When"), description, times),
      element("section", { class: "card" }, element("h2", {}, "Definition"), facts)),
    element("section", { class: "card" }, element("h2", {}, "Runs"), runs.whole));
  place.append(element("h1", {}, "Task ", name, buttons), notice, body);

  let shown = "";
  const show = async () => {
    let task;
    try {
      task = await read(path);
    } catch (failure) {
      body.hidden = true;
      notice.hidden = false;
      notice.textContent = failure.message;
      return;
    }
    body.hidden = false;
    notice.textContent = pausedWords(task);
    notice.hidden = !notice.textContent;
    now.hidden = !task.current;
    if (task.current) now.replaceChildren(...current(task.current));
    description.textContent = task.schedule?.description ?? "Only when somebody says so.";
    times.replaceChildren(...(task.schedule?.next ?? []).map((at) => element("li", { title: at }, clock(at))));
    facts.replaceChildren(...factsOf(task));
    const standing = JSON.stringify([task.paused, task.current?.id]);
    if (standing !== shown) {
      shown = standing;
      buttons.replaceChildren(...commands(task, path, show));
    }
    runs.show(await read(path + "/runs?limit=50"));
  };
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
  return () => clearInterval(timer);
}

function current(run) {
  const parts = run.total ? [
    { share: run.done / run.total, color: color(2), title: count(run.done) + " done" },
    { share: run.failed / run.total, color: color(3), title: count(run.failed) + " failed" },
    { share: run.running / run.total, color: color(0), title: run.running + " at work" },
  ].filter((part) => part.share > 0) : [];
  return [element("h2", {}, "Run " + run.id + " now"), element("p", {}, runWords(run)),
    parts.length ? bar(parts, "split wide") : null,
    element("p", { class: "muted" }, "planned for " + clock(run.plannedAt) + (run.startedAt ? ", started " + clock(run.startedAt) : ""))].filter(Boolean);
}

function factsOf({ definition, version }) {
  const { schedule, window, chunks } = definition;
  const facts = {
    about: definition.description,
    version,
    runs: (definition.job.command ?? [definition.job.program]).join(" "),
    kind: definition.partition ? "partitioned: " + definition.partition.discover.join(" ")
      : chunks ? "chunks: " + (chunks.range ?? chunks.command?.join(" ") ?? chunks.list.length + " listed")
        : definition.untilDone ? "until nothing is left" : schedule?.perpetual ? "perpetual" : "plain",
    "at a time": definition.instances,
    "end by": definition.endBy,
    window: window ? window.from + " to " + window.to + ", then " + window.atEnd.toLowerCase() : null,
    "while it runs": schedule ? schedule.overlap.toLowerCase() : null,
    missed: schedule ? schedule.catchUp.toLowerCase() : null,
    verify: definition.verify?.join(" "),
    timeout: definition.timeout,
  };
  return Object.entries(facts).filter(([, value]) => value != null && value !== "")
    .flatMap(([term, value]) => [element("dt", {}, term), element("dd", { class: term === "runs" || term === "verify" ? "mono" : null }, value)]);
}

function commands(task, path, show) {
  const command = (title, question, target, fields, body) => element("button", { type: "button", onclick: async () => {
    const answer = await ask({ title: title + "?", words: question, action: title, fields });
    if (!answer) return;
    try {
      await post(target, body(answer));
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  } }, title);
  const name = task.definition.name;
  return [
    command("Run now", "A run of " + name + " starts at once, whatever its schedule says.", path + "/run", [], () => undefined),
    task.current ? command("Stop", "Its workers are asked to end; what was not done is left.", "/v1/task-runs/" + task.current.id + "/stop", [], () => undefined) : null,
    task.paused ? command("Resume", "It runs again as planned.", path + "/resume", [], () => undefined)
      : command("Pause", "Nothing is started until it is resumed; times that pass are recorded as missed.", path + "/pause",
        [{ name: "duration", label: "For how long (empty: until resumed)" }, { name: "reason", label: "Reason" }],
        (a) => ({ reason: a.reason || null, duration: a.duration || null })),
  ].filter(Boolean);
}
