// One queue node: its signals, its state with the reason, its segments, and what it decided.

import { follow } from "../live.js";
import { post } from "../api.js";
import { ask } from "../dialog.js";
import { element, table, tile, state, meter } from "../dom.js";
import { timeChart, color } from "../charts.js";
import { recent } from "../history.js";
import { missingWords } from "../missing.js";
import { gapOf, spanChoice, withGaps } from "../spans.js";
import { bytes, clock, count, ordered, percent, rate, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { decisions, decisionLog } from "./balancing.js";
import { inUse } from "./overview.js";

const kept = 15 * 60 * 1000;

export function queueNodePage(place, { variables: [name], query }) {
  const path = "/v1/queue-nodes/" + encodeURIComponent(name);
  const tiles = { status: tile("Status"), state: tile("State"), load: tile("Load"), capacity: tile("Capacity"), points: tile("Points"), events: tile("Unfinished events"), heard: tile("Last report") };
  const notice = element("p", { class: "notice", hidden: true });
  const signals = element("dl", { class: "facts" });
  const buttons = element("span", { class: "buttons" });
  const curves = ["Load and its signals", "Unfinished events", "Points per queue since this page was opened"];
  const spots = curves.map((title) => element("div", { class: "chart", role: "img", "aria-label": title }));
  let samples = null;
  let range = { from: 0, to: 0, step: 0 };
  const span = spanChoice(path, query, (came, over) => {
    samples = came;
    range = over;
    draw();
  }, true);
  const segments = segmentTable();
  const log = decisionLog();
  const body = element("div");
  place.append(
    element("h1", {}, "Queue node ", name, buttons),
    notice, body);
  body.append(
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    span.whole,
    element("div", { class: "columns curves" }, curves.map((title, index) =>
      element("section", { class: "card" }, element("h2", {}, title), spots[index]))),
    element("section", { class: "card" }, element("h2", {}, "Signals behind the state"), signals),
    element("section", { class: "card" }, element("h2", {}, "Segments"), segments.whole),
    element("section", { class: "card" }, element("h2", {}, "Rebalancing history of this node"), log.whole));

  const charts = [
    timeChart(spots[0], [], percent, 1),
    timeChart(spots[1], [{ name: "unfinished", area: true }], count),
    timeChart(spots[2], [], count),
  ];
  const load = [];
  const points = [];
  const signalSeries = [{ name: "store" }, { name: "cpu" }, { name: "disk" }, { name: "load", area: true }];
  const rowOf = (s) => [Date.parse(s.at), s.store, s.cpu, s.disk, s.load, s.unfinished, s.mostLoad, s.mostUnfinished];
  const draw = () => {
    const live = samples == null;
    const over = live ? null : range;
    const rows = withGaps(live ? load : samples.map(rowOf), gapOf(range.step));
    charts[0].show(rows.map(([at, store, cpu, disk, busy, , most]) => [at, store, cpu, disk, busy, most]),
      live ? signalSeries : [...signalSeries, { name: "peak load" }], over);
    charts[1].show(rows.map(([at, , , , , unfinished, , most]) => [at, unfinished, most]),
      [{ name: "unfinished", area: true }, ...(live ? [] : [{ name: "peak" }])], over);
  };
  recent(path).then((before) => {
    const first = load[1]?.[0] ?? Infinity;
    load.unshift(...before.map(rowOf).filter(([at]) => at < first));
    load.sort((one, other) => one[0] - other[0]);
    if (samples == null) draw();
  }).catch(() => {});
  let shown = null;
  const details = async () => log.show(await decisions(null, name, 30));
  details();
  const timer = setInterval(() => { if (!document.hidden) details().catch(() => {}); }, 3000);

  const stop = follow((now) => {
    const node = now.queueNodes.find((one) => one.name === name);
    body.hidden = buttons.hidden = !node;
    if (!node) {
      notice.hidden = false;
      if (!notice.querySelector("a")) notice.replaceChildren(...missingWords("queue node", name));
      return;
    }
    notice.textContent = noticeWords(node);
    notice.hidden = !notice.textContent;
    show(tiles, node);
    signals.replaceChildren(...signalFacts(node));
    segments.show(node.segments);
    const at = Date.parse(now.at);
    if (node.live) load.push([at, node.load.store, node.load.cpu, node.load.disk, node.load.load, sum(node, (one) => one.waiting + one.delayed + one.leased)]);
    points.push([at, Object.fromEntries(node.segments.map((one) => [one.queue, one.weight]))]);
    for (const rows of [load, points]) while (rows[0]?.[0] < at - kept) rows.shift();
    if (samples == null) draw();
    const queues = [...new Set(points.flatMap(([, of]) => Object.keys(of)))].sort();
    charts[2].show(points.map(([when, of]) => [when, ...queues.map((queue) => of[queue] ?? 0)]),
      queues.map((queue) => ({ name: queue, stack: "points", area: true, step: true })));
    const duty = node.status + ordered(node);
    if (shown !== duty) {
      shown = duty;
      buttons.replaceChildren(...(mayChange() ? commands(node) : []));
    }
  });
  return () => { stop(); clearInterval(timer); span.close(); charts.forEach((chart) => chart.close()); };
}

function show(tiles, node) {
  tiles.status.show(node.status.toLowerCase(), node.statusUntil ? "until " + clock(node.statusUntil) : "");
  tiles.state.show(node.live ? node.load.state.toLowerCase() : "silent", node.live ? node.load.reason : "for " + seconds(node.silentSeconds));
  tiles.load.show(percent(node.load.load), node.load.reason);
  tiles.capacity.show(node.capacity.toFixed(2), "configured " + node.configuredCapacity);
  tiles.points.show(count(sum(node, (one) => one.weight)), "of " + node.segments.filter((one) => one.weight > 0).length + " queues");
  tiles.events.show(count(sum(node, (one) => one.waiting + one.delayed + one.leased)),
    count(sum(node, (one) => one.weight === 0 ? one.waiting + one.delayed + one.leased : 0)) + " of them draining");
  tiles.heard.show(node.silentSeconds < 3 ? "just now" : seconds(node.silentSeconds) + " ago", node.address);
}

const sum = (node, figure) => node.segments.reduce((total, one) => total + figure(one), 0);

function noticeWords(node) {
  const away = ["DRAINED", "MAINTENANCE"].includes(node.status);
  const silent = node.live || away ? null : "Silent for " + seconds(node.silentSeconds)
    + (node.lost ? ": its points were reassigned; its events wait until it returns." : ": it keeps its points for now.");
  const status = { DRAINING: "Draining: its points move to other nodes, and it finishes the events that it holds.",
    DRAINED: "Drained: it has neither points nor unfinished events, and can be stopped.",
    MAINTENANCE: "In maintenance until " + clock(node.statusUntil) + ": it keeps its points and is not declared lost." }[node.status];
  const reason = status && node.statusReason ? "Reason: " + node.statusReason : null;
  return [silent, node.shortage, status, reason].filter(Boolean).join(" ");
}

function signalFacts(node) {
  const signal = (value, index) => value == null ? element("span", { class: "muted" }, "not available") : meter(value, color(index), percent(value));
  return [
    ["state", state(node.load.state, node.load.reason)], ["reason", node.load.reason],
    ["store writer busy", signal(node.load.store, 0)], ["processors", signal(node.load.cpu, 1)], ["disk wait", signal(node.load.disk, 2)],
  ].flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value)]);
}

