// One queue: its curves, segments, decisions and workers.

import { follow } from "../live.js";
import { read, post } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, table, tile } from "../dom.js";
import { toast } from "../toast.js";
import { stackOf } from "../weights.js";
import { timeChart } from "../charts.js";
import { Series } from "../history.js";
import { deleteDefinition, deletionCard, goneWords } from "../deletion.js";
import { bytes, clock, commandLine, count, endless, rate, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { gapOf, spanChoice, withGaps } from "../spans.js";
import { versionsCard } from "../versions.js";
import { jobTable } from "./jobs.js";
import { decisions as balancingDecisions, decisionLog } from "./balancing.js";
import { decisionSection } from "./decisions.js";
import { breakerCard, breakerWords, overrideCard } from "./limits.js";
import { sessionSection } from "./queuesessions.js";

export function queuePage(place, { variables: [name], query }) {
  const path = "/v1/queues/" + encodeURIComponent(name);
  const tiles = { waiting: tile("Waiting"), leased: tile("Leased"), rate: tile("Stored"), workers: tile("Workers"), delay: tile("Delay, median"), dead: tile("Dead letters"), size: tile("Size") };
  let shown = "";
  const curves = ["Events per second", "Worker starts per second", "Waiting events", "Age of the oldest waiting event", "Weight by queue node"];
  const spots = curves.map((title) => element("div", { class: "chart", role: "img", "aria-label": title + " over the chosen span" }));
  let samples = null;
  let range = { from: 0, to: 0, step: 0 };
  const span = spanChoice(path, query, (came, over) => {
    samples = came;
    range = over;
    draw();
    decisions.over(came && range, came && curve(came.map((s) => [Date.parse(s.at), s.waiting])));
  }, true);
  const segments = segmentTable();
  let definition = null;
  let deleting = false;
  let gone = false;
  const deletion = deletionCard("queue", name, () => details());
  const versions = versionsCard("queue", name, () => details());
  const series = new Series();
  // Of a queue with a source only the decisions know what waits.
  const curve = (waiting) => definition?.source ? null : waiting;
  const decisions = decisionSection(name, () => curve(series.rows.map(([at, , , , waiting]) => [at, waiting])));
  const breaker = breakerCard(name);
  const limits = overrideCard(name, () => definition);
  const sessions = sessionSection(name);
  const managers = jobTable({ brief: true, emptyWords: "No queue managers yet." });
  const workers = jobTable({ brief: true, emptyWords: "No workers are waiting or running." });
  const failure = element("div");
  const facts = element("dl", { class: "facts" });
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const moves = decisionLog();
  const body = element("div");
  let known = false;
  place.append(
    element("h1", {}, element("span", { class: "prose" }, "Queue ", name), buttons),
    notice, deletion.whole, body, versions.whole);
  body.append(
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    breaker.whole, limits.whole, sessions.whole, span.whole,
    element("div", { class: "columns curves" }, curves.map((title, index) =>
      element("section", { class: "card" }, element("h2", {}, title), spots[index]))),
    decisions.whole,
    element("section", { class: "card" }, element("h2", {}, "Segments"), segments.whole),
    failure,
    element("section", { class: "card" }, element("h2", {}, "Latest weight moves"), moves.whole),
    element("section", { class: "card" }, element("h2", {}, "Definition"), facts),
    element("section", { class: "card" }, element("h2", {}, "Queue managers"), managers.whole),
    element("section", { class: "card" }, element("h2", {}, "Workers waiting and running"), workers.whole));

  const charts = [
    timeChart(spots[0], [{ name: "stored", area: true }, { name: "done" }], rate),
    timeChart(spots[1], [{ name: "worker starts", area: true }], rate),
    timeChart(spots[2], [{ name: "waiting", area: true }], count),
    timeChart(spots[3], [{ name: "oldest", area: true }], seconds),
    timeChart(spots[4], [], count),
  ];
  const weightSeries = [];
  const draw = () => {
    const live = samples == null;
    const gap = gapOf(range.step);
    const over = live ? null : range;
    const rows = withGaps(live ? series.rows
      : samples.map((s) => [Date.parse(s.at), s.eventRate, s.doneRate, s.workerRate, s.waiting, s.mostOldestSeconds, s.mostWaiting]), gap);
    charts[0].show(rows.map(([at, stored, done]) => [at, stored, done]), null, over);
    charts[1].show(rows.map(([at, , , starts]) => [at, starts]), null, over);
    charts[2].show(rows.map(([at, , , , waiting, , most]) => [at, waiting, most]),
      [{ name: "waiting", area: true }, ...(live ? [] : [{ name: "peak" }])], over);
    charts[3].show(rows.map(([at, , , , , oldest]) => [at, oldest]), null, over);
    const weights = live ? weightSeries : samples.map((s) => [Date.parse(s.at), s.weights]);
    const nodes = [...new Set(weights.flatMap(([, points]) => Object.keys(points)))].sort();
    charts[4].show(withGaps(weights.map(([at, points]) => [at, ...nodes.map((node) => points[node] ?? 0)]), gap),
      stackOf(nodes), over);
  };
  const before = () => series.load(name, (sample) => {
    weightSeries.push([Date.parse(sample.at), sample.weights ?? {}]);
    return [sample.eventRate, sample.doneRate, sample.workerRate, sample.waiting, sample.oldestSeconds];
  }).then(() => {
    // The history may arrive after the first live points.
    weightSeries.sort((one, other) => one[0] - other[0]);
    draw();
  });

  const details = async () => {
    const [all, moved] = await Promise.all([read(path), balancingDecisions(name, null, 10), decisions.load()]);
    definition = all.definition;
    deleting = Boolean(all.deletion);
    deletion.show(all.deletion);
    moves.show(moved);
    segments.show(all.segments);
    sessions.show(all);
    managers.show(all.managers);
    workers.show(all.workers);
    showFacts(facts, definitionFacts(all), ["worker"]);
    failure.replaceChildren(...lastFailure(all.lastFailure));
    await versions.load(all.queue.version);
  };
  const timer = setInterval(() => { if (!document.hidden && known) details().catch(() => {}); }, 2000);
  const reasons = () => Promise.all([decisions.explain(), limits.load()]).catch(() => {});
  const slowTimer = setInterval(() => { if (!document.hidden && known) reasons(); }, 10000);

  const stop = follow((now) => {
    const queue = now.queues.find((one) => one.name === name);
    body.hidden = buttons.hidden = !queue;
    if (!queue) {
      known = false;
      if (!gone) {
        gone = true;
        deletion.show(null);
        notice.hidden = true;
        goneWords("queue", name, versions).then((words) => {
          if (!gone || !words) return;
          notice.replaceChildren(...words);
          notice.hidden = false;
        });
      }
      return;
    }
    gone = false;
    if (!known) {
      known = true;
      details();
      reasons();
      before();
    }
    tiles.waiting.show(count(queue.waiting), (queue.waiting ? "oldest " + seconds(queue.oldestSeconds) + ", " : "") + emptyWords(queue));
    tiles.size.show(bytes(queue.bytes), "of all stored events");
    breaker.show(queue.breaker, now.at);
    limits.show(queue.override, now.at);
    notice.textContent = [queue.trouble, pausedWords(queue.control)].filter(Boolean).join(" ");
    notice.hidden = !notice.textContent;
    const standing = JSON.stringify([queue.control, Boolean(queue.override), deleting, Boolean(queue.sessions)]);
    if (standing !== shown) {
      shown = standing;
      buttons.replaceChildren(...commands(name, queue.control, queue.override ? null : limits.set, deleting ? null : () => deleteDefinition("queue", name, details, Boolean(queue.sessions)), Boolean(queue.sessions)));
    }
    tiles.leased.show(count(queue.leased), count(queue.delayed) + " delayed");
    tiles.rate.show(rate(queue.eventRate), rate(queue.doneRate) + " done");
    tiles.workers.show(count(queue.workersRunning), queue.workersStarting + " starting, " + count(queue.workerRuns) + " runs total");
    tiles.delay.show(...(queue.sessions ? ["–", "not measured for sessions"] : [seconds(queue.delayP50Seconds), "99 % within " + seconds(queue.delayP99Seconds)]));
    tiles.dead.show(count(queue.dead), element("a", { href: "#/queues/" + encodeURIComponent(name) + "/dead" }, "show"));
    const at = Date.parse(now.at);
    series.add(at, [queue.eventRate, queue.doneRate, queue.workerRate, queue.waiting, queue.oldestSeconds]);
    weightSeries.push([at, queue.weights ?? {}]);
    while (weightSeries.length > 1800) weightSeries.shift();
    if (samples == null) draw();
  });
  return () => { stop(); clearInterval(timer); clearInterval(slowTimer); span.close(); decisions.close(); sessions.close(); charts.forEach((chart) => chart.close()); };
}

function segmentTable() {
  return table([
    { title: "Queue node", cell: (s) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(s.node) }, s.node) },
    { title: "Weight", number: true, cell: (s) => s.weight },
    { title: "Share of node load", number: true, cell: (s) => Math.round(100 * s.load.share) + " %" },
    { title: "Waiting", number: true, cell: (s) => count(s.waiting) },
    { title: "Delayed", number: true, cell: (s) => count(s.delayed) },
    { title: "Leased", number: true, cell: (s) => count(s.leased) },
    { title: "Oldest", number: true, cell: (s) => seconds(s.waiting ? s.oldestSeconds : null) },
    { title: "Stored", number: true, cell: (s) => count(s.inserted) },
    { title: "Done", number: true, cell: (s) => count(s.acknowledged) },
    { title: "Failed", number: true, cell: (s) => count(s.failed) },
    { title: "Returned", number: true, cell: (s) => count(s.returned) },
    { title: "Dead", number: true, cell: (s) => count(s.dead) },
  ], (s) => s.node, "No segment has been reported yet.");
}

