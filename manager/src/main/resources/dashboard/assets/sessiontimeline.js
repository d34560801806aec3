// The life of one session as a picture: who had it when, when its events came, and what else happened.

import { element } from "./dom.js";
import { color } from "./charts.js";
import { clock, count } from "./format.js";

const svgSpace = "http://www.w3.org/2000/svg";
const rows = { assignments: 8, moments: 46, events: 78 };
const height = 128;
const left = 96;
const right = 16;
const states = [["WAITING", "var(--idle)", "waiting"], ["DELIVERED", "var(--accent)", "delivered"], ["ACKNOWLEDGED", "var(--good)", "acknowledged"]];

/** Drawn anew for each width, so that its texts keep their size; what it says is also in tables below it. */
export function sessionTimeline() {
  const picture = svg("svg", { class: "sessionline", height, role: "img" });
  const legend = element("p", { class: "legend" },
    states.map(([, fill, word]) => element("span", {}, swatch(fill), word)),
    element("span", {}, "bars: one colour for each worker"), element("span", {}, "diamonds: snapshots and other moments"));
  const whole = element("div", {}, picture, legend);
  let last = null;
  const draw = () => { if (last) drawn(picture, ...last); };
  const resize = new ResizeObserver(draw);
  resize.observe(whole);
  return {
    whole,
    show(session, events, moments) {
      last = [session, events, moments];
      draw();
    },
    close() { resize.disconnect(); },
  };
}

function swatch(fill) {
  return svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { width: 10, height: 10, fill }));
}

function drawn(picture, session, events, moments) {
  const width = Math.max(240, picture.parentNode.clientWidth);
  const spans = assignments(session, moments);
  const times = [session.openedAt, session.lastEventAt, ...events.map((one) => one.storedAt), ...moments.map((one) => one.at)].filter(Boolean).map(Date.parse);
  if (session.state !== "COMPLETED") times.push(Date.now());
  const begin = Math.min(...times);
  const end = Math.max(...times, begin + 1000);
  const x = (at) => left + (width - left - right) * (at - begin) / (end - begin);
  const workers = [...new Set(spans.map((span) => span.worker))];
  picture.setAttribute("width", width);
  picture.setAttribute("viewBox", "0 0 " + width + " " + height);
  picture.setAttribute("aria-label", words(session, events, spans));
  picture.replaceChildren(
    label("workers", rows.assignments + 18), label("moments", rows.moments + 15), label("events", rows.events + 15),
    ...axis(begin, end, x, width),
    ...spans.flatMap((span) => {
      const from = x(span.from);
      const wide = Math.max(2, x(span.to ?? end) - from);
      const name = span.worker === session.worker && session.workerName ? session.workerName : String(span.worker ?? "").slice(0, 8);
      const bar = titled(svg("rect", { x: from, y: rows.assignments, width: wide, height: 26, rx: 3, fill: color(workers.indexOf(span.worker)) }),
        "worker " + span.worker + ", number " + span.number + ": " + clock(iso(span.from)) + " to " + (span.to ? clock(iso(span.to)) : "now"));
      return wide > 8 * name.length + 10 ? [bar, svg("text", { x: from + 6, y: rows.assignments + 17, class: "on" }, name)] : [bar];
    }),
    ...moments.filter((one) => one.what !== "ASSIGNED").map((one) => {
      const at = x(Date.parse(one.at));
      return titled(svg("path", { d: "M" + at + " " + rows.moments + "l7 10l-7 10l-7 -10z", fill: one.what === "SNAPSHOT" ? "var(--good)" : "var(--warn)" }),
        [one.what.toLowerCase(), one.reason, clock(one.at)].filter(Boolean).join(", "));
    }),
    ...events.map((one) => titled(svg("rect", { x: x(Date.parse(one.storedAt)) - 1, y: rows.events, width: 2, height: 22, fill: states.find(([name]) => name === one.state)?.[1] ?? "var(--idle)" }),
      "event " + one.n + ", " + one.state.toLowerCase() + ", stored " + clock(one.storedAt))));
}

/** From each assignment to what ended it: the next moment that is not a snapshot. */
function assignments(session, moments) {
  const inOrder = moments.map((one) => ({ ...one, time: Date.parse(one.at) }));
  return inOrder.flatMap((one, at) => {
    if (one.what !== "ASSIGNED") return [];
    const ended = inOrder.slice(at + 1).find((later) => later.what !== "SNAPSHOT");
    const stays = !ended && session.worker === one.worker;
    return [{ from: one.time, to: stays ? null : ended?.time ?? one.time, worker: one.worker, number: one.number }];
  });
}

/** A line with some times, as many as there is room for. */
function axis(begin, end, x, width) {
  const y = height - 22;
  const parts = Math.max(1, Math.min(6, Math.floor((width - left - right) / 150)));
  const times = Array.from({ length: parts + 1 }, (_, at) => begin + (end - begin) * at / parts);
  return [svg("path", { d: "M" + left + " " + y + "H" + (width - right), class: "axis" }),
    ...times.flatMap((time, at) => [
      svg("path", { d: "M" + x(time) + " " + y + "v5", class: "axis" }),
      svg("text", { x: x(time), y: y + 18, class: at === 0 ? "start" : at === parts ? "end" : "middle" }, clock(iso(time))),
    ])];
}

function words(session, events, spans) {
  const amounts = states.map(([name, , word]) => [events.filter((one) => one.state === name).length, word]).filter(([amount]) => amount > 0);
  return "Timeline of the session from " + clock(session.openedAt) + ": " + count(spans.length) + (spans.length === 1 ? " assignment" : " assignments")
    + amounts.map(([amount, word]) => ", " + count(amount) + (amount === 1 ? " event " : " events ") + word).join("") + ". The tables below have the same.";
}

const iso = (time) => new Date(time).toISOString();
const label = (text, y) => svg("text", { x: 0, y, class: "start" }, text);

function titled(shape, text) {
  shape.append(svg("title", {}, text));
  return shape;
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
