// One execution node: its resources, bookings and running jobs, and commands.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { color, timeChart } from "../charts.js";
import { element, meter, showFacts, state, table, tile } from "../dom.js";
import { bytes, clock, count, ordered, seconds } from "../format.js";
import { isUnknown, missingWords } from "../missing.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { gapOf, spanChoice, withGaps } from "../spans.js";
import { jobTable } from "./jobs.js";

export function executionNodePage(place, { variables: [name], query }) {
  const path = "/v1/execution-nodes/" + encodeURIComponent(name);
  const tiles = { status: tile("Status"), slots: tile("Slots booked"), cpus: tile("Processors booked"), memory: tile("Memory booked"), heard: tile("Last report") };
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const facts = element("dl", { class: "facts" });
  const resources = table([
    { title: "Resource", cell: ([resource]) => resource },
    { title: "Booked", cell: ([, total, used]) => meter(total ? used / total : 0, color(1), used + " of " + total) },
  ], ([resource]) => resource, "No named resources.");
  const denials = table([
    { title: "Definition", cell: (c) => c.definition },
    { title: "Quick failures", number: true, cell: (c) => c.quickFailures },
    { title: "Until", cell: (c) => clock(c.until) },
    { title: "Last failure", words: true, cell: (c) => element("span", { title: c.reason ?? "" }, c.reason ?? "") },
    { title: "", cell: (c) => mayChange() ? element("button", { type: "button", onclick: () => allow(c) }, "Allow") : "" },
  ], (c) => c.definition, "No definition or user is denied to the node.");
  async function allow({ definition }) {
    const answer = await ask({ title: "Allow " + definition + " on " + name + "?", action: "Allow", words: "The denial ends, and the failures that led to it are forgotten." });
    if (!answer) return;
    try {
      await post(path + "/allow", { definition });
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  }
  const running = jobTable({ emptyWords: "No jobs are running here." });
  const curves = ["Slots booked", "Memory booked"];
  const spots = curves.map((title) => element("div", { class: "chart", role: "img", "aria-label": title }));
  const charts = [
    timeChart(spots[0], [{ name: "booked", area: true }, { name: "peak" }, { name: "slots" }], count),
    timeChart(spots[1], [{ name: "booked", area: true }, { name: "peak" }], bytes),
  ];
  const span = spanChoice(path, query, (samples, range) => {
    const gap = gapOf(range.step);
    const rows = (row) => withGaps(samples.map((s) => [Date.parse(s.at), ...row(s)]), gap);
    charts[0].show(rows((s) => [s.usedSlots, s.mostUsedSlots, s.slots]), null, range);
    charts[1].show(rows((s) => [s.usedMemoryBytes, s.mostUsedMemoryBytes]), null, range);
  });
  const body = element("div", {},
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    span.whole,
    element("div", { class: "columns" }, curves.map((title, index) =>
      element("section", { class: "card" }, element("h2", {}, title), spots[index]))),
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "Properties"), facts),
      element("section", { class: "card" }, element("h2", {}, "Named resources"), resources.whole, element("h2", {}, "Denylist"), denials.whole)),
    element("section", { class: "card" }, element("h2", {}, "Running jobs"), running.whole));
  place.append(element("h1", {}, "Execution node ", name, buttons), notice, body);

  const show = async () => {
    let node;
    try {
      node = await read(path);
    } catch (failure) {
      body.hidden = true;
      notice.hidden = false;
      buttons.replaceChildren();
      if (!isUnknown(failure)) notice.textContent = failure.message;
      else if (!notice.querySelector("a")) notice.replaceChildren(...missingWords("execution node", name));
      return;
    }
    body.hidden = false;
    const { capacity } = node;
    tiles.status.show(node.status.toLowerCase(), node.accepting ? "" : "not accepting jobs: low disk space or stopping");
    tiles.slots.show(node.usedSlots + " of " + capacity.slots, count(node.attempts.length) + " attempts");
    tiles.cpus.show(node.usedCpus + (capacity.cpus ? " of " + capacity.cpus : ""), capacity.cpus ? "" : "not configured");
    tiles.memory.show(bytes(node.usedMemoryBytes), capacity.memoryBytes ? "of " + bytes(capacity.memoryBytes) : "not configured");
    tiles.heard.show(node.silentSeconds < 3 ? "just now" : seconds(node.silentSeconds) + " ago", node.address);
    notice.textContent = words(node);
    notice.hidden = !notice.textContent;
    showFacts(facts, factsOf(node));
    resources.show(Object.entries(capacity.resources ?? {}).map(([resource, total]) => [resource, total, node.usedResources?.[resource] ?? 0]));
    denials.show(node.closures ?? []);
    buttons.replaceChildren(...(mayChange() ? commands(node, path, show) : []));
    const search = new URLSearchParams({ search: "kind:all state:placed,running node:" + name, limit: 100 });
    running.show((await read("/v1/jobs?" + search)).jobs);
  };
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
  return () => { clearInterval(timer); span.close(); charts.forEach((chart) => chart.close()); };
}

