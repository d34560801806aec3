package io.millrace.api.task;

/** What becomes of a run when its window ends. */
public enum WindowEnd {
  /** It is finished; no new one starts. */
  FINISH,
  /** It is stopped; what was not done is left to the next window. */
  STOP
}