function definitionFacts({ definition, queue }) {
  const worker = definition.worker;
  return {
    version: queue.version,
    batch: definition.batch + " events",
    pacing: definition.pacing.policy + ", tick " + definition.pacing.tick + ", wait target " + definition.pacing.waitTarget + ", at most " + definition.pacing.maxWorkers + " workers",
    breaker: queue.breaker ? "open, see above" : "closed; " + breakerWords(definition.pacing.breaker),
    sessions: definition.sessions ? sessionSettings(definition.sessions) : null,
    limits: [count(definition.maxEvents) + " events", definition.maxBytes, definition.maxRate ? definition.maxRate + " events/s" : null].filter(Boolean).join(", "),
    retention: definition.sessions ? null : definition.retention ? definition.retention + ", then a dead letter" : "until done",
    delivery: definition.sessions ? failureWords[definition.sessions.onDead](definition.maxAttempts) : "lease " + definition.lease + ", dead letter after " + definition.maxAttempts + (definition.maxAttempts === 1 ? " failure" : " failures") + " when delivered alone",
    worker: worker ? commandLine(worker.command) : "none: events are consumed through the API",
    input: worker?.input,
    timeout: definition.sessions ? null : worker?.timeout,
  };
}

function sessionSettings(sessions) {
  return "by " + sessions.key + ", at most " + count(sessions.maxPerWorker) + " per worker, " + count(sessions.maxUnassigned) + " without a worker, "
    + count(sessions.maxPerKey) + " events of one; a worker is retired after " + count(sessions.missed) + (sessions.missed === 1 ? " heartbeat" : " heartbeats") + " of " + sessions.heartbeat + " missed";
}

