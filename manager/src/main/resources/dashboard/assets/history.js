// The recent history of queues, kept in the page and continued by the live stream.

import { read } from "./api.js";
import { flat } from "./spans.js";

const span = 15 * 60 * 1000;

/** The samples of the last quarter of an hour of a queue or node, by the path of its resource. */
export async function recent(path) {
  return (await read(path + "/history?minutes=15")).samples.map(flat);
}

/** A series of points that reaches back a quarter of an hour. */
export class Series {
  #rows = [];

  /** Loads the server's history of a queue; row converts a sample to numbers. */
  async load(queue, row) {
    const samples = await recent("/v1/queues/" + encodeURIComponent(queue));
    const before = samples.map((sample) => [Date.parse(sample.at), ...row(sample)]);
    // The first point of a stream may be an older one, from the last time that a page was open.
    const fresh = this.#rows[1]?.[0] ?? Infinity;
    this.#rows = [...before.filter((one) => one[0] < fresh), ...this.#rows].sort((one, other) => one[0] - other[0]);
  }

  /** Adds a live point. */
  add(at, values) {
    this.#rows.push([at, ...values]);
    while (this.#rows.length && this.#rows[0][0] < at - span) this.#rows.shift();
  }

  get rows() {
    return this.#rows;
  }
}

/** Samples of all queues by time: points are {at, of: {queue: sample}}. */
export class QueueHistory {
  points = [];
  names = [];
  #loaded = new Set();

  /** Adds the samples of an overview. */
  add(overview) {
    this.names = overview.queues.map((queue) => queue.name);
    const at = Date.parse(overview.at);
    this.points.push({ at, of: Object.fromEntries(overview.queues.map((queue) => [queue.name, queue])) });
    while (this.points[0].at < at - span) this.points.shift();
  }

  /** Loads the earlier samples once for each queue; returns whether there were any. */
  async load(names) {
    const fresh = names.filter((name) => !this.#loaded.has(name));
    fresh.forEach((name) => this.#loaded.add(name));
    const before = new Map();
    const samples = await Promise.all(fresh.map((name) => recent("/v1/queues/" + encodeURIComponent(name))));
    // The first point of a stream may be an older one, from the last time that a page was open.
    const first = this.points[1]?.at ?? Infinity;
    fresh.forEach((name, index) => {
      for (const sample of samples[index]) {
        const at = Date.parse(sample.at);
        if (at < first) before.set(at, { ...before.get(at), [name]: sample });
      }
    });
    if (!before.size) return false;
    const old = [...before].map(([at, of]) => ({ at, of }));
    this.points = [...old, ...this.points].sort((a, b) => a.at - b.at);
    return true;
  }
}
