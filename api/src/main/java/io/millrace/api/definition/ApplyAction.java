package io.millrace.api.definition;

/** What applying does, or would do, to one definition. */
public enum ApplyAction {
  CREATED,
  CHANGED,
  UNCHANGED
}
