// The recent history of queues, kept in the page and continued by the live stream.

import { read } from "./api.js";

const span = 15 * 60 * 1000;

/** A series of points that reaches back a quarter of an hour. */
export class Series {
  #rows = [];

  /** Loads what the server has of a queue; row makes numbers of a sample. */
  async load(queue, row) {
    const samples = await read("/v1/queues/" + encodeURIComponent(queue) + "/history?minutes=15");
    const before = samples.map((sample) => [Date.parse(sample.at), ...row(sample)]);
    const first = this.#rows[0]?.[0] ?? Infinity;
    this.#rows = [...before.filter((one) => one[0] < first), ...this.#rows];
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
