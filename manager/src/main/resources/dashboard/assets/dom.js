// Builds page elements. Text only ever gets in as text, never as markup.

/** An element: element("td", {class: "number"}, "12"). Functions become listeners by their on… name. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null).map(node));
  return made;
}

function node(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

const svgSpace = "http://www.w3.org/2000/svg";

/** A horizontal bar of parts [{share 0..1, color, title}]; SVG, because inline styles are refused. */
export function bar(parts, className) {
  const svg = document.createElementNS(svgSpace, "svg");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", className);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", parts.map((part) => part.title).join(", "));
  let from = 0;
  for (const part of parts) {
    const rect = document.createElementNS(svgSpace, "rect");
    const width = Math.max(0, Math.min(100 - from, part.share * 100));
    for (const [name, value] of Object.entries({ x: from, y: 0, width, height: 10, fill: part.color })) {
      rect.setAttribute(name, value);
    }
    const title = document.createElementNS(svgSpace, "title");
    title.textContent = part.title;
    rect.append(title);
    svg.append(rect);
    from += width;
  }
  return svg;
}

/** A share 0..1 as a small meter with its percentage. */
export function meter(share, color, label) {
  return element("span", {}, element("span", { class: "meter" }, bar([{ share, color, title: label }], "")), label);
}

const tones = {
  SUCCEEDED: "good", NORMAL: "good", ACTIVE: "good", live: "good",
  RUNNING: "run", PLACED: "run", BUSY: "warn", WAITING: "", IDLE: "",
  OPEN: "run", PARKED: "bad", COMPLETED: "good", DELIVERED: "run", ACKNOWLEDGED: "good", AVAILABLE: "good", ABSENT: "warn",
  RELEASED: "run", CHECKING: "run", BINDING: "", CANCELLING: "warn", REFUSED: "bad",
  HELD: "warn", QUEUED: "", STOPPED: "warn", SKIPPED: "warn", MISSED: "bad", paused: "warn", BLOCKED: "", FAILED: "bad", TOOBUSY: "bad", LOST: "bad", silent: "bad", lost: "bad", DRAINING: "warn", DRAINED: "warn", MAINTENANCE: "warn", CANCELLED: "warn",
};
const signs = { good: "✓", run: "▸", warn: "▲", bad: "✕", "": "○" };

/** A state by sign, word and colour. */
export function state(name, title) {
  const tone = tones[name] ?? "";
  return element("span", { class: "state " + tone, title }, signs[tone] + " " + name.toLowerCase());
}

/** A tile with one figure, which leads somewhere when href is given. */
export function tile(name) {
  const value = element("div", { class: "value" }, "–");
  const note = element("div", { class: "note" });
  const whole = element("div", { class: "tile" }, element("div", { class: "name" }, name), value, note);
  return {
    whole,
    show(text, words) {
      value.textContent = text;
      note.replaceChildren(words ?? "");
    },
  };
}

/**
 * Fills a dl with terms and values, without null and empty ones; unchanged entries are not touched.
 * mono names the terms in monospace.
 */
export function showFacts(list, facts, mono = []) {
  const wanted = Object.entries(facts).filter(([, value]) => value != null && value !== "")
    .flatMap(([term, value]) => [element("dt", {}, term), element("dd", { class: mono.includes(term) ? "mono" : null }, value)]);
  bringUpToDate(list, wanted);
}

/** Replaces the children that differ from the wanted ones and leaves the others, so that a selection survives. */
export function bringUpToDate(list, wanted) {
  wanted.forEach((part, index) => {
    const there = list.children[index];
    if (!there) list.append(part);
    else if (!there.isEqualNode(part)) there.replaceWith(part);
  });
  while (list.children.length > wanted.length) list.lastChild.remove();
}

/**
 * A table that is brought up to date in place, so that a selection or a focus survives. Columns are
 * {title, number, words: at most three lines of text, prose: all of it, cell: item => text or
 * element, order: item => what its heading sorts by}; key gives an item's identity. A heading sorts
 * up, down, and as the items came again.
 */
export function table(columns, key, emptyWords) {
  const body = element("tbody");
  let came = [];
  let sorted = { column: null, down: false };
  const headings = columns.map((column) => element("th", { class: column.number ? "number" : null, scope: "col" },
    column.order ? element("button", { type: "button", class: "sorts", title: "Sort by " + column.title, onclick: () => sort(column) }, column.title) : column.title));
  const whole = element("table", {}, element("thead", {}, element("tr", {}, headings)), body);
  function sort(column) {
    sorted = sorted.column !== column ? { column, down: false } : sorted.down ? { column: null, down: false } : { column, down: true };
    headings.forEach((heading, at) => {
      if (columns[at] !== sorted.column) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    });
    shown.show(came);
  }
  const inOrder = (items) => sorted.column ? [...items].sort((one, other) => (sorted.down ? -1 : 1) * compared(sorted.column.order(one), sorted.column.order(other))) : items;
  const empty = element("p", { class: "empty", hidden: true }, emptyWords);
  const rows = new Map();
  const shown = {
    whole: element("div", {}, whole, empty),
    show(given) {
      came = given;
      const items = inOrder(given);
      empty.hidden = items.length > 0;
      whole.hidden = items.length === 0;
      const seen = new Set();
      items.forEach((item, index) => {
        const id = String(key(item));
        seen.add(id);
        let row = rows.get(id);
        if (!row) {
          row = element("tr", {}, columns.map((column) =>
            element("td", { class: ["number", "words", "prose"].filter((kind) => column[kind]).join(" ") || null, "data-title": typeof column.title === "string" ? column.title : "" })));
          rows.set(id, row);
        }
        columns.forEach((column, at) => fill(row.children[at], column.cell(item)));
        if (body.children[index] !== row) body.insertBefore(row, body.children[index] ?? null);
      });
      for (const [id, row] of rows) {
        if (!seen.has(id)) {
          row.remove();
          rows.delete(id);
        }
      }
    },
  };
  return shown;
}

/** Numbers by size, texts by letters; what is missing comes last. */
function compared(one, other) {
  if (one == null || other == null) return (one == null) - (other == null);
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), undefined, { numeric: true });
}

function fill(cell, content) {
  const made = element("span", {}, content);
  // Details that are open stay open.
  if (cell.querySelector("details")?.open) made.querySelector("details")?.setAttribute("open", "");
  if (cell.firstChild?.isEqualNode(made)) return;
  cell.replaceChildren(made);
}
