// What a page says about something that does not exist.

import { element } from "./dom.js";

const kinds = {
  job: ["It was deleted, as ended jobs are after their retention, or the number is mistyped.", "#/jobs", "All jobs"],
  queue: ["It was deleted or never applied, or the name is mistyped.", "#/queues", "All queues"],
  task: ["It was deleted or never applied, or the name is mistyped.", "#/tasks", "All tasks"],
  workflow: ["It was deleted, as ended workflows are after their retention, or the number is mistyped.", "#/workflows", "All workflows"],
  "queue node": ["It was removed or has never joined, or the name is mistyped.", "#/nodes", "All nodes"],
  "execution node": ["It was removed or has never joined, or the name is mistyped.", "#/nodes", "All nodes"],
};

/** The content of a notice: that there is no such thing, why that may be, and a link to those that exist. */
export function missingWords(kind, name) {
  const [why, list, title] = kinds[kind];
  return ["There is no " + kind + " " + name + ". " + why + " ", element("a", { href: list }, title)];
}

/** Whether a request failed because what it names does not exist. */
export const isUnknown = (failure) => Boolean(failure.code?.startsWith("UNKNOWN_"));

/**
 * Replaces what follows a page's heading with the words that there is no such thing, unless another
 * page is shown by now. Throws the failure again if it has another cause.
 */
export function showMissing(heading, kind, name, failure) {
  if (!isUnknown(failure)) throw failure;
  if (heading.isConnected) heading.parentNode.replaceChildren(heading, element("p", { class: "notice" }, missingWords(kind, name)));
}
