package io.millrace.api.session;

/** What a worker of sessions is. The words are part of the API. */
public enum SessionWorkerState {
  /** Registered, and not heard of since: it gets no session before its first heartbeat. */
  REGISTERED,
  /** Heard of in time. */
  AVAILABLE,
  /** Missed a heartbeat: it keeps its sessions and gets no further ones. */
  ABSENT,
  /** Lost or left: it has no sessions, and is forgotten after a while. */
  RETIRED
}
