// Starts the dashboard: theme, live stream, and the page that the address names.

import { connect } from "./live.js";
import { post } from "./api.js";
import { showAlerts } from "./alerts.js";
import { repaint } from "./charts.js";
import { closeDialogs } from "./dialog.js";
import { element } from "./dom.js";
import { entitle } from "./title.js";
import { knowCaller, mayChange } from "./session.js";
import { toast } from "./toast.js";
import { overviewPage } from "./pages/overview.js";
import { queuesPage } from "./pages/queues.js";
import { queuePage } from "./pages/queue.js";
import { jobsPage } from "./pages/jobs.js";
import { jobPage } from "./pages/job.js";
import { tasksPage } from "./pages/tasks.js";
import { taskPage } from "./pages/task.js";
import { workflowsPage } from "./pages/workflows.js";
import { workflowPage } from "./pages/workflow.js";
import { stepPage } from "./pages/step.js";
import { nodesPage } from "./pages/nodes.js";
import { executionNodePage } from "./pages/executionnode.js";
import { sharesPage } from "./pages/shares.js";
import { usagePage } from "./pages/usage.js";
import { problemsPage } from "./pages/problems.js";
import { queueNodePage } from "./pages/queuenode.js";
import { balancingPage } from "./pages/balancing.js";
import { deadPage } from "./pages/dead.js";
import { eventsPage } from "./pages/events.js";
import { sessionsPage } from "./pages/sessions.js";
import { sessionPage } from "./pages/onesession.js";
import { editPage, newPage } from "./pages/editor.js";

const place = document.getElementById("page");
const routes = [
  [/^\/?$/, overviewPage, "overview"],
  [/^\/queues$/, queuesPage, "queues"],
  [/^\/queues\/([^/]+)$/, queuePage, "queues"],
  [/^\/queues\/([^/]+)\/dead$/, deadPage, "queues"],
  [/^\/queues\/([^/]+)\/events$/, eventsPage, "queues"],
  [/^\/queues\/([^/]+)\/sessions$/, sessionsPage, "queues"],
  [/^\/queues\/([^/]+)\/session$/, sessionPage, "queues"],
  [/^\/queues\/([^/]+)\/edit$/, editPage("queue"), "queues"],
  [/^\/new-queue$/, newPage("queue"), "queues"],
  [/^\/balancing$/, balancingPage, "queues"],
  [/^\/tasks$/, tasksPage, "tasks"],
  [/^\/tasks\/([^/]+)$/, taskPage, "tasks"],
  [/^\/tasks\/([^/]+)\/edit$/, editPage("task"), "tasks"],
  [/^\/new-task$/, newPage("task"), "tasks"],
  [/^\/jobs$/, jobsPage, "jobs"],
  [/^\/jobs\/(\d+)$/, jobPage, "jobs"],
  [/^\/workflows$/, workflowsPage, "workflows"],
  [/^\/workflows\/(\d+)$/, workflowPage, "workflows"],
  [/^\/workflows\/(\d+)\/steps\/([^/]+)$/, stepPage, "workflows"],
  [/^\/shares$/, sharesPage, "jobs"],
  [/^\/usage$/, usagePage, "jobs"],
  [/^\/nodes$/, nodesPage, "nodes"],
  [/^\/execution-nodes\/([^/]+)$/, executionNodePage, "nodes"],
  [/^\/problems$/, problemsPage, "problems"],
  [/^\/queue-nodes\/([^/]+)$/, queueNodePage, "nodes"],
];
let leave = () => {};

function go() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  leave();
  closeDialogs();
  place.replaceChildren();
  for (const [pattern, page, name] of routes) {
    const match = pattern.exec(path);
    if (match) {
      for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.page === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      const variables = match.slice(1).map(decodeURIComponent);
      entitle(titled(path, name, variables));
      leave = page(place, { variables, query: new URLSearchParams(query ?? "") }) ?? (() => {});
      return;
    }
  }
  leave = () => {};
  entitle("Page not found");
  place.append(element("h1", {}, "Page not found"), element("p", {}, element("a", { href: "#/" }, "Back to the overview")));
}

/** "Queue orders: dead", "Queue node q1", "Jobs". */
function titled(path, name, [object]) {
  const [folder, , part] = path.split("/").filter(Boolean);
  const words = (folder ?? name).replaceAll("-", " ");
  const kind = words[0].toUpperCase() + words.slice(1);
  return object == null ? kind : kind.replace(/s$/, "") + " " + object + (part ? ": " + part : "");
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
connect(document.getElementById("live"), document.getElementById("lost"));
showAlerts(document.getElementById("alerts"));
// What the pages offer depends on who is logged in. A server that does not say so in time still shows them, as to a
// viewer, and draws them again when it does.
const callerLimit = 3000;
let drawn = false;
const known = knowCaller().then((caller) => {
  if (caller) document.getElementById("logout").title = "Logged in as " + caller.subject + ", " + caller.role;
  if (drawn && mayChange()) go();
});
await Promise.race([known, new Promise((resolve) => setTimeout(resolve, callerLimit))]);
addEventListener("hashchange", go);
drawn = true;
go();
