// Problems that need attention, shown above every other page than that of the problems.

import { follow } from "./live.js";
import { element } from "./dom.js";
import { count } from "./format.js";

// The rest is on the page of problems.
const most = 3;

const tone = (alert) => alert.severity === "CRITICAL" ? "bad" : "warn";

const listed = () => location.hash.split("?")[0] === "#/problems";

/** Shows the alerts of the live overview in the place, except above the page that lists them all. */
export function showAlerts(place) {
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
    const rest = alerts.length - most;
    place.replaceChildren(...alerts.slice(0, most).map((alert) =>
      element("p", { class: "alert " + tone(alert) },
        element("a", { class: "state " + tone(alert), href: "#/problems" }, (tone(alert) === "warn" ? "▲ " : "✕ ") + alert.code.toLowerCase().replaceAll("_", " ")), " ", alert.message)),
      ...(rest > 0 ? [element("p", {}, element("a", { href: "#/problems" }, count(rest) + (rest === 1 ? " more problem" : " more problems")))] : []));
  });
}
