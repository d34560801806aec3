package io.millrace.cli.session;

import io.millrace.api.Durations;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.session.SessionDefinition;
import io.millrace.cli.output.Figures;

/** Describes in text what makes a queue one of sessions. Pure. */
public final class SessionDefinitionFormatter {
  private SessionDefinitionFormatter() {}

  /** What its events have in common, and how many sessions there may be. */
  public static String limits(SessionDefinition sessions) {
    return "by %s, up to %s per worker, up to %s without a worker, order %s"
        .formatted(
            sessions.key(),
            Figures.count(sessions.maxPerWorker()),
            Figures.count(sessions.maxUnassigned()),
            sessions.order().word());
  }

  /** When sessions and workers end. */
  public static String endings(SessionDefinition sessions) {
    String idle =
        sessions.idle() == null
            ? ""
            : ", or after %s without events".formatted(Durations.format(sessions.idle()));
    return "when a worker completes it%s; a worker is retired after %s of silence"
        .formatted(idle, Durations.format(sessions.silence()));
  }

  /** What becomes of events of completed sessions. */
  public static String duplicates(SessionDefinition sessions) {
    String then =
        switch (sessions.duplicates()) {
          case REFUSE -> "are refused";
          case DROP -> "are counted and dropped";
          case REOPEN -> "open a new session";
        };
    return "events of a completed key %s, for %s"
        .formatted(then, Durations.format(sessions.remember()));
  }

  /** What becomes of an event that fails. */
  public static String failures(QueueDefinition queue) {
    String then =
        switch (queue.sessions().onDead()) {
          case PARK -> "parks its session until an operator decides";
          case SKIP -> "is skipped";
          case CLOSE -> "ends its session";
        };
    return "an event that fails %s %s".formatted(Figures.count(queue.maxAttempts(), "time"), then);
  }
}
