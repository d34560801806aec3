// One task: its definition, its next times, its runs, and commands.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { bar, element, showFacts, state, table } from "../dom.js";
import { deleteDefinition, deletionCard, goneWords } from "../deletion.js";
import { between, clock, commandLine, count, seconds } from "../format.js";
import { timeChart } from "../charts.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { versionsCard } from "../versions.js";
import { jobTable } from "./jobs.js";
import { pausedWords, runWords, taskAddress } from "./tasks.js";

export function taskPage(place, { variables: [name], query }) {
  const path = "/v1/tasks/" + encodeURIComponent(name);
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const now = element("section", { class: "card", hidden: true, "aria-label": "Current run" });
  const chosen = runCard(query.get("run"), () => show());
  const workers = jobTable({ brief: true, emptyWords: "" });
  const atWork = element("section", { class: "card", hidden: true }, element("h2", {}, "Chunks and workers waiting and running"), workers.whole);
  const passed = element("p", { class: "muted" });
  const times = element("ol", { class: "times" });
  const nextTitle = element("h3", { hidden: true });
  const description = element("p");
  const facts = element("dl", { class: "facts" });
  const runs = table([
    { title: "Run", order: (r) => r.id, cell: (r) => element("a", { href: taskAddress(name) + "?run=" + r.id }, r.id) },
    { title: "Planned", order: (r) => r.plannedAt, cell: plannedWords },
    { title: "Cause", prose: true, cell: causeWords },
    { title: "State", order: (r) => r.state, cell: (r) => state(r.state) },
    { title: "Duration", order: (r) => between(r.startedAt, r.endedAt), number: true, cell: (r) => seconds(between(r.startedAt, r.endedAt)) },
    { title: "Done", number: true, cell: (r) => r.plannedTimes > 1 ? count(r.plannedTimes) + " times" : r.total ? count(r.done) + " of " + count(r.total) : count(r.done) },
    { title: "Failed", order: (r) => r.failed, number: true, cell: (r) => count(r.failed) },
    { title: "Reason", prose: true, cell: (r) => r.reason ?? "" },
    { title: "", cell: (r) => r.manager ? element("a", { href: "#/jobs/" + r.manager }, "manager") : r.workflow ? "workflow " + r.workflow.id : "" },
  ], (r) => r.id, "It has not run yet.");
  const curve = element("div", { class: "chart small" });
  const times50 = element("section", { class: "card", hidden: true }, element("h2", {}, "Run times"), element("p", { class: "muted" }), curve);
  const versions = versionsCard("task", name, () => show());
  const deletion = deletionCard("task", name, () => show());
  let gone = false;
  const body = element("div", { hidden: true }, now, atWork, chosen.whole,
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "Schedule"), description, nextTitle, times),
      element("section", { class: "card" }, element("h2", {}, "Definition"), facts)),
    times50,
    element("section", { class: "card" }, element("h2", {}, "Runs"), passed, runs.whole));
  place.append(element("h1", {}, element("span", { class: "prose" }, "Task ", name), buttons), notice, deletion.whole, body, versions.whole);

  let chart = null;
  let shown = "";
  const show = async () => {
    let task;
    try {
      task = await read(path);
    } catch (failure) {
      body.hidden = true;
      if (gone) return;
      if (failure.code !== "UNKNOWN_TASK") {
        notice.hidden = false;
        notice.textContent = failure.message;
        return;
      }
      gone = true;
      shown = "";
      buttons.replaceChildren();
      deletion.show(null);
      notice.replaceChildren(...await goneWords("task", name, versions) ?? [failure.message]);
      notice.hidden = false;
      return;
    }
    gone = false;
    body.hidden = false;
    deletion.show(task.deletion);
    notice.textContent = pausedWords(task);
    notice.hidden = !notice.textContent;
    now.hidden = !task.current;
    if (task.current) now.replaceChildren(...current(task.current));
    description.textContent = task.schedule?.description ?? "No schedule; runs on request only.";
    const next = task.schedule?.next ?? [];
    nextTitle.hidden = next.length === 0;
    nextTitle.textContent = "Next times" + (task.definition.schedule?.zone === here ? "" : ", in browser time (" + here + ")");
    times.replaceChildren(...next.map((at) => element("li", { title: at }, clock(at), " ", element("span", { class: "muted" }, ahead(at)))));
    showFacts(facts, factsOf(task), ["runs", "verify"]);
    const standing = JSON.stringify([task.paused, task.current?.id, Boolean(task.deletion)]);
    if (standing !== shown) {
      shown = standing;
      buttons.replaceChildren(...(mayChange() ? commands(task, path, show) : []));
    }
    const latest = await read(path + "/runs?limit=50");
    runs.show(latest);
    chart = drawTimes(latest, times50, curve, chart);
    await versions.load(task.version);
    passed.textContent = passedWords(latest);
    passed.hidden = !passed.textContent;
    await Promise.all([chosen.load(), atWorkNow(task)]);
  };
  async function atWorkNow(task) {
    const jobs = task.current ? (await read("/v1/jobs?" + new URLSearchParams({ limit: 50, search: "owner:task:" + name + " state:waiting,blocked,placed,running" }))).jobs : [];
    workers.show(jobs);
    atWork.hidden = jobs.length === 0;
  }
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
  return () => { clearInterval(timer); chart?.close(); };
}

