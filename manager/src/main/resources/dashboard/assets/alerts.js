// Problems that need attention, shown above every page.

import { follow } from "./live.js";
import { element } from "./dom.js";

// A pause by an operator is not a failure.
const tone = (alert) => alert.code === "QUEUE_PAUSED" ? "warn" : "bad";

/** Shows the alerts of the live overview in the place. */
export function showAlerts(place) {
  let shown = "";
  follow((now) => {
    const alerts = now.alerts ?? [];
    const key = JSON.stringify(alerts);
    if (key === shown) return;
    shown = key;
    place.hidden = alerts.length === 0;
    place.replaceChildren(...alerts.map((alert) =>
      element("p", { class: "alert " + tone(alert) },
        element("span", { class: "state " + tone(alert) }, (tone(alert) === "warn" ? "▲ " : "✕ ") + alert.code.toLowerCase().replaceAll("_", " ")), " ", alert.message)));
  });
}
