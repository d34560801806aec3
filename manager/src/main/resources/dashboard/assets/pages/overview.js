// The first page: the state of the whole cluster.

import { follow } from "../live.js";
import { element, table, tile, state, bar, meter } from "../dom.js";
import { timeChart, color } from "../charts.js";
import { QueueHistory } from "../history.js";
import { count, endless, percent, rate, seconds } from "../format.js";
import { nodeHue } from "../weights.js";
import { limitMarks } from "./limits.js";

const sum = (items, figure) => items.reduce((total, item) => total + figure(item), 0);

export function overviewPage(place) {
  const tiles = {
    events: tile("Events stored"), done: tile("Events done"), waiting: tile("Waiting"),
    workers: tile("Workers"), jobs: tile("Submitted jobs"), nodes: tile("Nodes"),
  };
  const spots = [0, 1, 2].map(() => element("div", { class: "chart" }));
  const queues = queueTable();
  const nodes = nodeTable();
  place.append(
    element("h1", {}, "Overview"),
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    element("div", { class: "columns thirds" }, ["Events per second", "Worker starts per second", "Waiting events"].map((title, index) =>
      element("section", { class: "card" }, element("h2", {}, title), spots[index]))),
    element("section", { class: "card" }, element("h2", {}, "Queues"), queues.whole),
    element("section", { class: "card" }, element("h2", {}, "Queue nodes"), nodes.whole));

  const rates = timeChart(spots[0], [{ name: "stored", area: true }, { name: "done" }], rate);
  const starts = timeChart(spots[1], [], rate);
  const waiting = timeChart(spots[2], [], count);
  const history = new QueueHistory();
  const draw = () => {
    const names = history.names;
    const byQueue = (figure) => history.points.map(({ at, of }) => [at, ...names.map((name) => of[name]?.[figure])]);
    const series = names.map((name) => ({ name }));
    rates.show(history.points.map(({ at, of }) => [at, sum(Object.values(of), (q) => q.eventRate), sum(Object.values(of), (q) => q.doneRate)]));
    starts.show(byQueue("workerRate"), series);
    waiting.show(byQueue("waiting"), series);
  };

  const stop = follow((now) => {
    tiles.events.show(rate(sum(now.queues, (q) => q.eventRate)), count(sum(now.queues, (q) => q.inserted)) + " total");
    tiles.done.show(rate(sum(now.queues, (q) => q.doneRate)), count(sum(now.queues, (q) => q.acknowledged)) + " total");
    const dead = sum(now.queues, (q) => q.dead);
    tiles.waiting.show(count(sum(now.queues, (q) => q.waiting)),
      "oldest " + seconds(Math.max(0, ...now.queues.map((q) => q.oldestSeconds))) + (dead ? ", " + count(dead) + " dead" : ""));
    tiles.workers.show(count(sum(now.queues, (q) => q.workersRunning)),
      "running, " + count(sum(now.queues, (q) => q.workersStarting)) + " starting, " + rate(sum(now.queues, (q) => q.workerRate)) + " started");
    tiles.jobs.show(count(now.jobs.running), "running, " + count(now.jobs.waiting) + " waiting, " + count(now.jobs.failed) + " failed");
    const all = [...now.queueNodes.map((n) => n.live), ...now.executionNodes.map((n) => !n.lost)];
    tiles.nodes.show(all.filter(Boolean).length + " of " + all.length, "live");
    history.add(now);
    history.load(now.queues.map((queue) => queue.name)).then((loaded) => { if (loaded) draw(); });
    draw();
    queues.show(now.queues);
    nodes.show(now.queueNodes);
  });
  return () => { stop(); [rates, starts, waiting].forEach((chart) => chart.close()); };
}