// What is above the page of a node that is not in service; exported for its test.
export function words(node) {
  const status = {
    DRAINING: "Draining: no new jobs are started" + (node.managers > 0 && node.managers === node.attempts.length ? managersLeft(node) : node.statusUntil ? ", and jobs still running at " + clock(node.statusUntil) + " are stopped and rerun elsewhere." : ", and running jobs may finish."),
    DRAINED: "Drained: no jobs are running, and the node can be stopped.",
    MAINTENANCE: "In maintenance until " + clock(node.statusUntil) + ": no new jobs are started, and running jobs are not declared lost while the node is away.",
  }[node.status];
  const lost = node.status === "LOST" ? "Silent for " + seconds(node.silentSeconds) + ": its jobs are rerun elsewhere." : null;
  return [lost, status, status && node.statusReason ? "Reason: " + node.statusReason : null].filter(Boolean).join(" ");
}

// The CLI says the same: NodeDescription.waitsFor.
function managersLeft(node) {
  const left = node.managers - node.stoppingManagers;
  const managers = (number) => number + (number === 1 ? " queue or task manager" : " queue or task managers");
  return [
    ", and only queue or task managers are left.",
    node.silentSeconds >= 5 ? " The node has been silent for " + seconds(node.silentSeconds) + "." : "",
    node.stoppingManagers > 0 ? " " + managers(node.stoppingManagers) + (node.stoppingManagers === 1 ? " was" : " were") + " asked to stop." : "",
    left > 0 ? " " + managers(left) + (left === 1 ? " moves" : " move") + " as soon as another node of pool " + node.pools.join(" or ") + " takes " + (left === 1 ? "it." : "them.") : "",
  ].join("");
}

function factsOf(node) {
  const offset = node.clockOffsetMillis;
  return {
    status: state(node.status, "last report " + seconds(node.silentSeconds) + " ago"),
    pools: node.pools.join(", "),
    accepts: node.capacity.onlyAsked ? "only jobs that request it" : "all jobs that fit",
    ...node.attributes,
    memory: node.attributes?.memory ? bytes(Number(node.attributes.memory)) : null,
    clock: offset == null ? null : Math.abs(offset) < 1000 ? "in step with the database" : seconds(Math.abs(offset) / 1000) + (offset > 0 ? " ahead of the database" : " behind the database"),
    version: node.version,
  };
}

function commands(node, path, show) {
  const command = (title, verb, question, fields, body) => element("button", { type: "button", onclick: async () => {
    const answer = await ask({ title: title + " " + node.name + "?", words: question, action: title, fields });
    if (!answer) return;
    try {
      await post(path + "/" + verb, body(answer));
      await show();
    } catch (failure) {
      toast(failure.message);
    }
  } }, title);
  const reason = { name: "reason", label: "Reason" };
  const back = command("Return to service", "undrain", "The node accepts jobs again.", [], () => ({}));
  if (ordered(node)) return [back];
  return [
    command("Drain", "drain", "The node accepts no new jobs, and its queue and task managers move to other nodes. With a time limit, jobs still running then are stopped and rerun elsewhere.",
      [{ name: "duration", label: "Stop running jobs after (empty: let them finish)", value: "" }, reason],
      (a) => ({ duration: a.duration || null, reason: a.reason || null })),
    command("Maintenance", "maintenance", "The node accepts no new jobs for this time, and running jobs are not declared lost while it is away.",
      [{ name: "duration", label: "Duration (30s, 5m, 2h)", value: "5m" }, reason],
      (a) => ({ duration: a.duration, reason: a.reason || null })),
    // The order that a lost node had is not always known.
    node.status === "LOST" ? back : null,
  ].filter(Boolean);
}
