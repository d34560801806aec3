// Who is logged in, and what this user may do. The server judges each change again.

import { read } from "./api.js";

let caller = null;
let answered = false;

/** Reads who is logged in; until then the pages show what a viewer may do, if it fails what an operator may do. */
export async function knowCaller() {
  caller = await read("/v1/caller").catch(() => null);
  answered = true;
  return caller;
}

/** Whether the user may change jobs, queues, definitions and nodes. */
export function mayChange() {
  return answered && (caller == null || ["admin", "operator"].includes(caller.role));
}
