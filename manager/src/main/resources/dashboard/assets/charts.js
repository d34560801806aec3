// Time charts. Tooltips are drawn on the canvas, because inline styles in markup are refused.

/* global echarts */

import { bytes, count } from "./format.js";

const palettes = {
  light: ["#1d6fb8", "#c2620c", "#2a8a57", "#8a4fb5", "#b8860b", "#c23b6b", "#4d7a80", "#6b6f2a"],
  dark: ["#5aa9f0", "#f09a4a", "#58c48c", "#bf8ae6", "#e0bb4f", "#f0779f", "#7fc0c8", "#b7bb62"],
};
const open = new Set();

function theme() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** The colour of the n-th series. */
export function color(index) {
  const palette = palettes[theme()];
  return palette[index % palette.length];
}

/**
 * A chart over time. Series are {name, stack, area, step, hue: which colour, kind: "line" unless it
 * is "bar" or "scatter", axis: 1 for the one at the right, plain: without a colour of its own}; show(rows) takes rows [milliseconds,
 * value, …] with one value per series; a row without values is a gap. Its range {from, to} is what
 * the axis of times shows, otherwise that of the rows. The axis ends at most, if that is given.
 * explain gives, for the time of a row, lines of text for its tooltip.
 */
export function timeChart(place, series, format, most, explain) {
  const chart = echarts.init(place, null, { renderer: "canvas" });
  let rows = [];
  let names = series;
  let span = null;
  const draw = () => chart.setOption(options(names, rows, format, most, explain, span), { notMerge: true, lazyUpdate: true });
  const resize = new ResizeObserver(() => chart.resize());
  resize.observe(place);
  const made = {
    draw,
    show(next, nextSeries, range) {
      rows = next;
      names = nextSeries ?? names;
      span = range ?? null;
      draw();
    },
    close() {
      open.delete(made);
      resize.disconnect();
      chart.dispose();
    },
  };
  open.add(made);
  draw();
  return made;
}

/**
 * A chart of points. show(series) takes {name, points: [{value: [x, y], …}]}; a tooltip says what
 * named gives for a point, and a click on one opens it. A diagonal shows where x and y are equal.
 */
export function pointChart(place, { xName, yName, xFormat, yFormat, diagonal, named, open: opened }) {
  const chart = echarts.init(place, null, { renderer: "canvas" });
  let series = [];
  const draw = () => chart.setOption(pointOptions(series, xName, yName, xFormat, yFormat, diagonal, named), { notMerge: true, lazyUpdate: true });
  const resize = new ResizeObserver(() => chart.resize());
  resize.observe(place);
  chart.on("click", ({ data }) => opened(data));
  const made = {
    draw,
    show(next) {
      series = next;
      draw();
    },
    close() {
      open.delete(made);
      resize.disconnect();
      chart.dispose();
    },
  };
  open.add(made);
  return made;
}

function pointOptions(series, xName, yName, xFormat, yFormat, diagonal, named) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--muted").trim();
  const line = style.getPropertyValue("--line").trim();
  const axis = (name, format, gap) => ({
    type: "value", min: 0, name, nameLocation: "middle", nameGap: gap, nameTextStyle: { color: ink, fontSize: 11 },
    axisLabel: { color: ink, fontSize: 11, hideOverlap: true, formatter: (value) => format(value) }, splitLine: { lineStyle: { color: line } },
  });
  const all = series.flatMap((one) => one.points.map((point) => point.value));
  const end = diagonal && all.length ? Math.min(Math.max(...all.map(([x]) => x)), Math.max(...all.map(([, y]) => y))) : 0;
  return {
    animation: false,
    color: series.map((one, index) => color(index)),
    textStyle: { fontFamily: "system-ui, sans-serif" },
    grid: { left: 26, right: 28, top: 34, bottom: 22, containLabel: true },
    legend: { top: 0, left: 0, itemWidth: 12, itemHeight: 8, icon: "roundRect", type: "scroll", textStyle: { color: ink, fontSize: 12, lineHeight: 16, padding: [2, 0] }, data: series.map((one) => one.name) },
    tooltip: {
      trigger: "item", renderMode: "richText", confine: true, backgroundColor: style.getPropertyValue("--surface").trim(), borderColor: line,
      textStyle: { color: style.getPropertyValue("--ink").trim(), fontSize: 12 },
      formatter: ({ seriesName, data }) => [seriesName + ", " + named(data), xName + " " + xFormat(data.value[0]), yName + " " + yFormat(data.value[1])].join("\n"),
    },
    xAxis: axis(xName, xFormat, 26),
    yAxis: { ...axis(yName, yFormat, 52) },
    series: [
      ...series.map((one) => ({ name: one.name, type: "scatter", symbolSize: 7, itemStyle: { opacity: 0.7 }, data: one.points })),
      ...(end > 0 ? [{ type: "line", data: [[0, 0], [end, end]], symbol: "none", silent: true, tooltip: { show: false }, lineStyle: { color: ink, width: 1, type: "dashed" } }] : []),
    ],
  };
}

