// One session: who has it, what it waits for, its events and hand-overs, and actions on it.

import { post, read } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, state, table } from "../dom.js";
import { between, bytes, clock, count, seconds } from "../format.js";
import { isUnknown } from "../missing.js";
import { mayChange } from "../session.js";
import { sessionTimeline } from "../sessiontimeline.js";
import { entitle } from "../title.js";
import { toast } from "../toast.js";
import { queueAddress, queuePath, sessionsAddress, workerName } from "./sessions.js";

export function sessionPage(place, { variables: [name], query }) {
  const key = query.get("key") ?? "";
  entitle("Session " + key + " of " + name);
  const buttons = element("span", { class: "buttons" });
  const notice = element("p", { class: "notice", hidden: true });
  const facts = element("dl", { class: "facts" });
  const timeline = sessionTimeline();
  const history = historyTable();
  const events = eventTable();
  const eventWords = element("p", { class: "muted" });
  const snapshot = element("pre", { class: "log" });
  const snapshotCard = element("section", { class: "card", hidden: true }, element("h2", {}, "Snapshot"), snapshot);
  const body = element("div", { hidden: true },
    element("section", { class: "card" }, facts),
    element("section", { class: "card" }, element("h2", {}, "Timeline"), timeline.whole),
    element("section", { class: "card" }, element("h2", {}, "History"), history.whole),
    snapshotCard,
    element("section", { class: "card" }, element("h2", {}, "Events kept"), eventWords, events.whole));
  place.append(
    element("h1", {}, element("span", { class: "prose" }, "Session ", key, " of ", element("a", { href: queueAddress(name) }, name)), buttons),
    notice, body);

  let offered = null;
  const show = ({ session, events: keptEvents = [], moreEvents = 0, snapshot: last, snapshotThrough, snapshotBytes = 0, history: moments = [] }) => {
    body.hidden = false;
    notice.hidden = !session.waitsFor;
    notice.textContent = session.waitsFor ? "Waits for: " + session.waitsFor : "";
    showFacts(facts, sessionFacts(name, session, snapshotThrough));
    timeline.show(session, keptEvents, moments);
    history.show(moments);
    events.show(keptEvents);
    eventWords.textContent = hiddenWords(keptEvents.length, moreEvents, session, snapshotThrough);
    snapshotCard.hidden = last == null && snapshotBytes === 0;
    snapshot.textContent = last == null ? "It has " + bytes(snapshotBytes) + " and is not shown." : JSON.stringify(last, null, 1);
    if (offered === session.state) return;
    offered = session.state;
    buttons.replaceChildren(...(mayChange() ? commands(name, key, session, load) : []));
  };
  async function load() {
    try {
      show(await read(queuePath(name) + "/session?" + new URLSearchParams({ key })));
    } catch (failure) {
      notice.hidden = false;
      notice.replaceChildren(failure.message);
      if (!isUnknown(failure)) return;
      // It may be opened again by its next event.
      body.hidden = true;
      offered = null;
      buttons.replaceChildren();
      notice.append(" ", element("a", { href: sessionsAddress(name) }, "All sessions"));
    }
  }
  let closed = false;
  let timer = null;
  const again = async () => {
    if (!document.hidden) await load();
    if (!closed) timer = setTimeout(again, 3000);
  };
  again();
  return () => { closed = true; clearTimeout(timer); timeline.close(); };
}

function hiddenWords(shown, more, session, snapshotThrough) {
  const words = [];
  const left = session.accepted - shown - more;
  if (left > 0) {
    const them = count(left) + (left === 1 ? " of its events is" : " of its events are") + " not shown";
    if (session.state === "COMPLETED") words.push(them + ": the events of a session that has ended are not kept.");
    else if (snapshotThrough >= left) words.push(them + ": a snapshot covers " + (left === 1 ? "it." : "them."));
    else words.push(them + ".");
  }
  if (more > 0) words.push("The first " + count(shown) + (shown === 1 ? " is" : " are") + " shown, and " + count(more) + (more === 1 ? " more event is" : " more events are") + " not shown.");
  return words.join(" ");
}

