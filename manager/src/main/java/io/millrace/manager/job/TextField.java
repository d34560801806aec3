package io.millrace.manager.job;

import java.util.Locale;

/** What of a job is compared with a text. */
public enum TextField {
  /** Its name. */
  NAME,
  /** The execution node of its current or last attempt. */
  NODE,
  /** Its pool. */
  POOL,
  /** The queue it works for. */
  QUEUE,
  /** Who submitted it. */
  OWNER,
  /** Whose fair share it is charged to. */
  SHARE,
  /** Its serial lane. */
  LANE,
  /** One of its tags. */
  TAG;

  /** As people write it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
