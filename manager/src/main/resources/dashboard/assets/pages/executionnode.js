// One execution node: what it has, what of it is booked, what runs, and what operators want of it.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { color } from "../charts.js";
import { element, meter, showFacts, state, table, tile } from "../dom.js";
import { bytes, clock, count, seconds } from "../format.js";
import { toast } from "../toast.js";
import { jobTable } from "./jobs.js";

export function executionNodePage(place, { variables: [name] }) {
  const path = "/v1/execution-nodes/" + encodeURIComponent(name);
  const tiles = { status: tile("State"), slots: tile("Slots booked"), cpus: tile("Processors booked"), memory: tile("Memory booked"), heard: tile("Heard") };
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const facts = element("dl", { class: "facts" });
  const resources = table([
    { title: "Resource", cell: ([resource]) => resource },
    { title: "Booked", cell: ([, total, used]) => meter(total ? used / total : 0, color(1), used + " of " + total) },
  ], ([resource]) => resource, "No named resources.");
  const closures = table([
    { title: "Closed to", cell: (c) => c.definition },
    { title: "Quick failures", number: true, cell: (c) => c.quickFailures },
    { title: "Until", cell: (c) => clock(c.until) },
    { title: "Last failure", words: true, cell: (c) => element("span", { title: c.reason ?? "" }, c.reason ?? "") },
  ], (c) => c.definition, "Open to every job.");
  const running = jobTable({ emptyWords: "Nothing runs here." });
  const body = element("div", {},
    element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)),
    element("div", { class: "columns" },
      element("section", { class: "card" }, element("h2", {}, "What it is"), facts),
      element("section", { class: "card" }, element("h2", {}, "Named resources"), resources.whole, element("h2", {}, "Closed to"), closures.whole)),
    element("section", { class: "card" }, element("h2", {}, "What runs here"), running.whole));
  place.append(element("h1", {}, "Execution node ", name, buttons), notice, body);

  const show = async () => {
    let node;
    try {
      node = await read(path);
    } catch (failure) {
      body.hidden = true;
      notice.hidden = false;
      notice.textContent = failure.message;
      return;
    }
    body.hidden = false;
    const { capacity } = node;
    tiles.status.show(node.status.toLowerCase(), node.accepting ? "" : "accepts no jobs now: its disk is full or it is stopping");
    tiles.slots.show(node.usedSlots + " of " + capacity.slots, count(node.attempts.length) + " attempts");
    tiles.cpus.show(node.usedCpus + (capacity.cpus ? " of " + capacity.cpus : ""), capacity.cpus ? "" : "not stated");
    tiles.memory.show(bytes(node.usedMemoryBytes), capacity.memoryBytes ? "of " + bytes(capacity.memoryBytes) : "not stated");
    tiles.heard.show(node.silentSeconds < 3 ? "just now" : seconds(node.silentSeconds) + " ago", node.address);
    notice.textContent = words(node);
    notice.hidden = !notice.textContent;
    showFacts(facts, factsOf(node));
    resources.show(Object.entries(capacity.resources ?? {}).map(([resource, total]) => [resource, total, node.usedResources?.[resource] ?? 0]));
    closures.show(node.closures ?? []);
    buttons.replaceChildren(...commands(node, path, show));
    const search = new URLSearchParams({ search: "kind:all state:placed,running node:" + name, limit: 100 });
    running.show((await read("/v1/jobs?" + search)).jobs);
  };
  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
  return () => clearInterval(timer);
}

function words(node) {
  const status = {
    DRAINING: "It is being drained: it takes no new jobs" + (node.statusUntil ? ", and jobs that still run at " + clock(node.statusUntil) + " are stopped and run elsewhere." : ", and running jobs may finish."),
    DRAINED: "It is drained: nothing runs here, and it can be stopped.",
    MAINTENANCE: "It is in maintenance until " + clock(node.statusUntil) + ": it takes no new jobs, and its running jobs are not moved while it is away.",
  }[node.status];
  const lost = node.status === "LOST" ? "Silent for " + seconds(node.silentSeconds) + ": its jobs run elsewhere." : null;
  return [lost, status, status && node.statusReason ? "Reason: " + node.statusReason : null].filter(Boolean).join(" ");
}

function factsOf(node) {
  const offset = node.clockOffsetMillis;
  return {
    state: state(node.status, "last heard " + seconds(node.silentSeconds) + " ago"),
    pools: node.pools.join(", "),
    "takes": node.capacity.onlyAsked ? "only jobs that ask for it" : "every job that fits",
    ...node.attributes,
    memory: node.attributes?.memory ? bytes(Number(node.attributes.memory)) : null,
    clock: offset == null ? null : Math.abs(offset) < 1000 ? "as the database's" : seconds(Math.abs(offset) / 1000) + (offset > 0 ? " ahead of the database's" : " behind the database's"),
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
  if (["DRAINING", "DRAINED", "MAINTENANCE"].includes(node.status)) {
    return [command("Take back into use", "undrain", "It gets jobs again.", [], () => ({}))];
  }
  return [
    command("Drain", "drain", "It takes no new jobs. With a time, what still runs then is stopped and runs elsewhere.",
      [{ name: "duration", label: "Stop what runs after (empty: let it finish)", value: "" }, reason],
      (a) => ({ duration: a.duration || null, reason: a.reason || null })),
    command("Maintenance", "maintenance", "It takes no new jobs for this time, and what runs is not given up when it is away.",
      [{ name: "duration", label: "For how long (30s, 5m, 2h)", value: "5m" }, reason],
      (a) => ({ duration: a.duration, reason: a.reason || null })),
  ];
}
