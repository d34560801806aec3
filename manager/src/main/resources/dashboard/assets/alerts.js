// Problems that need attention, above every page but that of the problems: one line that opens the list of all, and a
// line each for the most urgent ones. Whether the list is open is remembered until the tab is closed.

import { bringUpToDate, element } from "./dom.js";
import { count } from "./format.js";
import { follow } from "./live.js";

// More would push the page down; the list has them all.
const mostUrgent = 2;
const memory = "millrace-problems-open";

const listed = () => location.hash.split("?")[0] === "#/problems";

/** Shows the alerts of the live overview in the place, except above the page that lists them all. */
export function showAlerts(place) {
  const head = element("summary");
  const all = element("ul");
  const urgent = element("div", { class: "urgent" });
  const whole = element("details", { open: sessionStorage.getItem(memory) === "true" }, head, all);
  whole.addEventListener("toggle", () => sessionStorage.setItem(memory, whole.open));
  place.append(whole, urgent);
  let shown = "";
  let none = true;
  const appear = () => { place.hidden = none || listed(); };
  addEventListener("hashchange", appear);
  follow((now) => {
    const alerts = (now.alerts ?? []).filter((alert) => !alert.silence);
    const key = JSON.stringify(alerts);
    if (key === shown) return;
    shown = key;
    none = alerts.length === 0;
    appear();
    const critical = alerts.filter(isCritical);
    place.classList.toggle("bad", critical.length > 0);
    head.replaceChildren(...summary(alerts, critical));
    bringUpToDate(all, [...alerts.map((alert) => element("li", {}, line(alert))),
      element("li", {}, element("a", { href: "#/problems" }, "All problems, silenced and ended ones too"))]);
    bringUpToDate(urgent, critical.slice(0, mostUrgent).map((alert) =>
      element("p", { class: "alert", title: alert.message }, line(alert))));
  });
}

const isCritical = (alert) => alert.severity === "CRITICAL";

const name = (alert) => alert.code.toLowerCase().replaceAll("_", " ");

const counted = (number, word) => count(number) + " " + word + (number === 1 ? "" : "s");

function line(alert) {
  const [tone, sign] = isCritical(alert) ? ["bad", "✕ "] : ["warn", "▲ "];
  return [element("a", { class: "state " + tone, href: "#/problems" }, sign + name(alert)), " ", alert.message];
}

/** "3 problems: 1 critical, 2 warnings · newest: dead letters (orders)"; without the newest if each has its line. */
function summary(alerts, critical) {
  const warnings = alerts.length - critical.length;
  const severities = [critical.length ? count(critical.length) + " critical" : "", warnings ? counted(warnings, "warning") : ""].filter(Boolean);
  const parts = [element("strong", {}, counted(alerts.length, "problem")), ": " + severities.join(", ")];
  if (warnings > 0 || critical.length > mostUrgent) {
    const newest = alerts.reduce((last, alert) => (alert.since ?? "") > (last.since ?? "") ? alert : last);
    parts.push(element("span", { class: "muted", title: newest.message }, " · " + (alerts.length > 1 ? "newest: " : "") + name(newest) + " (" + newest.subject + ")"));
  }
  return parts;
}