const outcomes = ["SUCCEEDED", "FAILED", "STOPPED"];

/** How long the runs took that have ended, by the time of their start; one alone is no curve. */
function drawTimes(runs, card, curve, chart) {
  const ended = runs.filter((run) => run.startedAt && run.endedAt && outcomes.includes(run.state)).reverse();
  card.hidden = ended.length < 2;
  if (card.hidden) return chart;
  const took = ended.map((run) => between(run.startedAt, run.endedAt)).sort((one, other) => one - other);
  card.querySelector("p").textContent = "The last " + ended.length + " runs that ended: shortest " + seconds(took[0]) + ", median " + seconds(took[Math.floor(took.length / 2)]) + ", longest " + seconds(took.at(-1)) + ".";
  const made = chart ?? timeChart(curve, [{ name: "succeeded", kind: "scatter", hue: 2 }, { name: "failed", kind: "scatter", hue: 5 }, { name: "stopped", kind: "scatter", hue: 4 }], seconds);
  made.show(ended.map((run) => [Date.parse(run.startedAt), ...outcomes.map((state) => run.state === state ? between(run.startedAt, run.endedAt) : null)]));
  return made;
}

function current(run) {
  return [element("h2", {}, "Current run " + run.id), element("p", {}, runWords(run)), chunkBar(run),
    element("p", { class: "muted" }, "planned for " + clock(run.plannedAt) + (run.startedAt ? ", started " + clock(run.startedAt) : ""))].filter(Boolean);
}

/** How far the chunks of a run are; null while their number is unknown. */
function chunkBar(run) {
  if (!run.total) return null;
  const left = Math.max(0, run.total - run.done - run.failed - run.running);
  const parts = [[run.done, "var(--good)", "done"], [run.failed, "var(--bad)", "failed"], [run.running, "var(--accent)", "running"], [left, "var(--idle-soft)", "left"]]
    .filter(([amount]) => amount > 0);
  return element("div", {},
    bar(parts.map(([amount, hue, word]) => ({ share: amount / run.total, color: hue, title: count(amount) + " " + word })), "split wide"),
    element("p", { class: "muted small" }, parts.map(([amount, , word]) => count(amount) + " " + word).join(", ") + " of " + count(run.total)));
}

/** The selected run: its chunks, and the failed ones with reasons. */
function runCard(id, changed) {
  const facts = element("dl", { class: "facts" });
  const chunks = element("div");
  const failed = table([
    { title: "Chunk", cell: (c) => element("span", { class: "mono" }, c.chunk ?? "–") },
    { title: "Job", cell: (c) => c.job == null ? "rerun pending" : element("a", { href: "#/jobs/" + c.job }, c.job) },
    { title: "Reason", prose: true, cell: (c) => c.reason ?? "" },
  ], (c) => c.position + "/" + c.job, "");
  const failures = element("div", { hidden: true }, element("h3", {}, "Failed permanently"), failed.whole);
  const retry = element("button", { type: "button", hidden: true, onclick: async () => {
    try {
      await post("/v1/task-runs/" + id + "/retry");
      toast("Rerunning the failed work.", true);
      await changed();
    } catch (failure) {
      toast(failure.message);
    }
  } }, "Rerun failed work");
  const whole = element("section", { class: "card", hidden: true, "aria-label": "Run " + id }, element("h2", {}, "Run " + id), facts, chunks, failures, element("p", { class: "buttons" }, retry));
  return {
    whole,
    async load() {
      if (!id) return;
      const { run, failedChunks } = await read("/v1/task-runs/" + encodeURIComponent(id));
      whole.hidden = false;
      showFacts(facts, {
        state: element("span", {}, state(run.state), " ", run.reason ?? ""),
        planned: plannedWords(run),
        "started by": causeWords(run),
        duration: run.startedAt ? seconds(between(run.startedAt, run.endedAt ?? new Date().toISOString())) + ", from " + clock(run.startedAt) : "never started",
        chunks: run.total ? null : count(run.done) + " done, " + count(run.failed) + " failed",
        manager: run.manager ? element("a", { href: "#/jobs/" + run.manager }, "job " + run.manager) : null,
        workflow: run.workflow ? run.workflow.id + ", " + (run.workflow.state ?? "deleted").toLowerCase() : null,
      });
      chunks.replaceChildren(...[chunkBar(run)].filter(Boolean));
      failed.show(failedChunks);
      failures.hidden = failedChunks.length === 0;
      retry.hidden = !mayChange() || !run.endedAt || !(run.failed || run.state === "STOPPED");
    },
  };
}

