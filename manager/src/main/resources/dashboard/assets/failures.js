// Failures by cause: how they ended, their last line of error output, and a sample of each.

import { element, table } from "./dom.js";
import { clock, count } from "./format.js";

/**
 * A card with the groups that the server found. show(groups) brings it up to date; link(item, group)
 * makes what a failure's name leads to, and line(text) what its last line does; without failures the
 * card is hidden.
 */
export function failuresCard(link, line = (text) => text) {
  const words = element("p", { class: "muted", hidden: true });
  const groups = table([
    { title: "Failures", number: true, cell: (g) => count(g.count) },
    { title: "Cause", cell: (g) => g.cause },
    { title: "Last line", prose: true, cell: (g) => element("span", { class: "mono" }, line(g.line)) },
    { title: "Newest", prose: true, cell: (g) => element("span", {}, g.items.slice(0, 5).flatMap((item, at) => [at ? ", " : "", link(item, g)]), g.count > 5 ? ", …" : "") },
    { title: "Sample", cell: (g) => g.sample.text ? element("details", {}, element("summary", {}, g.sample.item + (g.sample.node ? " on " + g.sample.node : "") + ", " + clock(g.sample.at)), element("pre", { class: "log" }, g.sample.text)) : "" },
  ], (g) => g.cause + "\n" + g.line, "");
  const whole = element("section", { class: "card", hidden: true }, element("h2", {}, "Failures by cause"), words, groups.whole);
  return {
    whole,
    show(found) {
      whole.hidden = found.groups.length === 0;
      groups.show(found.groups);
      words.textContent = [
        found.more ? "Only the newest " + count(found.failures) + " are examined." : "",
        found.ungrouped ? count(found.ungrouped) + " have rarer causes, which are not shown." : "",
      ].filter(Boolean).join(" ");
      words.hidden = !words.textContent;
    },
  };
}
