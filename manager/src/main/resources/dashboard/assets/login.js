// The login page: a token for a session cookie.

const form = document.getElementById("login");
const problem = document.getElementById("problem");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = localStorage.getItem("millrace-theme") ?? (dark ? "dark" : "light");

if (new URLSearchParams(location.search).has("link")) {
  show("This link is not valid: it was used before, or it is older than ten minutes. Run 'millrace dashboard' for a new one.");
}

function show(text) {
  problem.textContent = text;
  problem.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = document.getElementById("token").value.trim();
  const answer = await fetch("/v1/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    // The page that was asked for is a fragment, which cannot lead to another site.
    location.assign("/" + location.hash);
    return;
  }
  const said = await answer.json().catch(() => ({}));
  show(said.detail ?? "The server answered " + answer.status + ".");
});
