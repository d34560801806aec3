// Deletes a definition: what it still has to do, what becomes of that, how far the deletion is, and
// the way back.

import { post, read } from "./api.js";
import { ask } from "./dialog.js";
import { element, showFacts } from "./dom.js";
import { clock } from "./format.js";
import { isUnknown, missingWords } from "./missing.js";
import { mayChange } from "./session.js";
import { toast } from "./toast.js";

const queue = {
  usual: "DRAIN", idle: "It holds no events.", holds: "It holds:",
  choices: [
    ["DRAIN", "Drain: refuse new events at once, and delete the queue when its workers have done the rest. Dead letters must be requeued or dropped."],
    ["DISCARD", "Discard: permanently drop all its events, dead letters included, and stop its workers."],
  ],
};
const sessionQueue = {
  usual: "DRAIN", idle: "It holds no sessions with events to be processed.", holds: "It holds, in its sessions:",
  choices: [
    ["DRAIN", "Drain: refuse new events at once, and delete the queue when its workers have done the events of its sessions. Parked sessions must be moved, closed or dropped."],
    ["DISCARD", "Discard: permanently drop all its sessions with their events, and stop its workers."],
  ],
};
const task = {
  usual: "STOP", idle: "No run is in progress.", holds: "In progress:",
  choices: [["STOP", "Stop: end its runs and their workers, and then delete the task. Unfinished work is left undone."]],
};
const kinds = { queue, task };
const modes = { DRAIN: "its workers process the rest", DISCARD: "its events are dropped", STOP: "its runs are stopped", NONE: "there was nothing to do" };
// What is lost must be confirmed by name.
const losing = ["DISCARD", "STOP"];

const address = (kind, name) => "/v1/definitions/" + kind + "/" + encodeURIComponent(name);

/** Asks what becomes of the work of a definition and deletes it; changed is called after that. */
export async function deleteDefinition(kind, name, changed, ofSessions = false) {
  const words = ofSessions ? sessionQueue : kinds[kind];
  try {
    const plan = await post(address(kind, name) + "/delete", { mode: words.usual, dryRun: true });
    let begun = null;
    const answer = await ask({
      title: "Delete " + kind + " " + name + "?", action: "Delete", danger: true, wide: true,
      words: element("div", { class: "said" },
        plan.work.length ? [element("p", {}, words.holds), element("ul", {}, plan.work.map((one) => element("li", {}, one)))] : element("p", {}, words.idle),
        element("p", {}, "Its versions and its history are kept: an earlier version creates it again.")),
      fields: plan.work.length ? [
        { name: "mode", label: "What becomes of this?", choices: words.choices },
        { name: "confirm", label: "Type the name of the " + kind + " to confirm", required: name, when: ({ mode }) => losing.includes(mode) },
      ] : [],
      attempt: async ({ mode }) => { begun = await post(address(kind, name) + "/delete", { mode: mode ?? null, dryRun: false, expect: plan.version }); },
    });
    if (!answer) return;
    toast(kind + " " + name + (begun.state === "DELETED" ? " is deleted" : " is being deleted"), true);
    await changed();
  } catch (failure) {
    toast(failure.message);
  }
}

/** A card about a deletion in progress; show(deletion) brings it up to date, null hides it. */
export function deletionCard(kind, name, changed) {
  const facts = element("dl", { class: "facts" });
  const waits = element("ul", { class: "sentences" });
  const discard = element("button", { type: "button", class: "danger", onclick: rest }, "Discard the rest");
  const whole = element("section", { class: "card failing", "aria-label": "Deletion", hidden: true },
    element("h2", {}, "Deletion ", element("span", { class: "state warn" }, "▲ in progress")), facts, element("h3", {}, "Waits for"), waits, discard,
    element("p", { class: "muted" }, "Its versions are kept. When it is deleted, this page can create it again from one of them."));
  let shown = null;
  async function rest() {
    // By the time it is confirmed, another version may be in force, whose events nobody has seen here.
    const expect = shown.version;
    const answer = await ask({
      title: "Discard the rest of " + name + "?", action: "Discard", danger: true, words: "All its events, dead letters included, are dropped permanently, and its workers are stopped.",
      fields: [{ name: "confirm", label: "Type the name of the " + kind + " to confirm", required: name }],
      attempt: () => post(address(kind, name) + "/delete", { mode: "DISCARD", dryRun: false, expect }),
    });
    if (answer) await changed();
  }
  return {
    whole,
    show(deletion) {
      whole.hidden = !deletion;
      if (!deletion) return;
      shown = deletion;
      showFacts(facts, { state: deletion.state.toLowerCase() + ": " + modes[deletion.mode], "requested by": deletion.by + " at " + clock(deletion.at) });
      waits.replaceChildren(...(deletion.waitsFor.length ? deletion.waitsFor : ["its next check"]).map((one) => element("li", {}, one)));
      discard.hidden = !mayChange() || deletion.mode !== "DRAIN";
    },
  };
}

/** Shows the versions of a definition that is not in force; returns what a notice says of it, null if it is in force. */
export async function goneWords(kind, name, versions) {
  const failure = await versions.loadDeleted().then(() => null, (cause) => cause);
  if (failure) return isUnknown(failure) ? missingWords(kind, name) : [failure.message];
  const words = await read(address(kind, name)).then(() => null, (cause) => cause.message);
  return words && [words.split(";")[0] + "." + (mayChange() ? " Roll back to one of its versions to create it again." : "")];
}