/** Queues with their weights and figures; also the table of the queues page. */
export function queueTable() {
  return table([
    { title: "Queue", cell: queueName },
    { title: "Weights", cell: weights },
    { title: "Waiting", number: true, cell: (q) => count(q.waiting) },
    { title: "Oldest", number: true, cell: (q) => seconds(q.waiting ? q.oldestSeconds : null) },
    { title: "Empty in", number: true, cell: emptyIn },
    { title: "Leased", number: true, cell: (q) => count(q.leased) },
    { title: "Stored", number: true, cell: (q) => rate(q.eventRate) },
    { title: "Done", number: true, cell: (q) => rate(q.doneRate) },
    { title: "Workers", number: true, cell: (q) => q.workersRunning + (q.workersStarting ? " + " + q.workersStarting : "") },
    { title: "Starts", number: true, cell: (q) => rate(q.workerRate) },
    { title: "p50 / p99 delay", number: true, cell: (q) => q.sessions ? "–" : seconds(q.delayP50Seconds) + " / " + seconds(q.delayP99Seconds) },
    { title: "Dead", number: true, cell: (q) => q.dead ? element("a", { class: "state bad", href: "#/queues/" + encodeURIComponent(q.name) + "/dead" }, count(q.dead)) : "0" },
  ], (q) => q.name, "No queues. Define one with: millrace apply -f FILE");
}

function emptyIn(queue) {
  if (queue.waiting === 0) return "–";
  return endless(queue) ?? seconds(queue.secondsToEmpty);
}

function queueName(queue) {
  const paused = queue.control && [queue.control.sendingPaused && "sending", queue.control.consumingPaused && "consuming"].filter(Boolean).join(" and ");
  return element("span", { class: "called" },
    element("a", { href: "#/queues/" + encodeURIComponent(queue.name) }, queue.name),
    queue.deleting ? element("span", { class: "state warn" }, "▲ deleting") : "",
    paused ? element("span", { class: "state warn", title: queue.control.reason }, "▲ " + paused + " paused") : "",
    limitMarks(queue),
    queue.trouble ? element("span", { class: "state bad", title: queue.trouble }, "✕ problem") : "");
}

/** The weights of a queue as a bar with its legend. */
export function weights(queue) {
  const parts = Object.entries(queue.weights ?? {}).sort();
  if (!parts.length) return element("span", { class: "muted" }, "no segments yet");
  return element("span", {},
    bar(parts.map(([node, points]) => ({ share: points / 1000, color: color(nodeHue(node)), title: node + " " + points })), "split"),
    element("span", { class: "muted small" }, parts.map(([node, points]) => node + " " + points).join(" · ")));
}

/** Segments that have weight or events to work on. */
export function inUse(node) {
  return node.segments.filter((one) => one.weight + one.waiting + one.delayed + one.leased > 0);
}

/** The status of a node of either kind, with its reason as a hint. */
export function nodeStatus(node) {
  return state(node.status, (node.status !== "LOST" && node.statusReason) || "last report " + seconds(node.silentSeconds) + " ago");
}

/** The state of a queue node's load, or that it is silent though it is expected to report. */
export function loadState(node) {
  if (node.live) return state(node.load.state, node.load.reason);
  return ["ACTIVE", "DRAINING"].includes(node.status) ? state("silent", "for " + seconds(node.silentSeconds)) : "–";
}

const loadColors = { BUSY: "var(--warn)", TOOBUSY: "var(--bad)" };

/** Queue nodes with state, signals and segments. */
export function nodeTable() {
  return table([
    { title: "Node", cell: (n) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(n.name) }, n.name) },
    { title: "Status", cell: nodeStatus },
    { title: "State", cell: loadState },
    { title: "Load", cell: (n) => meter(n.load.load, loadColors[n.load.state] ?? "var(--good)", percent(n.load.load)) },
    { title: "CPU", cell: (n) => meter(n.load.cpu, color(0), percent(n.load.cpu)) },
    { title: "Store", cell: (n) => meter(n.load.store, color(1), percent(n.load.store)) },
    { title: "Disk", cell: (n) => n.load.disk == null ? "–" : meter(n.load.disk, color(2), percent(n.load.disk)) },
    { title: "Capacity", number: true, cell: (n) => n.capacity.toFixed(2) },
    { title: "Points", number: true, cell: (n) => count(sum(n.segments, (s) => s.weight)) },
    { title: "Segments", number: true, cell: (n) => inUse(n).length },
    { title: "Waiting", number: true, cell: (n) => count(sum(n.segments, (s) => s.waiting)) },
    { title: "Reason", words: true, cell: (n) => element("span", { title: n.load.reason }, n.load.reason) },
  ], (n) => n.id, "No queue node has registered.");
}
