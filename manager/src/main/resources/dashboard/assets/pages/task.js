// One task: its definition, its next times, its runs, and what can be done to it.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { bar, element, showFacts, state, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";
import { toast } from "../toast.js";
import { jobTable } from "./jobs.js";
import { pausedWords, runWords, taskAddress } from "./tasks.js";

export function taskPage(place, { variables: [name], query }) {
  const path = "/v1/tasks/" + encodeURIComponent(name);
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const now = element("section", { class: "card", hidden: true, "aria-label": "The run that lasts" });
  const chosen = runCard(query.get("run"), () => show());
  const workers = jobTable({ brief: true, emptyWords: "" });
  const atWork = element("section", { class: "card", hidden: true }, element("h2", {}, "Chunks and workers waiting and running"), workers.whole);
  const passed = element("p", { class: "muted" });
  const times = element("ol", { class: "times" });
  const nextTitle = element("h3", { hidden: true });
  const description = element("p");
  const facts = element("dl", { class: "facts" });
  const runs = table([
    { title: "Run", cell: (r) => element("a", { href: taskAddress(name) + "?run=" + r.id }, r.id) },
    { title: "Planned", cell: plannedWords },
    { title: "Why", cell: causeWords },
    { title: "State", cell: (r) => state(r.state) },
    { title: "Lasted", number: true, cell: (r) => seconds(between(r.startedAt, r.endedAt)) },
    { title: "Done", number: true, cell: (r) => r.plannedTimes > 1 ? count(r.plannedTimes) + " times" : r.total ? count(r.done) + " of " + count(r.total) : count(r.done) },
    { title: "Failed", number: true, cell: (r) => count(r.failed) },
    { title: "In words", prose: true, cell: (r) => r.reason ?? "" },
    { title: "", cell: (r) => r.manager ? element("a", { href: "#/jobs/" + r.manager }, "its manager") : "" },
  ], (r) => r.id, "It has not run yet.");
  const body = element("div", { hidden: true }, now, atWork, chosen.whole,
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "When"), description, nextTitle, times),
      element("section", { class: "card" }, element("h2", {}, "Definition"), facts)),
    element("section", { class: "card" }, element("h2", {}, "Runs"), passed, runs.whole));
  place.append(element("h1", {}, element("span", { class: "prose" }, "Task ", name), buttons), notice, body);

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
    const next = task.schedule?.next ?? [];
    nextTitle.hidden = next.length === 0;
    nextTitle.textContent = "The next times" + (task.definition.schedule?.zone === here ? "" : ", by the clock of this browser (" + here + ")");
    times.replaceChildren(...next.map((at) => element("li", { title: at }, clock(at), " ", element("span", { class: "muted" }, ahead(at)))));
    showFacts(facts, factsOf(task), ["runs", "verify"]);
    const standing = JSON.stringify([task.paused, task.current?.id]);
    if (standing !== shown) {
      shown = standing;
      buttons.replaceChildren(...commands(task, path, show));
    }
    const latest = await read(path + "/runs?limit=50");
    runs.show(latest);
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
  return () => clearInterval(timer);
}

function current(run) {
  return [element("h2", {}, "Run " + run.id + " now"), element("p", {}, runWords(run)), chunkBar(run),
    element("p", { class: "muted" }, "planned for " + clock(run.plannedAt) + (run.startedAt ? ", started " + clock(run.startedAt) : ""))].filter(Boolean);
}

/** How far the chunks of a run are; null while nobody knows how many there are. */
function chunkBar(run) {
  if (!run.total) return null;
  const left = Math.max(0, run.total - run.done - run.failed - run.running);
  const parts = [[run.done, "var(--good)", "done"], [run.failed, "var(--bad)", "failed"], [run.running, "var(--accent)", "at work"], [left, "var(--idle-soft)", "left"]]
    .filter(([amount]) => amount > 0);
  return element("div", {},
    bar(parts.map(([amount, hue, word]) => ({ share: amount / run.total, color: hue, title: count(amount) + " " + word })), "split wide"),
    element("p", { class: "muted small" }, parts.map(([amount, , word]) => count(amount) + " " + word).join(", ") + " of " + count(run.total)));
}

