// Problems that need attention, shown above every page.

import { follow } from "./live.js";
import { element } from "./dom.js";
import { count } from "./format.js";

// The rest is on the page of problems.
const most = 3;

const tone = (alert) => alert.severity === "CRITICAL" ? "bad" : "warn";

/** Shows the alerts of the live overview in the place. */
export function showAlerts(place) {
  let shown = "";
  follow((now) => {
    const alerts = (now.alerts ?? []).filter((alert) => !alert.silence);
    const key = JSON.stringify(alerts);
    if (key === shown) return;
    shown = key;
    place.hidden = alerts.length === 0;
    const rest = alerts.length - most;
    place.replaceChildren(...alerts.slice(0, most).map((alert) =>
      element("p", { class: "alert " + tone(alert) },
        element("a", { class: "state " + tone(alert), href: "#/problems" }, (tone(alert) === "warn" ? "▲ " : "✕ ") + alert.code.toLowerCase().replaceAll("_", " ")), " ", alert.message)),
      ...(rest > 0 ? [element("p", {}, element("a", { href: "#/problems" }, count(rest) + (rest === 1 ? " more problem" : " more problems")))] : []));
  });
}
