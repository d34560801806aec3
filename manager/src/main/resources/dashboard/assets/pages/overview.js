// The first page: is everything all right, and what is going on?

import { follow } from "../live.js";
import { element, table, tile, state, bar, meter } from "../dom.js";
import { timeChart, color } from "../charts.js";
import { Series } from "../history.js";
import { count, rate, seconds } from "../format.js";

const sum = (items, figure) => items.reduce((total, item) => total + figure(item), 0);

export function overviewPage(place) {
  const tiles = {
    events: tile("Events stored"), done: tile("Events done"), waiting: tile("Waiting"),
    workers: tile("Workers"), jobs: tile("Submitted jobs"), nodes: tile("Nodes"),
  };
  const rates = element("div", { class: "chart" });
  const waits = element("div", { class: "chart" });
  const queues = queueTable();
  const nodes = nodeTable();
  place.append(
    element("h1", {}, "Overview"),
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "Events and workers per second"), rates),
      element("section", { class: "card" }, element("h2", {}, "Waiting events by queue"), waits)),
    element("section", { class: "card" }, element("h2", {}, "Queues"), queues.whole),
    element("section", { class: "card" }, element("h2", {}, "Queue nodes"), nodes.whole));

  const rateChart = timeChart(rates, [{ name: "stored", area: true }, { name: "done" }, { name: "worker starts" }], rate);
  const waitChart = timeChart(waits, [], count);
  const rateSeries = new Series();
  const waitSeries = new Map();
  const load = new Set();

  const stop = follow((now) => {
    const at = Date.parse(now.at);
    const stored = sum(now.queues, (q) => q.eventRate);
    const done = sum(now.queues, (q) => q.doneRate);
    const starts = sum(now.queues, (q) => q.workerRate);
    tiles.events.show(rate(stored), count(sum(now.queues, (q) => q.inserted)) + " in all");
    tiles.done.show(rate(done), count(sum(now.queues, (q) => q.acknowledged)) + " in all");
    const dead = sum(now.queues, (q) => q.dead);
    tiles.waiting.show(count(sum(now.queues, (q) => q.waiting)),
      "oldest " + seconds(Math.max(0, ...now.queues.map((q) => q.oldestSeconds))) + (dead ? ", " + count(dead) + " dead" : ""));
    tiles.workers.show(count(sum(now.queues, (q) => q.workersRunning)),
      "running, " + count(sum(now.queues, (q) => q.workersStarting)) + " to start, " + rate(starts));
    tiles.jobs.show(count(now.jobs.running), "running, " + count(now.jobs.waiting) + " waiting, " + count(now.jobs.failed) + " failed");
    const all = [...now.queueNodes.map((n) => n.live), ...now.executionNodes.map((n) => n.standing === "EMPLOYED")];
    tiles.nodes.show(all.filter(Boolean).length + " of " + all.length, "live");
    rateSeries.add(at, [stored, done, starts]);
    rateChart.show(rateSeries.rows);
    for (const queue of now.queues) {
      if (!load.has(queue.name)) {
        load.add(queue.name);
        waitSeries.set(queue.name, new Series());
      }
      waitSeries.get(queue.name).add(at, [queue.waiting]);
    }
    const names = now.queues.map((queue) => queue.name);
    const longest = names.map((name) => waitSeries.get(name).rows).sort((a, b) => b.length - a.length)[0] ?? [];
    const byTime = new Map(names.map((name) => [name, new Map(waitSeries.get(name).rows.map((row) => [row[0], row[1]]))]));
    waitChart.show(longest.map(([time]) => [time, ...names.map((name) => byTime.get(name).get(time))]), names.map((name) => ({ name })));
    queues.show(now.queues);
    nodes.show(now.queueNodes);
  });
  return () => { stop(); rateChart.close(); waitChart.close(); };
}

/** Queues with their weights and figures; also the table of the queues page. */
export function queueTable() {
  return table([
    { title: "Queue", cell: (q) => element("a", { href: "#/queues/" + encodeURIComponent(q.name) }, q.name) },
    { title: "Weights", cell: weights },
    { title: "Waiting", number: true, cell: (q) => count(q.waiting) },
    { title: "Oldest", number: true, cell: (q) => seconds(q.oldestSeconds) },
    { title: "Leased", number: true, cell: (q) => count(q.leased) },
    { title: "Stored", number: true, cell: (q) => rate(q.eventRate) },
    { title: "Done", number: true, cell: (q) => rate(q.doneRate) },
    { title: "Workers", number: true, cell: (q) => q.workersRunning + " + " + q.workersStarting },
    { title: "Starts", number: true, cell: (q) => rate(q.workerRate) },
    { title: "p50 / p99 delay", number: true, cell: (q) => seconds(q.delayP50Seconds) + " / " + seconds(q.delayP99Seconds) },
    { title: "Dead", number: true, cell: (q) => q.dead ? element("span", { class: "state bad" }, count(q.dead)) : "0" },
  ], (q) => q.name, "No queue yet. Define one with: millrace apply -f FILE");
}

/** The weights of a queue as a bar with its legend in words. */
export function weights(queue) {
  const parts = Object.entries(queue.weights ?? {}).sort();
  if (!parts.length) return element("span", { class: "muted" }, "no segments yet");
  return element("span", {},
    bar(parts.map(([node, points], index) => ({ share: points / 1000, color: color(index), title: node + " " + points })), "split"),
    element("span", { class: "muted" }, parts.map(([node, points]) => node + " " + points).join(" · ")));
}

/** Queue nodes with state, signals and segments. */
export function nodeTable() {
  return table([
    { title: "Node", cell: (n) => n.name },
    { title: "State", cell: (n) => n.live ? state(n.load.state, n.load.reason) : state("silent", "for " + seconds(n.silentSeconds)) },
    { title: "CPU", cell: (n) => meter(n.load.cpu, color(0), Math.round(n.load.cpu * 100) + " %") },
    { title: "Store", cell: (n) => meter(n.load.store, color(1), Math.round(n.load.store * 100) + " %") },
    { title: "Segments", number: true, cell: (n) => n.segments.length },
    { title: "Waiting", number: true, cell: (n) => count(sum(n.segments, (s) => s.waiting)) },
    { title: "Why", words: true, cell: (n) => element("span", { title: n.load.reason }, n.load.reason) },
  ], (n) => n.id, "No queue node has registered.");
}
