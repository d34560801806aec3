// Starts the dashboard: theme, live stream, and the page that the address names.

import { connect } from "./live.js";
import { post } from "./api.js";
import { showAlerts } from "./alerts.js";
import { repaint } from "./charts.js";
import { element } from "./dom.js";
import { toast } from "./toast.js";
import { overviewPage } from "./pages/overview.js";
import { queuesPage } from "./pages/queues.js";
import { queuePage } from "./pages/queue.js";
import { jobsPage } from "./pages/jobs.js";
import { jobPage } from "./pages/job.js";
import { tasksPage } from "./pages/tasks.js";
import { taskPage } from "./pages/task.js";
import { nodesPage } from "./pages/nodes.js";
import { executionNodePage } from "./pages/executionnode.js";
import { sharesPage } from "./pages/shares.js";
import { problemsPage } from "./pages/problems.js";
import { queueNodePage } from "./pages/queuenode.js";
import { balancingPage } from "./pages/balancing.js";
import { deadPage } from "./pages/dead.js";
import { eventsPage } from "./pages/events.js";

const place = document.getElementById("page");
const routes = [
  [/^\/?$/, overviewPage, "overview"],
  [/^\/queues$/, queuesPage, "queues"],
  [/^\/queues\/([^/]+)$/, queuePage, "queues"],
  [/^\/queues\/([^/]+)\/dead$/, deadPage, "queues"],
  [/^\/queues\/([^/]+)\/events$/, eventsPage, "queues"],
  [/^\/balancing$/, balancingPage, "queues"],
  [/^\/tasks$/, tasksPage, "tasks"],
  [/^\/tasks\/([^/]+)$/, taskPage, "tasks"],
  [/^\/jobs$/, jobsPage, "jobs"],
  [/^\/jobs\/(\d+)$/, jobPage, "jobs"],
  [/^\/shares$/, sharesPage, "jobs"],
  [/^\/nodes$/, nodesPage, "nodes"],
  [/^\/execution-nodes\/([^/]+)$/, executionNodePage, "nodes"],
  [/^\/problems$/, problemsPage, "problems"],
  [/^\/queue-nodes\/([^/]+)$/, queueNodePage, "nodes"],
];
let leave = () => {};

function go() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  leave();
  place.replaceChildren();
  for (const [pattern, page, name] of routes) {
    const match = pattern.exec(path);
    if (match) {
      for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.page === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      const variables = match.slice(1).map(decodeURIComponent);
      leave = page(place, { variables, query: new URLSearchParams(query ?? "") }) ?? (() => {});
      return;
    }
  }
  leave = () => {};
  place.append(element("h1", {}, "Page not found"), element("p", {}, element("a", { href: "#/" }, "Back to the overview")));
}

const system = matchMedia("(prefers-color-scheme: dark)");
function paint() {
  document.documentElement.dataset.theme = localStorage.getItem("millrace-theme") ?? (system.matches ? "dark" : "light");
  repaint();
}
system.addEventListener("change", paint);
document.getElementById("theme").addEventListener("click", () => {
  const order = [null, "light", "dark"];
  const next = order[(order.indexOf(localStorage.getItem("millrace-theme")) + 1) % order.length];
  if (next) localStorage.setItem("millrace-theme", next);
  else localStorage.removeItem("millrace-theme");
  document.getElementById("theme").textContent = "Theme: " + (next ?? "system");
  paint();
});
document.getElementById("logout").addEventListener("click", async () => {
  await post("/v1/logout").catch(() => {});
  location.assign("/login");
});
addEventListener("unhandledrejection", (event) => toast(event.reason?.message ?? String(event.reason)));

paint();
connect(document.getElementById("live"));
showAlerts(document.getElementById("alerts"));
addEventListener("hashchange", go);
go();
