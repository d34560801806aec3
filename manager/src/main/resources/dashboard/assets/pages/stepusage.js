// What the steps of a workflow asked for and used: which templates waste most, and single steps.

import { read } from "../api.js";
import { pointChart } from "../charts.js";
import { element, table } from "../dom.js";
import { bytes, count, seconds } from "../format.js";
import { stepAddress, workflowAddress } from "./workflows.js";

const every = 15_000;
const most = 50;

export function resourcesView({ id, query }) {
  const template = query.get("template");
  const templates = table([
    { title: "Template", cell: (t) => element("a", { href: workflowAddress(id, "resources", { template: t.name }) }, t.name) },
    { title: "Steps", number: true, cell: (t) => count(t.measured.steps) },
    { title: "Memory", number: true, cell: (t) => t.asked.memory ?? "–" },
    { title: "used: mean, most", number: true, cell: (t) => t.measured.memoryMax == null ? "–" : size(t.measured.memoryMean) + ", " + size(t.measured.memoryMax) },
    { title: "unused", number: true, cell: (t) => t.unusedMemoryHours ? bytes(t.unusedMemoryHours * 1024 ** 3) + " h" : "–" },
    { title: "Processors", number: true, cell: (t) => t.asked.cpu ?? "–" },
    { title: "unused", number: true, cell: (t) => t.unusedCpuHours ? hours(t.unusedCpuHours) + " h" : "–" },
    { title: "Time limit", number: true, cell: (t) => t.asked.timeout ?? "–" },
    { title: "ran: mean, longest", number: true, cell: (t) => t.measured.runMax == null ? "–" : t.measured.runMean + ", " + t.measured.runMax },
    { title: "Raised", cell: (t) => t.adjusted.steps ? count(t.adjusted.steps) + (t.adjusted.steps === 1 ? " step" : " steps") + (t.adjusted.memory ? " to " + t.adjusted.memory : "") : "" },
  ], (t) => t.name, "No step has succeeded yet.");
  const rest = element("p", { class: "muted", hidden: true });
  const plots = [
    plot("Memory: asked for and used", "asked for", "used", bytes, bytes, (p) => p.askedBytes == null ? null : [p.askedBytes, p.memoryBytes], true),
    plot("Time: limit and run time", "time limit", "run time", time, time, (p, t) => t.timeoutMillis == null ? null : [t.timeoutMillis, p.runMillis], true),
    plot("Run time and used memory", "run time", "used memory", time, bytes, (p) => [p.runMillis, p.memoryBytes], false),
  ];
  const words = element("p", { class: "muted" });
  const all = template ? element("a", { class: "aside", href: workflowAddress(id, "resources") }, "All templates") : null;
  const charts = element("div", { class: "columns" }, plots.map((one) => one.whole));
  let readAt = 0;
  let last = "";
  const open = ({ step }) => { location.hash = stepAddress(id, step); };

  function plot(title, xName, yName, xFormat, yFormat, values, diagonal) {
    const spot = element("div", { class: "chart tall", role: "img", "aria-label": title });
    const whole = element("section", { class: "card", hidden: true }, element("h2", {}, title), spot);
    let chart = null;
    return {
      whole,
      show(usage) {
        const series = usage.templates.map((one) => ({ name: one.template, points: one.points.flatMap((point) => {
          const value = values(point, one);
          return value ? [{ value, step: point.step }] : [];
        }) })).filter((one) => one.points.length);
        whole.hidden = series.length === 0;
        if (whole.hidden) return;
        chart ??= pointChart(spot, { xName, yName, xFormat, yFormat, diagonal, named: (point) => "step " + point.step, open });
        chart.show(series);
      },
      close: () => chart?.close(),
    };
  }

  return {
    whole: element("div", {},
      element("section", { class: "card" }, element("h2", {}, template ? "Template " + template + " " : "Most wasteful templates", all), templates.whole, rest),
      charts, words),
    async show({ workflow, templates: known }) {
      const key = workflow.state + workflow.endedAt;
      if (key === last && (workflow.endedAt || Date.now() - readAt < every)) return;
      const asked = template && known.some((one) => one.name === template) ? "?" + new URLSearchParams({ template }) : "";
      const [resources, usage] = await Promise.all([read("/v1/workflows/" + id + "/resources" + asked), read("/v1/workflows/" + id + "/usage" + asked)]);
      readAt = Date.now();
      last = key;
      const used = resources.templates.filter((one) => one.measured.steps > 0);
      templates.show(used.slice(0, most));
      rest.hidden = used.length <= most;
      rest.textContent = "and " + count(used.length - most) + " more templates, which waste less";
      plots.forEach((one) => one.show(usage));
      const points = usage.templates.reduce((sum, one) => sum + one.points.length, 0);
      const succeeded = usage.templates.reduce((sum, one) => sum + one.succeeded, 0);
      words.textContent = points ? "The charts show " + count(points) + " of " + count(succeeded) + " steps that succeeded"
        + (usage.moreTemplates ? ", of the " + usage.templates.length + " templates with most of them" : "") + ". A click on a point leads to its step." : "";
    },
    close() { plots.forEach((one) => one.close()); },
  };
}

const units = { "": 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };

/** An exact size, rounded for reading. */
function size(text) {
  const [, number, unit] = /^(\d+)([KMGT]B)?$/.exec(text) ?? [];
  return number ? bytes(Number(number) * units[unit ?? ""]) : text;
}

const time = (millis) => seconds(millis / 1000);
const hours = (value) => value.toLocaleString("en-US", { maximumSignificantDigits: 3 });
