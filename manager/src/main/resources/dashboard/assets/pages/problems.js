// Problems that need attention, silences, and problems that have ended.

import { post, read, remove } from "../api.js";
import { ask } from "../dialog.js";
import { element, table } from "../dom.js";
import { between, clock, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";

const ofQueue = new Set(["BREAKER_OPEN", "DEAD_LETTERS", "QUEUE_PAUSED", "SEGMENT_TROUBLE", "WAIT_TARGET_MISSED"]);
// The line that counts the rest.
const further = "(further)";

export function problemsPage(place) {
  const problems = table([
    { title: "Problem", cell: code },
    { title: "Subject", cell: subject },
    { title: "Since", cell: (p) => p.since ? clock(p.since) : "" },
    { title: "Description and remedy", cell: description, prose: true },
    { title: "", cell: (p) => !mayChange() ? "" : p.silence ? button("Lift silence", () => lift(p.silence)) : p.subject === further ? "" : button("Silence", () => silence(p)) },
  ], (p) => p.code + p.subject, "No problems found.");
  const ended = table([
    { title: "Problem", cell: (p) => name(p.code) },
    { title: "Subject", cell: subject },
    { title: "Began", cell: (p) => clock(p.since) },
    { title: "Took", cell: (p) => seconds(between(p.since, p.endedAt)) },
    { title: "Description", cell: (p) => p.message, prose: true },
  ], (p) => p.id, "No problem has ended within 30 days.");
  place.append(element("h1", {}, "Problems"), element("section", { class: "card" }, problems.whole),
    element("h2", {}, "Ended"), element("section", { class: "card" }, ended.whole));

  const show = async () => {
    const [now, before] = await Promise.all([read("/v1/problems"), read("/v1/problems/ended?limit=100")]);
    problems.show(now);
    ended.show(before);
  };

  const button = (words, action) => element("button", { type: "button", onclick: () => action().catch((failure) => toast(failure.message)) }, words);

  async function silence(problem) {
    const answer = await ask({
      title: "Silence " + name(problem.code) + " of " + problem.subject + "?",
      words: "It stays listed, but is neither sent on nor shown above other pages.",
      action: "Silence",
      fields: [{ name: "duration", label: "For", value: "2h" }, { name: "reason", label: "Reason" }],
    });
    if (!answer) return;
    await post("/v1/problems/silences", { code: problem.code, subject: problem.subject, ...answer });
    toast("Silenced", true);
    await show();
  }

  async function lift(silenced) {
    await remove("/v1/problems/silences/" + silenced.id);
    toast("Lifted", true);
    await show();
  }

  show().catch((failure) => toast(failure.message));
  const timer = setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 3000);
  return () => clearInterval(timer);
}

function name(code) {
  return code.toLowerCase().replaceAll("_", " ");
}

function code(problem) {
  const tone = problem.silence ? "" : problem.severity === "CRITICAL" ? "bad" : "warn";
  return element("span", { class: "state " + tone }, (tone === "bad" ? "✕ " : tone === "warn" ? "▲ " : "") + name(problem.code));
}

function description({ message, silence }) {
  if (!silence) return message;
  return element("div", {}, message, element("div", { class: "muted" }, "Silenced by " + silence.by + " until " + clock(silence.until) + ": " + silence.reason));
}

function subject({ code: kind, subject: of }) {
  const job = /^job (\d+)$/.exec(of);
  if (job) return element("a", { href: "#/jobs/" + job[1] }, of);
  const folder = of === further ? null : ofQueue.has(kind) ? "#/queues/" : kind.startsWith("TASK_") ? "#/tasks/" : null;
  return folder ? element("a", { href: folder + encodeURIComponent(of) }, of) : of;
}
