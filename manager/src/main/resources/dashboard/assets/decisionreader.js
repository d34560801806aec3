// Reads the recorded decisions of a queue over a span of time, the newest ones first.

import { read } from "./api.js";

/**
 * A reader of the path of a queue. read({from, to}), in milliseconds, answers {found: decisions,
 * newest first, whole: whether these are all of the span}. A span that only moves on is read from
 * where the last one ended. At most that many pages are read and kept.
 */
export function decisionReader(path, { page = 1000, pages = 5 } = {}) {
  let last = null;

  async function since(from, to, known) {
    const came = [];
    for (let turn = 0; turn < pages; turn++) {
      const wanted = new URLSearchParams({ limit: page, from: new Date(from).toISOString(), to: new Date(to).toISOString() });
      if (came.length) wanted.set("before", came.at(-1).number);
      const next = await read(path + "/decisions?" + wanted);
      came.push(...next.filter((one) => !(one.number <= known)));
      if (next.length < page || next.at(-1).number <= known) return { came, reached: true };
    }
    return { came, reached: false };
  }

  return {
    async read({ from, to }) {
      const before = last && from >= last.from && to >= last.to && last.found.length ? last : null;
      const { came, reached } = before
        ? await since(Math.max(from, Date.parse(before.found[0].at)), to, before.found[0].number)
        : await since(from, to);
      const all = before && reached ? [...came, ...before.found] : came;
      const inside = all.filter((one) => Date.parse(one.at) >= from);
      const found = inside.slice(0, page * pages);
      // A span that has moved on past some that are known has left behind those that were not read.
      const whole = reached && found.length === inside.length && (!before || before.whole || inside.length < all.length);
      last = { from, to, found, whole };
      return { found, whole };
    },
  };
}
