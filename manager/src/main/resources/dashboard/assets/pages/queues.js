// All queues.

import { follow } from "../live.js";
import { element } from "../dom.js";
import { queueTable } from "./overview.js";

export function queuesPage(place) {
  const queues = queueTable();
  place.append(element("h1", {}, "Queues"), element("section", { class: "card" }, queues.whole));
  return follow((now) => queues.show(now.queues));
}
