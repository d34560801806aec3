// Talks to the central manager's API. A missing or expired session leads to the login page.

/** Leaves for the login page, which leads back to the page that was asked for. */
export function logIn() {
  location.assign("/login" + location.hash);
}

/** Reads JSON; throws an Error with the message and the code of the problem. */
export async function read(path) {
  return (await call(path)).json();
}

/** Posts JSON (or nothing) and reads the answer. */
export function post(path, body) {
  return send("POST", path, body);
}

/** Puts JSON and reads the answer. */
export function put(path, body) {
  return send("PUT", path, body);
}

/** Deletes a resource. */
export function remove(path) {
  return send("DELETE", path);
}

async function send(method, path, body) {
  const answer = await call(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? "" : JSON.stringify(body),
  });
  return answer.status === 204 ? null : answer.json();
}

/** An answer whose body is read as it arrives. */
export async function call(path, options = {}) {
  const answer = await fetch(path, { credentials: "same-origin", ...options }).catch((failure) => {
    throw options.signal?.aborted ? failure : new Error("The server at " + location.host + " does not answer.", { cause: failure });
  });
  if (answer.status === 401) {
    logIn();
    throw new Error("the session has ended");
  }
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw Object.assign(new Error(problem.detail ?? "the server answered " + answer.status), { code: problem.code });
  }
  return answer;
}
