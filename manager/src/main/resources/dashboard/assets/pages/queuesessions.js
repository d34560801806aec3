// What a queue of sessions adds to its page: figures, curves, and the workers with their sessions.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { element, meter, state, table, tile } from "../dom.js";
import { timeChart } from "../charts.js";
import { count, rate, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";
import { sessionsAddress, workerName } from "./sessions.js";

const kept = 15 * 60 * 1000;
const mostWorkers = 200;
// Asked of the queue nodes, which have more to do than the central managers.
const workersEvery = 4000;
const summed = ["unassigned", "assigned", "parked", "workers", "capacity", "remembered", "opened", "completed", "handovers", "duplicates", "refused", "late", "skipped", "stale", "slots", "waitingSlots"];

/** The section of a queue's page: show(details) brings it up to date, and is hidden for other queues. */
export function sessionSection(name) {
  const path = "/v1/queues/" + encodeURIComponent(name) + "/session-workers";
  const tiles = { unassigned: tile("Unassigned"), assigned: tile("Assigned"), parked: tile("Parked"), stalled: tile("Oldest unacknowledged"), handovers: tile("Hand-overs"), duplicates: tile("Duplicates"), refused: tile("Refused") };
  const curves = ["Sessions without a worker", "Sessions with a worker", "Hand-overs, duplicates, refused per second"];
  const spots = curves.map((title) => element("div", { class: "chart small", role: "img", "aria-label": title + " since this page was opened" }));
  const workers = workerTable(name, () => load());
  const more = element("p", { class: "muted", hidden: true });
  const totals = element("p", { class: "muted" });
  const notice = element("p", { class: "notice", hidden: true });
  const whole = element("section", { "aria-label": "Sessions", hidden: true },
    element("h2", {}, "Sessions ", element("a", { class: "aside", href: sessionsAddress(name) }, "All sessions")),
    notice, element("div", { class: "tiles" }, Object.values(tiles).map((one) => one.whole)), totals,
    element("div", { class: "columns thirds" }, curves.map((title, index) => element("section", { class: "card" }, element("h3", {}, title), spots[index]))),
    element("section", { class: "card" }, element("h2", {}, "Session workers"), workers.whole, more));
  const rows = [];
  let charts = null;
  let before = null;
  let askedAt = 0;

  async function load() {
    askedAt = Date.now();
    const all = await read(path);
    workers.show(all.slice(0, mostWorkers));
    more.hidden = all.length <= mostWorkers;
    more.textContent = "Showing the first " + mostWorkers + " of " + count(all.length) + ".";
  }

  /** Adds a point to the curves; counters become rates, which a node that was silent must not make negative. */
  function add(at, now) {
    const lasted = before ? (at - before.at) / 1000 : 0;
    if (before && lasted < 1) return;
    const per = (figure) => before ? Math.max(0, now[figure] - before.now[figure]) / lasted : null;
    rows.push([at, now.unassigned, now.assigned, now.capacity, per("handovers"), per("duplicates"), per("refused")]);
    while (rows[0][0] < at - kept) rows.shift();
    before = { at, now };
  }

  return {
    whole,
    show({ definition, segments }) {
      const figures = segments.map((segment) => segment.sessions).filter(Boolean);
      whole.hidden = !definition.sessions;
      if (whole.hidden) return;
      const now = Object.fromEntries(summed.map((figure) => [figure, figures.reduce((sum, one) => sum + (one[figure] ?? 0), 0)]));
      now.stalledSeconds = Math.max(0, ...figures.map((one) => one.stalledSeconds ?? 0));
      showTiles(tiles, now, definition.sessions, name);
      totals.textContent = count(now.opened) + " sessions opened, " + count(now.completed) + " completed; " + count(now.slots) + " slots on " + count(figures.length) + (figures.length === 1 ? " node." : " nodes.");
      notice.hidden = !now.waitingSlots;
      notice.textContent = count(now.waitingSlots) + " slots wait for the events of an earlier node; their sessions are not assigned.";
      add(Date.now(), now);
      // A chart has no size before its place is shown.
      charts ??= [timeChart(spots[0], [{ name: "unassigned", area: true }], count),
        timeChart(spots[1], [{ name: "assigned", area: true }, { name: "capacity", plain: true }], count),
        timeChart(spots[2], [{ name: "hand-overs" }, { name: "duplicates" }, { name: "refused" }], rate)];
      charts[0].show(rows.map(([at, unassigned]) => [at, unassigned]));
      charts[1].show(rows.map(([at, , assigned, capacity]) => [at, assigned, capacity]));
      charts[2].show(rows.map(([at, , , , ...rates]) => [at, ...rates]));
      if (Date.now() - askedAt >= workersEvery) load().catch(() => {});
    },
    close() { charts?.forEach((chart) => chart.close()); },
  };
}

function showTiles(tiles, now, definition, name) {
  const link = (words, wanted) => element("a", { href: sessionsAddress(name, { state: wanted }) }, words);
  tiles.unassigned.show(count(now.unassigned), element("span", {}, "of at most " + count(definition.maxUnassigned) + ", ", link("show", "unassigned")));
  tiles.assigned.show(count(now.assigned), element("span", {}, "of " + count(now.capacity) + " by " + count(now.workers) + (now.workers === 1 ? " worker, " : " workers, "), link("show", "open")));
  tiles.parked.show(count(now.parked), now.parked ? element("span", {}, "wait for an operator, ", link("show", "parked")) : "");
  tiles.stalled.show(now.stalledSeconds ? seconds(now.stalledSeconds) : "–", "since the delivery of an event");
  tiles.handovers.show(count(now.handovers), count(now.stale) + (now.stale === 1 ? " late result refused" : " late results refused"));
  tiles.duplicates.show(count(now.duplicates), count(now.remembered) + (now.remembered === 1 ? " key remembered" : " keys remembered"));
  tiles.refused.show(count(now.refused), [now.late ? count(now.late) + " came late" : "", now.skipped ? count(now.skipped) + " skipped" : ""].filter(Boolean).join(", "));
}

function workerTable(name, changed) {
  const jobOf = (worker) => worker.job ? element("a", { href: "#/jobs/" + encodeURIComponent(String(worker.job).split(".")[0]) }, worker.job) : element("span", { class: "muted" }, "outside");
  return table([
    { title: "Worker", cell: (w) => element("a", { href: sessionsAddress(name, { worker: w.id }), title: w.id }, workerName(w.name, w.id)), order: (w) => workerName(w.name, w.id) },
    { title: "Node", cell: (w) => element("a", { href: "#/queue-nodes/" + encodeURIComponent(w.node) }, w.node), order: (w) => w.node },
    { title: "State", cell: (w) => element("span", {}, state(w.state), w.leaving ? element("span", { class: "tag" }, "asked to leave") : "") },
    { title: "Sessions", cell: (w) => meter(w.cap ? w.sessions / w.cap : 0, w.sessions >= w.cap ? "var(--warn)" : "var(--accent)", count(w.sessions) + " of " + count(w.cap)), order: (w) => w.sessions },
    { title: "Events delivered", number: true, cell: (w) => count(w.reported), order: (w) => w.reported },
    { title: "Oldest unacknowledged", number: true, cell: (w) => w.oldestUnacknowledgedSeconds ? seconds(w.oldestUnacknowledgedSeconds) : "–", order: (w) => w.oldestUnacknowledgedSeconds },
    { title: "Last heard", number: true, cell: (w) => element("span", {}, w.silentSeconds < 1 ? "just now" : seconds(w.silentSeconds) + " ago", w.missed ? element("span", { class: "tag" }, count(w.missed) + " missed") : ""), order: (w) => w.silentSeconds },
    { title: "Job", cell: jobOf },
    mayChange() && { title: "", cell: (w) => w.state === "RETIRED" ? "" : element("span", { class: "buttons" },
      w.leaving ? null : element("button", { type: "button", onclick: () => retire(name, w, true, changed) }, "Ask to leave"),
      element("button", { type: "button", class: "danger", onclick: () => retire(name, w, false, changed) }, "Retire")) },
  ].filter(Boolean), (w) => w.id + " " + w.node, "No session workers: the sessions wait until one registers.");
}

async function retire(name, worker, gently, changed) {
  const shown = workerName(worker.name, worker.id);
  const answer = await ask({
    title: (gently ? "Ask " : "Retire ") + shown + (gently ? " to leave?" : "?"),
    words: gently ? "It finishes what it works on, gives back its sessions and ends."
      : "Its sessions go to other workers at once, as if it was lost. What it reports afterwards is refused; it may register again.",
    action: gently ? "Ask to leave" : "Retire", danger: !gently, fields: [{ name: "reason", label: "Reason" }],
    attempt: ({ reason }) => post("/v1/queues/" + encodeURIComponent(name) + "/session-workers/" + encodeURIComponent(worker.id) + "/retirement", { ask: gently, reason: reason || null }),
  });
  if (!answer) return;
  toast(gently ? shown + " was asked to leave." : shown + " is retired.", true);
  await changed();
}
