// What keeps a queue below the workers that its definition allows: an open breaker, and temporary
// limits set by operators.

import { put, read, remove } from "../api.js";
import { ask } from "../dialog.js";
import { element, showFacts, table } from "../dom.js";
import { between, clock, count, seconds } from "../format.js";
import { mayChange } from "../session.js";
import { toast } from "../toast.js";

/** A card about the queue's breaker, shown while it is open; show(breaker, now) fills it. */
export function breakerCard(name) {
  const facts = element("dl", { class: "facts" });
  const search = "#/jobs?search=" + encodeURIComponent("kind:worker queue:" + name + " state:failed");
  const whole = element("section", { class: "card failing", "aria-label": "Breaker", hidden: true },
    element("h2", {}, "Breaker ", element("span", { class: "state bad" }, "✕ open"), element("a", { class: "aside", href: search }, "Failed runs")),
    facts,
    element("p", { class: "prose" }, "Only probes are started, and no failures are counted against events. Apply a fixed definition (Edit, or millrace apply -f FILE); the breaker closes when the probes succeed."));
  return {
    whole,
    show(breaker, now) {
      whole.hidden = !breaker;
      if (!breaker) return;
      const next = between(now, breaker.nextProbeAt);
      showFacts(facts, {
        "open since": clock(breaker.openedAt) + ", for " + seconds(between(breaker.openedAt, now)),
        failures: breaker.reason,
        "last failure": breaker.lastFailure ?? "no longer kept",
        probes: count(breaker.probes) + " started; " + breaker.succeeded + " of " + breaker.needed + " in a row succeeded",
        "next probe": next ? "in " + seconds(next) + ", at " + clock(breaker.nextProbeAt) : "due now",
      });
    },
  };
}

/** What the definition says about the breaker, in words. */
export function breakerWords(rule) {
  if (rule.off) return "off: workers are started even if they fail";
  return "opens when " + Math.max(1, Math.ceil(rule.runs * rule.share)) + " of the last " + rule.runs + " runs failed";
}

/** A mark for lists; null when there is nothing to tell. */
export function limitMarks(queue) {
  return [
    queue.breaker ? element("span", { class: "state bad", title: queue.breaker.reason + (queue.breaker.lastFailure ? "; last: " + queue.breaker.lastFailure : "") }, "✕ breaker open") : null,
    queue.override ? element("span", { class: "state warn", title: told(queue.override) }, "▲ limits set") : null,
  ];
}

/** A card about temporary limits; show(override, now) and load() bring it up to date. */
export function overrideCard(name, definition) {
  const path = "/v1/queues/" + encodeURIComponent(name);
  const facts = element("dl", { class: "facts" });
  const earlier = earlierTable();
  const history = element("details", { hidden: true }, element("summary", {}, "Earlier limits"), earlier.whole);
  const inForce = element("div", {}, facts,
    !mayChange() ? null : element("p", { class: "buttons" },
      element("button", { type: "button", onclick: () => set() }, "Change"),
      element("button", { type: "button", onclick: () => end() }, "End now")));
  const none = element("p", { class: "muted" }, "None in force: the definition applies.");
  const whole = element("section", { class: "card", "aria-label": "Temporary limits", hidden: true },
    element("h2", {}, "Temporary limits"), inForce, none, history);
  let current = null;

  async function load() {
    const all = await read(path + "/overrides?limit=20");
    const over = all.filter((one) => !current || one.at !== current.at);
    earlier.show(over);
    history.hidden = over.length === 0;
    whole.hidden = !current && over.length === 0;
  }

  async function change(work, words) {
    try {
      await work();
      toast(words, true);
      await load();
    } catch (failure) {
      toast(failure.message);
    }
  }

  async function set() {
    const pacing = definition()?.pacing;
    const answer = await ask({
      title: "Set temporary limits for " + name,
      words: "They override the definition and replace earlier limits. Leave a field empty to keep the value of the definition.",
      action: "Set",
      fields: [
        { name: "maxWorkers", label: "Maximum workers" + usual(pacing?.maxWorkers), value: current?.maxWorkers ?? "", input: { type: "number", min: 1, step: 1 } },
        { name: "waitTarget", label: "Wait target, such as 30s" + usual(pacing?.waitTarget), value: current?.waitTarget ?? "", input: time },
        { name: "duration", label: "Duration (10m, 2h; at most 30d)", value: "2h", input: { ...time, required: true } },
        { name: "reason", label: "Reason", value: current?.reason ?? "" },
      ],
    });
    if (!answer) return;
    await change(() => put(path + "/override", {
      maxWorkers: answer.maxWorkers ? Number(answer.maxWorkers) : null, waitTarget: answer.waitTarget || null,
      for: answer.duration, reason: answer.reason || null,
    }), "Limits set; they expire automatically.");
  }

  async function end() {
    const answer = await ask({ title: "End the limits of " + name + " now?", words: "The definition applies again immediately.", action: "End them" });
    if (answer) await change(() => remove(path + "/override"), "The definition applies again.");
  }

  return {
    whole, set, load,
    show(override, now) {
      const changed = (override?.at ?? null) !== (current?.at ?? null);
      current = override ?? null;
      inForce.hidden = !current;
      none.hidden = Boolean(current);
      if (changed) load().catch(() => {});
      if (!current) return;
      whole.hidden = false;
      showFacts(facts, {
        ...Object.fromEntries(limits(current).map((l) => [l.title, element("span", {}, element("strong", {}, l.value), l.after == null ? "" : "; " + l.after + " afterwards")])),
        until: clock(current.until) + ", in " + seconds(between(now, current.until)),
        "set by": current.by + " at " + clock(current.at),
        reason: current.reason ?? "none given",
      });
    },
  };
}

const time = { pattern: "([0-9]+(ms|s|m|h|d))+", title: "a time such as 30s, 5m, 2h or 1h30m" };
const usual = (value) => value == null ? "" : "; definition: " + value;

function limits(override) {
  return [
    ["maximum workers", override.maxWorkers, override.maxWorkersAfter],
    ["wait target", override.waitTarget, override.waitTargetAfter],
  ].filter(([, value]) => value != null).map(([title, value, after]) => ({ title, value, after }));
}

function earlierTable() {
  return table([
    { title: "Set at", cell: (o) => clock(o.at) },
    { title: "By", cell: (o) => o.by },
    { title: "Limits", cell: (o) => limits(o).map((l) => l.title + " " + l.value).join(", ") },
    { title: "Ended", cell: (o) => o.endedAt ? clock(o.endedAt) + " by " + o.endedBy : clock(o.until) + " (expired)" },
    { title: "Reason", prose: true, cell: (o) => o.reason ?? "" },
  ], (o) => o.at, "");
}

function told(override) {
  return limits(override).map((l) => l.title + " " + l.value + (l.after == null ? "" : " instead of " + l.after)).join(", ")
    + ", set by " + override.by + " until " + clock(override.until) + (override.reason ? ": " + override.reason : "");
}
