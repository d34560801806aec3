package io.millrace.api.task;

/** What happens to a run when its window ends. */
public enum WindowEnd {
  /** It is finished; no new one starts. */
  FINISH,
  /** It is stopped; the rest is left to the next window. */
  STOP
}
