// A graph as a picture: boxes that are links, and lines between them. Layers are placed by dagre,
// which is loaded with the first graph; moved and enlarged by mouse, keys or buttons.

import { element } from "./dom.js";

const svgSpace = "http://www.w3.org/2000/svg";
const box = { width: 190, height: 62 };
const wide = { width: 260, height: 62 };
const slim = { width: 160, height: 36 };
const point = { width: 118, height: 26 };
const margin = 16;
const smallest = 0.05;
// What is drawn smaller cannot be read.
const readable = 0.6;
const largest = 3;
let loaded = null;
let failures = 0;

/** dagre, a script that names itself globally. */
function layouts() {
  // A failed load is tried again with the next picture, under another address: browsers keep what failed.
  loaded ??= import("./dagre.min.js" + (failures ? "?again=" + failures : "")).then(() => globalThis.dagre, (failure) => {
    loaded = null;
    failures++;
    throw failure;
  });
  return loaded;
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Draws nodes {key, title, href, kind: "slim" without a line of text, "wide", "small" if it only joins lines} and edges {from, to, title,
 * dashed}. Returns a promise of {whole, buttons, show(key, {words, parts: [{share, color, title}], tone}),
 * close()}; show brings what a node says up to date.
 */
export async function drawGraph(nodes, edges, label) {
  const dagre = await layouts();
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 56, marginx: margin, marginy: margin, ranker: nodes.length > 100 ? "longest-path" : "network-simplex" });
  for (const node of nodes) graph.setNode(node.key, { ...sizeOf(node.kind) });
  for (const edge of edges) if (edge.from !== edge.to) graph.setEdge(edge.from, edge.to, {});
  dagre.layout(graph);
  const { width, height } = graph.graph();

  const lines = svg("g", { class: "edges" });
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    const line = svg("path", { d: curve(pointsOf(graph, edge)), class: edge.dashed ? "dashed" : null });
    const title = svg("title");
    title.textContent = edge.title;
    line.append(title);
    lines.append(line);
  }
  const drawn = new Map();
  const boxes = svg("g", { class: "nodes" });
  for (const node of nodes) {
    const made = nodeOf(node, graph.node(node.key));
    drawn.set(node.key, made);
    boxes.append(made.whole);
  }
  const picture = svg("svg", { class: "graph", tabindex: "0", role: "group", "aria-label": label + ". Arrow keys move it, plus and minus enlarge and reduce it, 0 shows all." }, lines, boxes);
  const view = viewOf(picture, width, height);
  return {
    whole: picture,
    buttons: view.buttons,
    show(key, content) { drawn.get(key)?.show(content); },
    close: view.close,
  };
}

/** The points of an edge; one that leads on leaves and enters at the middle of a side. */
function pointsOf(graph, { from, to }) {
  const { points } = graph.edge(from, to);
  const [begin, end] = [graph.node(from), graph.node(to)];
  if (begin.x >= end.x) return points;
  // Between neighbouring layers its bend is then in the middle, away from the boxes.
  return [{ x: begin.x + begin.width / 2, y: begin.y }, ...(points.length > 3 ? points.slice(1, -1) : []), { x: end.x - end.width / 2, y: end.y }];
}

/** A box with a name, a bar and a line of text. */
function nodeOf({ key, title, href, kind }, at) {
  const small = kind === "small";
  const size = sizeOf(kind);
  const frame = svg("rect", { class: "frame", width: size.width, height: size.height, rx: small ? 13 : 8 });
  const name = svg("text", { class: "name", x: small ? size.width / 2 : 11, y: small ? 17 : kind === "slim" ? 18 : 21, "text-anchor": small ? "middle" : null });
  name.textContent = shortened(title, small ? 17 : kind === "slim" ? 20 : kind === "wide" ? 34 : 25);
  const tip = svg("title");
  tip.textContent = title;
  const bar = svg("g", { transform: kind === "slim" ? "translate(11 25)" : "translate(11 30)" });
  const words = svg("text", { class: "words", x: 11, y: 53 });
  const inside = small ? [frame, name, tip] : kind === "slim" ? [frame, name, bar, tip] : [frame, name, bar, words, tip];
  const link = href == null ? svg("g", {}, ...inside) : svg("a", { href, "aria-label": title }, ...inside);
  const whole = svg("g", { class: "node" + (small ? " small" : ""), transform: "translate(" + (at.x - size.width / 2) + " " + (at.y - size.height / 2) + ")" }, link);
  whole.dataset.key = key;
  let shown = "";
  return {
    whole,
    show(content) {
      const text = JSON.stringify(content);
      if (text === shown) return;
      shown = text;
      words.textContent = content.words;
      whole.dataset.tone = content.tone ?? "";
      tip.textContent = [title, content.words, ...content.parts.map((part) => part.title)].join("\n");
      if (href != null) link.setAttribute("aria-label", title + ", " + content.words);
      const length = size.width - 22;
      let from = 0;
      bar.replaceChildren(svg("rect", { class: "ground", width: length, height: 7 }), ...content.parts.map((part) => {
        const rect = svg("rect", { x: from, width: Math.max(0, Math.min(length - from, part.share * length)), height: 7, fill: part.color });
        from += part.share * length;
        return rect;
      }));
    },
  };
}

