// All queues, and the distribution of their points over the queue nodes.

import { follow } from "../live.js";
import { read } from "../api.js";
import { element } from "../dom.js";
import { timeChart } from "../charts.js";
import { count } from "../format.js";
import { mayChange } from "../session.js";
import { queueTable } from "./overview.js";
import { stackOf, weightRows } from "../weights.js";

const mostCharts = 24;

export function queuesPage(place) {
  const queues = queueTable();
  const charts = new Map();
  const grid = element("div", { class: "columns thirds" });
  const more = element("p", { class: "muted", hidden: true });
  place.append(
    element("h1", {}, "Queues", mayChange() ? element("a", { class: "aside", href: "#/new-queue" }, "New definition") : null, element("a", { class: "aside", href: "#/balancing" }, "Rebalancing history")),
    element("section", { class: "card" }, queues.whole),
    element("h2", {}, "Distribution of each queue's 1000 points in the last hour"), grid, more);

  const load = async (name) => {
    const made = charts.get(name);
    const view = await read("/v1/queues/" + encodeURIComponent(name) + "/weights?minutes=60");
    const { rows, nodes } = weightRows(view.history, 60);
    made.chart.show(rows, stackOf(nodes));
  };
  const stop = follow((now) => {
    queues.show(now.queues);
    more.hidden = now.queues.length <= mostCharts;
    more.textContent = "Showing charts of the first " + mostCharts + " of " + now.queues.length + " queues; open a queue to see its own.";
    for (const queue of now.queues.slice(0, mostCharts)) {
      let made = charts.get(queue.name);
      if (!made) {
        const spot = element("div", { class: "chart small" });
        grid.append(element("section", { class: "card" },
          element("h3", {}, element("a", { href: "#/queues/" + encodeURIComponent(queue.name) }, queue.name)), spot));
        made = { chart: timeChart(spot, [], count), version: -1 };
        charts.set(queue.name, made);
      }
      if (made.version !== queue.weightsVersion) {
        made.version = queue.weightsVersion;
        load(queue.name).catch(() => { made.version = -1; });
      }
    }
  });
  const timer = setInterval(() => { if (!document.hidden) charts.forEach((made, name) => load(name).catch(() => {})); }, 30000);
  return () => { stop(); clearInterval(timer); charts.forEach((made) => made.chart.close()); };
}