/** One run that somebody has chosen: its chunks, and those that failed with why. */
function runCard(id, changed) {
  const facts = element("dl", { class: "facts" });
  const chunks = element("div");
  const failed = table([
    { title: "Chunk", cell: (c) => element("span", { class: "mono" }, c.chunk ?? "–") },
    { title: "Job", cell: (c) => c.job == null ? "is done again" : element("a", { href: "#/jobs/" + c.job }, c.job) },
    { title: "Why it failed", prose: true, cell: (c) => c.reason ?? "" },
  ], (c) => c.position + "/" + c.job, "");
  const failures = element("div", { hidden: true }, element("h3", {}, "What failed for good"), failed.whole);
  const retry = element("button", { type: "button", hidden: true, onclick: async () => {
    try {
      await post("/v1/task-runs/" + id + "/retry");
      toast("What failed is done again.", true);
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
        lasted: run.startedAt ? seconds(between(run.startedAt, run.endedAt ?? new Date().toISOString())) + ", from " + clock(run.startedAt) : "never started",
        chunks: run.total ? null : count(run.done) + " done, " + count(run.failed) + " failed",
        manager: run.manager ? element("a", { href: "#/jobs/" + run.manager }, "job " + run.manager) : null,
      });
      chunks.replaceChildren(...[chunkBar(run)].filter(Boolean));
      failed.show(failedChunks);
      failures.hidden = failedChunks.length === 0;
      retry.hidden = !run.endedAt || !(run.failed || run.state === "STOPPED");
    },
  };
}

const causeWords = (run) => run.cause.toLowerCase().replace("_", " ") + (run.by ? " (" + run.by + ")" : "");

/** When it was to start; of many missed times the first, the last and how many they are. */
function plannedWords(run) {
  return run.plannedTimes > 1 ? clock(run.plannedFrom) + " to " + clock(run.plannedAt) + ", " + count(run.plannedTimes) + " times" : clock(run.plannedAt);
}

/** What of the latest runs never started. */
function passedWords(runs) {
  const times = (wanted) => runs.filter((run) => run.state === wanted).reduce((sum, run) => sum + (run.plannedTimes ?? 1), 0);
  const words = [[times("MISSED"), "missed"], [times("SKIPPED"), "skipped"]].filter(([amount]) => amount > 0)
    .map(([amount, word]) => count(amount) + " " + word);
  return words.length ? "Planned times that did not run: " + words.join(", ") + "; each row says why." : "";
}

function ahead(at) {
  const left = (Date.parse(at) - Date.now()) / 1000;
  return left > 0 ? "in " + seconds(left) : "due";
}

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const minutes = (time) => time.slice(0, 5);
const overlaps = { SKIP: "the time is skipped", QUEUE: "one run waits", REPLACE: "the run that lasts is stopped" };
const catchUps = {
  NONE: () => "recorded, not run", LAST: () => "the last of them is run",
  ALL: (schedule) => "the newest " + schedule.catchUpLimit + " are run",
};

function factsOf({ definition, version }) {
  const { schedule, window, chunks } = definition;
  return {
    about: definition.description,
    version,
    runs: (definition.job.command ?? [definition.job.program]).join(" "),
    kind: definition.partition ? "partitioned: " + definition.partition.discover.join(" ")
      : chunks ? "chunks: " + (chunks.range ?? chunks.command?.join(" ") ?? chunks.list.length + " listed")
        : definition.untilDone ? "until nothing is left" : schedule?.perpetual ? "perpetual" : "plain",
    "at a time": definition.instances,
    "end by": definition.endBy,
    window: window ? minutes(window.from) + " to " + minutes(window.to) + "; a run that lasts then " + (window.atEnd === "STOP" ? "is stopped" : "goes on") : null,
    "due while it runs": schedule ? overlaps[schedule.overlap] : null,
    "missed times": schedule ? catchUps[schedule.catchUp](schedule) + (schedule.catchUpPauses ? ", those of pauses too" : "") : null,
    verify: definition.verify?.join(" "),
    timeout: definition.timeout,
  };
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
