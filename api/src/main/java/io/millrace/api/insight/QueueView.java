package io.millrace.api.insight;

import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.session.SessionView.SessionFigures;
import java.util.Map;

/**
 * A queue as shown, over all its segments.
 *
 * @param name its name
 * @param version of its definition
 * @param weightsVersion of its weight row; 0 while it has none
 * @param weights points by queue node
 * @param waiting ready events
 * @param delayed events not ready yet
 * @param leased events in the hands of workers
 * @param dead dead letters
 * @param oldestSeconds age of the oldest waiting event
 * @param inserted events stored in total
 * @param acknowledged events done in total
 * @param workerRuns worker runs started in total
 * @param workersStarting workers submitted and not started
 * @param workersRunning workers that run
 * @param eventRate events stored per second, lately
 * @param doneRate events done per second, lately
 * @param workerRate workers started per second, lately
 * @param delayP50Seconds time from stored to acknowledged, median in total
 * @param delayP99Seconds the same, 99th percentile
 * @param managerDecisions decisions recorded in total
 * @param bytes size of all events kept
 * @param secondsToEmpty time until nothing waits at the recent rates, without arrivals if it takes
 *     no events; 0 if nothing waits, null if the backlog does not shrink
 * @param control what operators have paused; null if nothing
 * @param trouble why a segment of it is not served; null when all are
 * @param breaker why only probes are started; null while the breaker is closed
 * @param override the override in force; null if there is none
 * @param waitTargetSeconds how long an event may wait; null if its policy or workers have no target
 * @param deleting whether it is being deleted
 * @param sessions of a queue of sessions: their figures over all segments; null for others
 * @param awaited of a queue of sessions whose {@code ownerLost} is wait: how many slots wait for the
 *     events of which earlier owner; null for others
 * @param stallSeconds of a queue of sessions: the age from which an unacknowledged event shows that
 *     its worker stalls; null for others
 */
public record QueueView(
    String name,
    int version,
    long weightsVersion,
    Map<String, Integer> weights,
    long waiting,
    long delayed,
    long leased,
    long dead,
    double oldestSeconds,
    long inserted,
    long acknowledged,
    long workerRuns,
    int workersStarting,
    int workersRunning,
    double eventRate,
    double doneRate,
    double workerRate,
    double delayP50Seconds,
    double delayP99Seconds,
    long managerDecisions,
    long bytes,
    Double secondsToEmpty,
    QueueControl control,
    String trouble,
    BreakerView breaker,
    PacingOverride override,
    Double waitTargetSeconds,
    boolean deleting,
    SessionFigures sessions,
    Map<String, Integer> awaited,
    Double stallSeconds) {
  /** A queue without sessions. */
  public QueueView(
      String name,
      int version,
      long weightsVersion,
      Map<String, Integer> weights,
      long waiting,
      long delayed,
      long leased,
      long dead,
      double oldestSeconds,
      long inserted,
      long acknowledged,
      long workerRuns,
      int workersStarting,
      int workersRunning,
      double eventRate,
      double doneRate,
      double workerRate,
      double delayP50Seconds,
      double delayP99Seconds,
      long managerDecisions,
      long bytes,
      Double secondsToEmpty,
      QueueControl control,
      String trouble,
      BreakerView breaker,
      PacingOverride override,
      Double waitTargetSeconds,
      boolean deleting) {
    this(
        name,
        version,
        weightsVersion,
        weights,
        waiting,
        delayed,
        leased,
        dead,
        oldestSeconds,
        inserted,
        acknowledged,
        workerRuns,
        workersStarting,
        workersRunning,
        eventRate,
        doneRate,
        workerRate,
        delayP50Seconds,
        delayP99Seconds,
        managerDecisions,
        bytes,
        secondsToEmpty,
        control,
        trouble,
        breaker,
        override,
        waitTargetSeconds,
        deleting,
        null,
        null,
        null);
  }

  /**
   * Whether new events are accepted; the rate of arrivals of before says nothing if they are not.
   */
  public boolean takesEvents() {
    return !deleting && (control == null || !control.sendingPaused());
  }
}
