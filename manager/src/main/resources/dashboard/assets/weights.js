// Versions of a weight row as points of a chart, and the colours of nodes.

import { overview } from "./live.js";

/** Which colour a queue node has, the same on every page. */
export function nodeHue(name) {
  const names = (overview()?.queueNodes ?? []).map((node) => node.name).sort();
  return Math.max(0, names.indexOf(name));
}

/** Queue nodes as parts of a stack of points. */
export function stackOf(nodes) {
  return nodes.map((name) => ({ name, hue: nodeHue(name), stack: "weight", area: true, step: true }));
}

/** Rows [at, points of each node …] of the last minutes, and the nodes' names in order. */
export function weightRows(history, minutes) {
  const nodes = [...new Set(history.flatMap((change) => Object.keys(change.points)))].sort();
  const from = Date.now() - minutes * 60000;
  const values = (change) => nodes.map((node) => change.points[node] ?? 0);
  const rows = history.map((change) => [Math.max(from, Date.parse(change.at)), ...values(change)]);
  // The latest values hold until now.
  if (history.length) rows.push([Date.now(), ...values(history.at(-1))]);
  return { rows, nodes };
}