/** Draws every chart again, in the colours of the theme in force. */
export function repaint() {
  for (const chart of open) chart.draw();
}

function options(series, rows, format, most, explain, span) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--muted").trim();
  const line = style.getPropertyValue("--line").trim();
  const surface = style.getPropertyValue("--surface").trim();
  const axis = (right) => ({
    type: "value", min: 0, max: most ?? null, minInterval: format === count || format === bytes ? 1 : 0, axisLabel: { color: ink, fontSize: 11, formatter: (value) => format(value) },
    splitLine: { show: !right, lineStyle: { color: line } },
  });
  const sides = series.some((one) => one.axis) ? [axis(false), axis(true)] : [axis(false)];
  return {
    animation: false,
    color: series.length ? series.map((one, index) => one.plain ? ink : color(one.hue ?? index)) : palettes[theme()],
    title: { show: rows.length === 0, text: "no data yet", left: "center", top: "middle", textStyle: { color: ink, fontSize: 12, fontWeight: "normal" } },
    textStyle: { fontFamily: "system-ui, sans-serif" },
    // Room for half of a time at each end of the axis, of which the labels of the other axes are a part.
    grid: { left: 12, right: sides.length > 1 ? 12 : 28, top: 34, bottom: 4, containLabel: true },
    legend: { top: 0, left: 0, itemWidth: 12, itemHeight: 8, icon: "roundRect", type: "scroll",
      // A legend that scrolls is cut at the height of its texts, which without this is that of the signs.
      textStyle: { color: ink, fontSize: 12, lineHeight: 16, padding: [2, 0] } },
    tooltip: {
      trigger: "axis", renderMode: "richText", confine: true, backgroundColor: surface, borderColor: line,
      textStyle: { color: style.getPropertyValue("--ink").trim(), fontSize: 12 },
      valueFormatter: (value) => format(value),
      ...(explain && { formatter: (parts) => tooltip(parts, format, explain) }),
    },
    xAxis: {
      type: "time", min: span?.from ?? null, max: span?.to ?? null, axisLine: { lineStyle: { color: line } }, axisLabel: { color: ink, hideOverlap: true, fontSize: 11 },
      splitLine: { show: false },
    },
    yAxis: sides,
    series: series.map((one, index) => ({
      name: one.name, type: one.kind ?? "line", yAxisIndex: one.axis ?? 0, ...shape(one), ...points(one, rows, index + 1),
    })),
  };
}

/** What a series draws. A line cannot be drawn through a value without neighbours, which becomes a point. */
function points({ kind }, rows, at) {
  const there = (row) => row?.[at] != null;
  const alone = (row, index) => (kind ?? "line") === "line" && there(row) && !there(rows[index - 1]) && !there(rows[index + 1]);
  const dot = { symbol: "circle", symbolSize: 6 };
  const data = rows.map((row, index) => {
    const value = [row[0], row[at] ?? null];
    return alone(row, index) ? { value, ...dot } : value;
  });
  return data.some((one) => one.value) ? { data, showSymbol: true, symbol: "none", sampling: null } : { data };
}

function shape(series) {
  if (series.kind === "bar") return { barMaxWidth: 14, barMinWidth: 2, itemStyle: { opacity: 0.75 }, z: 1 };
  if (series.kind === "scatter") return { symbol: "diamond", symbolSize: 11, z: 5 };
  return {
    // Sampled stacks lose most of their areas.
    showSymbol: false, sampling: series.stack ? null : "lttb",
    step: series.step ? "end" : false, stack: series.stack ?? null,
    lineStyle: { width: series.stack ? 0 : 1.8 }, areaStyle: series.area ? { opacity: series.stack ? 0.75 : 0.14 } : null,
  };
}

function tooltip(parts, format, explain) {
  const shown = parts.filter((part) => part.seriesType !== "scatter" && part.value[1] != null);
  const at = parts[0].value[0];
  // A brace would begin a style of the canvas.
  const words = explain(at).flatMap((words) => wrapped(words.replaceAll("{", "(").replaceAll("}", ")")));
  return [new Date(at).toLocaleString([], { hour12: false }), ...shown.map((part) => part.marker + " " + part.seriesName + "  " + format(part.value[1])), ...words].join("\n");
}

/** Lines of a width that fits a narrow window. */
function wrapped(words) {
  const most = Math.min(90, Math.max(36, Math.floor(innerWidth / 9)));
  const lines = [""];
  for (const word of words.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push("");
    lines.push((lines.pop() + " " + word).trim());
  }
  return lines;
}