const causeWords = (run) => run.cause.toLowerCase().replace("_", " ") + (run.by ? " (" + run.by + ")" : "") + (run.parameters ? ", with " + parameterWords(run.parameters) : "");
const parameterWords = ({ env, arguments: words }) => [...Object.entries(env).map(([name, value]) => name + "=" + commandLine([value])), ...words.map((word) => commandLine([word]))].join(" ");

/** When it was to start; of many missed times the first, the last and how many they are. */
function plannedWords(run) {
  return run.plannedTimes > 1 ? clock(run.plannedFrom) + " to " + clock(run.plannedAt) + ", " + count(run.plannedTimes) + " times" : clock(run.plannedAt);
}

/** Planned times among the latest runs that never started. */
function passedWords(runs) {
  const times = (wanted) => runs.filter((run) => run.state === wanted).reduce((sum, run) => sum + (run.plannedTimes ?? 1), 0);
  const words = [[times("MISSED"), "missed"], [times("SKIPPED"), "skipped"]].filter(([amount]) => amount > 0)
    .map(([amount, word]) => count(amount) + " " + word);
  return words.length ? "Planned times without a run: " + words.join(", ") + "; see the reasons below." : "";
}

function ahead(at) {
  const left = (Date.parse(at) - Date.now()) / 1000;
  return left > 0 ? "in " + seconds(left) : "due";
}

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const minutes = (time) => time.slice(0, 5);
const overlaps = { SKIP: "skip (no run at times that fall into a run)", QUEUE: "queue (one run waits for the end of the current one)", REPLACE: "replace (the current run is stopped)" };
const catchUps = {
  NONE: () => "recorded, not run", LAST: () => "the latest is run",
  ALL: (schedule) => "the newest " + schedule.catchUpLimit + " are run",
};

function factsOf({ definition, version }) {
  const { schedule, window, chunks } = definition;
  return {
    about: definition.description,
    version,
    runs: definition.job ? commandLine(definition.job.command ?? [definition.job.program])
      : "a workflow of the templates " + Object.keys(definition.workflow.templates).slice(0, 10).join(", "),
    kind: definition.workflow ? "workflow" : definition.partition ? "partitioned: " + commandLine(definition.partition.discover)
      : chunks ? "chunks: " + (chunks.range ?? (chunks.command ? commandLine(chunks.command) : chunks.list.length + " listed"))
        : definition.untilDone ? "until no work is left" : schedule?.perpetual ? "perpetual" : "plain",
    "at a time": definition.instances,
    "end by": definition.endBy,
    window: window ? minutes(window.from) + " to " + minutes(window.to) + "; a run in progress then " + (window.atEnd === "STOP" ? "is stopped" : "continues") : null,
    overlap: schedule ? overlaps[schedule.overlap] : null,
    "missed times": schedule ? catchUps[schedule.catchUp](schedule) + (schedule.catchUpPauses ? ", including those in pauses" : "") : null,
    verify: definition.verify ? commandLine(definition.verify) : null,
    timeout: definition.timeout,
  };
}

function commands(task, path, show) {
  const command = (title, question, target, fields, body) => element("button", { type: "button", onclick: async () => {
    // What was typed stays if it is refused.
    const answer = await ask({ title: title + "?", words: question, action: title, fields, attempt: async (values) => post(target, body(values)) });
    if (!answer) return;
    try {
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  } }, title);
  const name = task.definition.name;
  return [
    command("Run now", "Starts a run of " + name + " now, regardless of its schedule. Variables and arguments apply to this run only.", path + "/run",
      [{ name: "env", label: "Environment, NAME=value on each line", lines: 3 }, { name: "arguments", label: "Arguments for the command, one on each line", lines: 2 }], parameters),
    task.current ? command("Stop", "Its workers are stopped; unfinished work is left undone.", "/v1/task-runs/" + task.current.id + "/stop", [], () => undefined) : null,
    task.paused ? command("Resume", "The task runs on schedule again.", path + "/resume", [], () => undefined)
      : command("Pause", "No runs are started until the task is resumed; planned times that pass are recorded as missed.", path + "/pause",
        [{ name: "duration", label: "Duration (empty: until resumed)" }, { name: "reason", label: "Reason" }],
        (a) => ({ reason: a.reason || null, duration: a.duration || null })),
    ...(task.deletion ? [] : [
      element("button", { type: "button", onclick: () => { location.hash = taskAddress(name) + "/edit"; } }, "Edit"),
      element("button", { type: "button", class: "danger", onclick: () => deleteDefinition("task", name, show) }, "Delete"),
    ]),
  ].filter(Boolean);
}

/** What the fields of "Run now" say; undefined for nothing. Throws an Error for a line that is no variable. */
function parameters(answer) {
  const lines = (text) => text.split("\n").map((line) => line.replace(/\r$/, "")).filter((line) => line.trim());
  const env = {};
  for (const line of lines(answer.env)) {
    const equals = line.indexOf("=");
    if (equals < 1) throw new Error("'" + line + "' is no variable; write NAME=value.");
    env[line.slice(0, equals).trim()] = line.slice(equals + 1);
  }
  const words = lines(answer.arguments);
  return Object.keys(env).length || words.length ? { env, arguments: words } : undefined;
}