function sessionFacts(name, session, snapshotThrough) {
  const open = session.accepted - session.acknowledged;
  return {
    state: state(session.state),
    worker: session.worker ? element("span", {}, element("a", { href: sessionsAddress(name, { worker: session.worker }) }, workerName(session.workerName, session.worker)), element("span", { class: "muted mono" }, " " + session.worker)) : "none",
    node: element("span", {}, element("a", { href: "#/queue-nodes/" + encodeURIComponent(session.node) }, session.node), ", slot " + session.slot),
    number: session.number,
    events: count(session.accepted) + " accepted, " + count(session.acknowledged) + " acknowledged, " + count(open) + (session.state === "COMPLETED" ? " given up" : " not"),
    opened: session.openedAt ? clock(session.openedAt) : null,
    [session.state === "COMPLETED" ? "ended" : "last event"]: session.lastEventAt ? clock(session.lastEventAt) + ", " + seconds(between(session.lastEventAt, new Date().toISOString())) + " ago" : null,
    "oldest unacknowledged": session.oldestUnacknowledgedSeconds ? seconds(session.oldestUnacknowledgedSeconds) : null,
    snapshot: snapshotThrough ? "covers the events up to number " + count(snapshotThrough) : "none",
  };
}

function historyTable() {
  return table([
    { title: "At", cell: (m) => clock(m.at) },
    { title: "What", cell: (m) => m.what.toLowerCase() },
    { title: "Number", number: true, cell: (m) => m.number ?? "" },
    { title: "Worker", cell: (m) => m.worker ? element("span", { class: "mono", title: m.worker }, workerName(null, m.worker)) : "" },
    { title: "Reason", prose: true, cell: (m) => m.reason ?? "" },
  ], (m) => m.at + m.what + m.number, "Nothing has happened to it yet.");
}

function eventTable() {
  return table([
    { title: "Number", number: true, cell: (e) => count(e.n) },
    { title: "Event", cell: (e) => element("span", { class: "mono" }, e.id) },
    { title: "Stored", cell: (e) => clock(e.storedAt) },
    { title: "State", cell: (e) => state(e.state) },
    { title: "Attributes", words: true, cell: (e) => e.attributes ?? "" },
    { title: "Data", cell: (e) => element("details", {}, element("summary", {}, "show"), element("pre", { class: "log" }, JSON.stringify(e.data ?? null, null, 1))) },
  ], (e) => e.n, "No events are kept.");
}

const actions = [
  { verb: "MOVE", word: "Move", words: () => "Its worker loses it, and the next one gets the last snapshot and the events after it.", parked: () => "It is delivered again." },
  { verb: "CLOSE", word: "Close", danger: true, words: (open) => "It ends as if it was completed, and its key is remembered." + lost(open) },
  { verb: "DROP", word: "Drop", danger: true, words: () => "It is deleted permanently with all its events, and its key is not remembered: a later event opens a new session.", typed: true },
];
const lost = (open) => open > 0 ? " Events that are not acknowledged, " + count(open) + " now, are not delivered any more." : "";

function commands(name, key, session, changed) {
  if (session.state === "COMPLETED") return [];
  return actions.map((action) => element("button", { type: "button", class: action.danger ? "danger" : null, onclick: async () => {
    const fields = [{ name: "reason", label: "Reason" }];
    if (action.typed) fields.push({ name: "confirm", label: "Type the key to confirm", required: key });
    let acted = null;
    const words = session.state === "PARKED" && action.parked ? action.parked() : action.words(session.accepted - session.acknowledged);
    const answer = await ask({ title: action.word + " session " + key + "?", words, action: action.word + " session", danger: action.danger, fields,
      attempt: async ({ reason }) => { acted = await post(queuePath(name) + "/session-actions", { action: action.verb, key, reason: reason || null }); } });
    if (!answer) return;
    toast(acted.message.replace(/^s/, "S") + ".", true);
    await changed();
  } }, action.word));
}
