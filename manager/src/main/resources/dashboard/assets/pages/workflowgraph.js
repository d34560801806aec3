// The graph of a workflow: its templates; of a small one also its steps; of a large one its layers,
// and single templates with what they wait for.

import { read } from "../api.js";
import { element } from "../dom.js";
import { count } from "../format.js";
import { drawGraph } from "../graph.js";
import { notStarted, showNotStarted } from "./timeline.js";
import { stepAddress, stepParts, workflowAddress } from "./workflows.js";

const mostTemplates = 300;
const mostEdges = 2000;
// Long lines are placed layer by layer.
const mostSpans = 6000;
const mostSteps = 200;
const neighbours = 40;
const matches = 60;
const kinds = { ALL: "all steps must succeed", ELEMENT: "element to element", ARGUMENT: "by argument", STEPS: "listed needs" };
const tones = { SUCCEEDED: "good", FAILED: "bad", CANCELLED: "warn", RELEASED: "run", WAITING: "" };
const colors = { SUCCEEDED: "var(--good)", FAILED: "var(--bad)", CANCELLED: "var(--warn)", RELEASED: "var(--accent)" };

export function graphView({ id, query }) {
  const level = query.get("level") === "steps" ? "steps" : "templates";
  const around = query.get("template");
  const layer = query.get("layer");
  const levels = element("span", { class: "tabs" });
  const zoom = element("span");
  const tools = element("div", { class: "filters" }, levels, element("span", { class: "spacer" }), zoom);
  const words = element("p", { class: "muted", hidden: true });
  const found = element("p", { class: "found", hidden: true });
  const field = element("input", { type: "search", "aria-label": "Find a template", placeholder: "part of its name", oninput: () => search() });
  const form = element("form", { class: "filters", role: "search", hidden: true, onsubmit: (event) => { event.preventDefault(); const first = found.querySelector("a"); if (first) location.hash = first.getAttribute("href"); } },
    element("label", {}, "Find a template ", field));
  const place = element("div");
  const card = element("section", { class: "card", "aria-label": "Graph", hidden: true }, form, found, words, tools, place, legend());
  const empty = notStarted();
  let picture = null;
  let graph = null;
  let refresh = null;
  let last = null;
  let closed = false;

  const neighbourhood = (name) => workflowAddress(id, "", { template: name });
  const content = (template) => ({
    words: progressWords(template), tone: template.progress.failed ? "bad" : !template.awaits && template.progress.succeeded === template.progress.steps ? "good" : template.running ? "run" : "",
    parts: stepParts(template.progress, template.running),
  });

  function search() {
    const part = field.value.trim().toLowerCase();
    const chosen = layer == null ? null : new Set(graph.templates.filter((node) => String(groupOf(graph)(node)) === layer).map((node) => node.template.name));
    const names = last.templates.map((template) => template.name).filter((name) => (part || chosen) && name.toLowerCase().includes(part) && (!chosen || chosen.has(name)));
    found.hidden = !part && !chosen;
    found.replaceChildren(...names.length ? names.slice(0, matches).flatMap((name) => [element("a", { href: neighbourhood(name) }, name), " "]) : ["No template has this in its name."],
      names.length > matches ? element("span", { class: "muted" }, "and " + count(names.length - matches) + " more") : "");
  }

  /** All templates. */
  async function templates() {
    picture = await drawGraph(graph.templates.map(({ template }) => ({ key: template.name, title: template.name, href: workflowAddress(id, "steps", { template: template.name }) })),
      graph.edges.map(edgeOf), "The templates of workflow " + id);
    refresh = ({ templates }) => templates.forEach((template) => picture.show(template.name, content(template)));
  }

  /** The layers of a large graph, each as one node. */
  async function layers() {
    const group = groupOf(graph);
    const groups = new Map();
    const of = new Map();
    for (const node of graph.templates) {
      const key = String(group(node));
      of.set(node.template.name, key);
      const one = groups.get(key) ?? { names: [], from: node.layer, to: node.layer };
      one.names.push(node.template.name);
      one.from = Math.min(one.from, node.layer);
      one.to = Math.max(one.to, node.layer);
      groups.set(key, one);
    }
    const between = new Map();
    for (const edge of graph.edges) {
      const [from, to] = [of.get(edge.from), of.get(edge.to)];
      const key = from + " " + to;
      if (from !== to) between.set(key, { from, to, number: (between.get(key)?.number ?? 0) + 1 });
    }
    const lines = [...between.values()].sort((one, other) => other.number - one.number).slice(0, mostEdges / 4);
    picture = await drawGraph([...groups].map(([key, one]) => ({ key, kind: "wide", title: "Layer" + (one.from === one.to ? " " + (one.from + 1) : "s " + (one.from + 1) + "–" + (one.to + 1)) + ": " + count(one.names.length) + (one.names.length === 1 ? " template" : " templates"), href: workflowAddress(id, "", { layer: key }) })),
      lines.map(({ from, to, number }) => ({ from, to, title: count(number) + " needs between templates" })), "The layers of workflow " + id);
    refresh = ({ templates }) => {
      const byName = new Map(templates.map((template) => [template.name, template]));
      for (const [key, one] of groups) picture.show(key, content(sum(one.names.map((name) => byName.get(name)).filter(Boolean))));
    };
  }

  /** A template with what it waits for and what waits for it. */
  async function single(name) {
    const before = graph.edges.filter((edge) => edge.to === name && edge.from !== name);
    const after = graph.edges.filter((edge) => edge.from === name && edge.to !== name);
    const edges = [...before.slice(0, neighbours), ...after.slice(0, neighbours)];
    const names = [...new Set([name, ...edges.flatMap((edge) => [edge.from, edge.to])])];
    const left = before.length + after.length - edges.length;
    words.replaceChildren(element("span", {}, "Template ", element("a", { href: workflowAddress(id, "steps", { template: name }) }, name), " waits for " + count(before.length) + " and is waited for by " + count(after.length) + " templates"
      + (left ? "; " + count(left) + " of them are not drawn" : "") + ". "), element("a", { href: workflowAddress(id) }, "The whole graph"));
    words.hidden = false;
    picture = await drawGraph(names.map((one) => ({ key: one, title: one, href: one === name ? workflowAddress(id, "steps", { template: one }) : neighbourhood(one) })), edges.map(edgeOf), "The neighbours of template " + name);
    refresh = ({ templates }) => { for (const template of templates) if (names.includes(template.name)) picture.show(template.name, content(template)); };
  }

  /** The steps of a small workflow. */
  async function stepGraph() {
    const { steps } = await read("/v1/workflows/" + id + "/needs");
    const nodes = steps.map(({ step }) => ({ key: "s" + step.step, kind: "slim", title: stepTitle(step), href: stepAddress(id, step.step) }));
    const edges = steps.flatMap(({ step, needs }) => needs.map((need) => ({ from: "s" + need, to: "s" + step.step, title: "needs" })));
    const joined = [...new Set(steps.flatMap((one) => one.all))];
    for (const name of joined) {
      nodes.push({ key: "t" + name, title: "all of " + name, kind: "small", href: workflowAddress(id, "steps", { template: name }) });
      for (const { step, all } of steps) {
        if (step.template === name) edges.push({ from: "s" + step.step, to: "t" + name, title: "all steps must succeed" });
        if (all.includes(name)) edges.push({ from: "t" + name, to: "s" + step.step, title: "all steps must succeed" });
      }
    }
    if (edges.length > mostEdges) {
      words.textContent = "Its steps have " + count(edges.length) + " needs, too many to draw. The list of steps has them all.";
      words.hidden = false;
      return;
    }
    picture = await drawGraph(nodes, edges, "The steps of workflow " + id);
    let shown = { steps };
    refresh = async (details, again) => {
      if (again) shown = await read("/v1/workflows/" + id + "/needs");
      for (const { step } of shown.steps) picture.show("s" + step.step, { words: step.state.toLowerCase(), tone: tones[step.state], parts: colors[step.state] ? [{ share: 1, color: colors[step.state], title: step.state.toLowerCase() }] : [] });
    };
  }

  async function draw(details) {
    // Read once: it does not change, but for the progress, which the page reads anyway.
    graph = await read("/v1/workflows/" + id + "/graph");
    if (closed) return;
    try {
      await drawAll(details);
    } catch (failure) {
      // The next time it is drawn anew.
      graph = null;
      throw failure;
    }
  }

  async function drawAll(details) {
    const layerOf = new Map(graph.templates.map((node) => [node.template.name, node.layer]));
    const spans = graph.edges.reduce((all, edge) => all + Math.abs(layerOf.get(edge.to) - layerOf.get(edge.from)), 0);
    const large = graph.templates.length > mostTemplates || graph.edges.length > mostEdges || spans > mostSpans;
    const few = details.workflow.progress.steps <= mostSteps;
    levels.replaceChildren(...!few ? [] : [["templates", "Templates"], ["steps", "Steps"]].map(([key, title]) =>
      element("a", { class: "view", href: workflowAddress(id, "", { level: key === "steps" ? key : "" }), "aria-current": key === level ? "true" : null }, title)));
    form.hidden = !large;
    if (large) search();
    if (level === "steps" && few) await stepGraph();
    else if (around && layerOf.has(around)) await single(around);
    else if (large) {
      words.replaceChildren("It has " + count(graph.templates.length) + " templates and " + (graph.complete ? "" : "more than ") + count(graph.edges.length) + " edges, too many to draw: each box is one or several layers, whose templates wait only for earlier layers."
        + (layer == null ? " A click on a layer lists its templates; search for a template to see its neighbours." : ""), ...(layer == null ? [] : [" ", element("a", { href: workflowAddress(id) }, "All layers")]));
      words.hidden = false;
      await layers();
    } else await templates();
    if (closed) picture?.close();
    else if (picture) {
      zoom.replaceChildren(picture.buttons);
      place.replaceChildren(picture.whole);
    }
  }

  return {
    whole: element("div", {}, card, empty),
    async show(details) {
      last = details;
      showNotStarted(empty, details.workflow);
      card.hidden = !details.workflow.startedAt;
      if (card.hidden) return;
      const again = graph != null;
      if (!again) await draw(details);
      if (!closed) await refresh?.(details, again);
    },
    close() {
      closed = true;
      picture?.close();
    },
  };
}