function segmentTable() {
  return table([
    { title: "Queue", cell: (s) => element("a", { href: "#/queues/" + encodeURIComponent(s.queue) }, s.queue) },
    { title: "Weight", number: true, cell: (s) => s.weight === 0 && s.waiting + s.delayed + s.leased > 0 ? element("span", { class: "state warn" }, "▲ draining") : s.weight },
    { title: "Share of load", cell: (s) => meter(s.load.share, color(0), percent(s.load.share)) },
    { title: "Per point", number: true, cell: (s) => s.weight ? (1000 * s.load.share / s.weight).toFixed(2) + " ‰" : "–" },
    { title: "Stored", number: true, cell: (s) => rate(s.load.puts) },
    { title: "Leased", number: true, cell: (s) => rate(s.load.gets) },
    { title: "Bytes", number: true, cell: (s) => bytes(s.load.bytes) + "/s" },
    { title: "Waiting", number: true, cell: (s) => count(s.waiting) },
    { title: "Leased events", number: true, cell: (s) => count(s.leased) },
    { title: "Delayed", number: true, cell: (s) => count(s.delayed) },
    { title: "Oldest", number: true, cell: (s) => seconds(s.waiting ? s.oldestSeconds : null) },
    { title: "Dead", number: true, cell: (s) => count(s.dead) },
    { title: "Problem", words: true, cell: (s) => s.trouble ? element("span", { class: "problem", title: s.trouble }, s.trouble) : "" },
  ], (s) => s.queue, "No segments.");
}

function commands(node) {
  const { name } = node;
  const path = "/v1/queue-nodes/" + encodeURIComponent(name);
  const command = (words, verb, question, fields, body) => element("button", { type: "button", onclick: async () => {
    const answer = await ask({ title: words + " " + name + "?", words: question, action: words, fields });
    if (answer) await post(path + "/" + verb, body(answer));
  } }, words);
  const reason = { name: "reason", label: "Reason" };
  const back = command("Return to service", "undrain", "The node may be given weight again.", [], () => ({}));
  if (ordered(node)) return [back];
  return [
    command("Drain", "drain", "The node gives all its weight to other nodes and finishes the events that it holds.", [reason], (a) => ({ reason: a.reason || null })),
    command("Maintenance", "maintenance", "The node keeps its weight for this time and is not declared lost while it is away.",
      [{ name: "duration", label: "Duration (30s, 5m, 2h)", value: "5m" }, reason], (a) => ({ duration: a.duration, reason: a.reason || null })),
    // The order that a lost node had is not always known.
    node.status === "LOST" ? back : null,
  ].filter(Boolean);
}