const sizeOf = (kind) => kind === "small" ? point : kind === "slim" ? slim : kind === "wide" ? wide : box;
const shortened = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

/** A smooth line through points. */
function curve(points) {
  const [first, ...others] = points;
  let d = "M" + first.x + " " + first.y;
  let last = first;
  for (const next of others) {
    const middle = (last.x + next.x) / 2;
    d += " C" + middle + " " + last.y + " " + middle + " " + next.y + " " + next.x + " " + next.y;
    last = next;
  }
  return d;
}

/** Which part of the picture is visible. */
function viewOf(picture, width, height) {
  let scale = 1;
  let left = 0;
  let top = 0;
  let free = false;
  const place = () => ({ width: picture.clientWidth || 800, height: picture.clientHeight || 400 });
  const draw = () => {
    const room = place();
    picture.setAttribute("viewBox", [left, top, room.width / scale, room.height / scale].join(" "));
  };
  const fit = (least = 0) => {
    free = false;
    // As high as it needs at its whole width, within bounds; without an inline style, which is refused.
    const wanted = Math.max(least, Math.min(1, (picture.clientWidth || 800) / width)) * height;
    picture.setAttribute("height", Math.round(Math.min(620, Math.max(110, wanted))));
    const room = place();
    scale = Math.max(least, Math.min(1, room.width / width, room.height / height));
    // What does not fit begins at its first layers.
    left = Math.min(0, (width - room.width / scale) / 2);
    top = (height - room.height / scale) / 2;
    draw();
  };
  const zoom = (factor, x = 0.5, y = 0.5) => {
    free = true;
    const room = place();
    const next = Math.max(smallest, Math.min(largest, scale * factor));
    left += room.width * x * (1 / scale - 1 / next);
    top += room.height * y * (1 / scale - 1 / next);
    scale = next;
    draw();
  };
  const move = (x, y) => {
    free = true;
    left += x / scale;
    top += y / scale;
    draw();
  };
  let held = null;
  picture.addEventListener("pointerdown", (event) => { if (event.button === 0) held = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId }; });
  picture.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = [held.x - event.clientX, held.y - event.clientY];
    // A click with an unsteady hand is a click.
    if (!held.moved && Math.hypot(x, y) < 4) return;
    if (!held.moved) picture.setPointerCapture(held.id);
    held = { ...held, x: event.clientX, y: event.clientY, moved: true };
    move(x, y);
  });
  const release = () => { setTimeout(() => { held = null; }); };
  picture.addEventListener("pointerup", release);
  picture.addEventListener("pointercancel", release);
  picture.addEventListener("click", (event) => { if (held?.moved) event.preventDefault(); }, true);
  picture.addEventListener("dragstart", (event) => event.preventDefault());
  // The page scrolls with the wheel alone.
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = picture.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, (event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height);
  }, { passive: false });
  const keys = { "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => fit(), ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60) };
  picture.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  // A node that gets the focus by the keyboard is moved into view.
  picture.addEventListener("focusin", (event) => {
    if (!event.target.matches?.("a:focus-visible")) return;
    const at = event.target.getBoundingClientRect();
    const room = picture.getBoundingClientRect();
    if (at.left < room.left || at.right > room.right) move((at.left + at.right - room.left - room.right) / 2, 0);
    if (at.top < room.top || at.bottom > room.bottom) move(0, (at.top + at.bottom - room.top - room.bottom) / 2);
  });
  const resize = new ResizeObserver(() => free ? draw() : fit(readable));
  resize.observe(picture);
  const button = (words, title, onclick) => element("button", { type: "button", title, "aria-label": title, onclick }, words);
  return {
    buttons: element("span", { class: "buttons" }, button("+", "Enlarge", () => zoom(1.25)), button("−", "Reduce", () => zoom(0.8)), button("Fit", "Show all", () => { fit(); free = true; })),
    close: () => resize.disconnect(),
  };
}