const edgeOf = ({ from, to, kind, steps }) => ({ from, to, dashed: kind !== "ALL", title: from + " → " + to + ": " + kinds[kind] + ", " + count(steps) + (kind === "STEPS" ? " needs" : steps === 1 ? " step" : " steps") });

/** Which box of a large graph a template belongs to: its layer, or several layers together. */
function groupOf({ templates }) {
  const highest = Math.max(...templates.map((node) => node.layer));
  const together = Math.ceil((highest + 1) / 60);
  return (node) => Math.floor(node.layer / together);
}

function sum(templates) {
  const progress = { steps: 0, waiting: 0, released: 0, succeeded: 0, failed: 0, cancelled: 0 };
  let running = 0;
  const awaits = templates.find((template) => template.awaits)?.awaits;
  for (const template of templates) {
    for (const name of Object.keys(progress)) progress[name] += template.progress[name];
    running += template.running;
  }
  return { progress, running, awaits };
}

function progressWords({ progress: of, running, awaits }) {
  if (awaits && of.steps === 0) return "after " + awaits.template;
  return [count(of.succeeded) + "/" + count(of.steps), running ? count(running) + " running" : "", of.failed ? count(of.failed) + " failed" : "",
    !running && !of.failed && of.released ? count(of.released) + " queued" : ""].filter(Boolean).join(" · ");
}

function stepTitle(step) {
  const values = Object.values(step.arguments ?? {});
  return step.name ?? step.template + (values.length ? "[" + values.join(",") + "]" : "");
}

function legend() {
  const parts = [["succeeded", "good"], ["running", "run"], ["failed", "bad"], ["cancelled", "warn"]];
  return element("p", { class: "legend" }, parts.map(([word, tone]) => element("span", { class: "key " + tone }, word)), element("span", {}, "– – some of its steps"), element("span", {}, "— all of its steps"));
}