const failed = (attempts) => "an event that fails " + count(attempts) + (attempts === 1 ? " time " : " times ");
const failureWords = {
  park: (attempts) => failed(attempts) + "parks its session until an operator decides",
  skip: (attempts) => failed(attempts) + "is skipped",
  close: (attempts) => failed(attempts) + "ends its session",
};

function lastFailure(run) {
  if (!run) return [];
  const words = (run.exitCode != null ? "exit " + run.exitCode : run.signal != null ? "signal " + run.signal : "failed") + " on " + run.node + " at " + clock(run.at);
  return [element("section", { class: "card" },
    element("h2", {}, "Last failed run: ", element("a", { href: "#/jobs/" + String(run.attempt).split(".")[0] }, run.attempt), " ", element("span", { class: "muted" }, words)),
    element("p", { class: "lined" }, run.reason ?? ""),
    run.stderrTail ? element("pre", { class: "log" }, run.stderrTail) : null)];
}

function emptyWords(queue) {
  if (queue.waiting === 0) return "empty";
  return endless(queue) ?? "empty in " + seconds(queue.secondsToEmpty);
}

function pausedWords(control) {
  const what = [control?.sendingPaused && "Sending", control?.consumingPaused && "Consuming"].filter(Boolean).join(" and ").replace(" C", " c");
  return what && what + " paused by " + control.by + " at " + clock(control.at) + (control.reason ? ": " + control.reason : "") + ".";
}

function commands(name, control, setLimits, remove, ofSessions) {
  const path = "/v1/queues/" + encodeURIComponent(name);
  const reason = { name: "reason", label: "Reason" };
  const set = async (verb, sending, consuming, words) => {
    const answer = await ask({ title: (verb === "pause" ? "Pause " : "Resume ") + name + "?", words, action: verb === "pause" ? "Pause" : "Resume", fields: [reason] });
    if (answer) await post(path + "/" + verb, { sending, consuming, reason: answer.reason || null });
  };
  const button = (words, onclick, danger) => element("button", { type: "button", class: danger ? "danger" : null, onclick }, words);
  const purge = async () => {
    const answer = await ask({ title: "Purge " + name + "?", words: "All waiting and delayed events are deleted permanently. Leased events are kept.",
      action: "Purge", danger: true, fields: [{ name: "confirm", label: "Type the queue name to confirm", required: name }] });
    if (!answer) return;
    const done = await post(path + "/purge", { confirm: answer.confirm, waiting: true, delayed: true, dead: false });
    toast(count(done.events) + " events deleted" + (done.unreached.length ? "; no answer from: " + done.unreached.join(", ") : ""), true);
  };
  const events = button("Events", () => { location.hash = "#/queues/" + encodeURIComponent(name) + "/events"; });
  if (!mayChange()) return [events];
  return [
    control?.sendingPaused ? button("Resume sending", () => set("resume", true, false, "Producers may send again."))
      : button("Pause sending", () => set("pause", true, false, "Producers are refused until sending is resumed.")),
    control?.consumingPaused ? button("Resume consuming", () => set("resume", false, true, "Workers take events again."))
      : button("Pause consuming", () => set("pause", false, true, "No events are leased and no workers are started until consuming is resumed.")),
    setLimits ? button("Set limits", setLimits) : null,
    events,
    remove ? button("Edit", () => { location.hash = "#/queues/" + encodeURIComponent(name) + "/edit"; }) : null,
    ofSessions ? null : button("Purge", purge, true),
    remove ? button("Delete", remove, true) : null,
  ].filter(Boolean);
}
