package io.millrace.api.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import java.net.URI;
import java.time.Instant;

/**
 * What the central manager knows for one segment's queue manager.
 *
 * @param queue the definition in force
 * @param definitionVersion its version
 * @param segment address of the segment's node
 * @param nodeState the load state that the node last reported; NORMAL when unknown
 * @param starting own workers submitted and not started
 * @param running own workers that run
 * @param queueOutstanding workers of the whole queue submitted or running
 * @param started own workers started in total
 * @param finished own workers ended in total
 * @param failedRuns own workers that failed in total
 * @param startLatencySeconds smoothed time from getting a slot to the first event; 0 when unknown
 * @param runSeconds smoothed run time of own workers; 0 when unknown
 * @param state what the manager recorded last; null before its first tick
 * @param stateAt when, by the database's clock; null before
 * @param control what operators have paused of the queue; null for nothing
 * @param now the database's clock
 */
public record PacingView(
    QueueDefinition queue,
    int definitionVersion,
    URI segment,
    NodeState nodeState,
    int starting,
    int running,
    int queueOutstanding,
    long started,
    long finished,
    long failedRuns,
    double startLatencySeconds,
    double runSeconds,
    JsonNode state,
    Instant stateAt,
    QueueControl control,
    Instant now) {
  /** Whether no workers are to be started. */
  public boolean consumingPaused() {
    return control != null && control.consumingPaused();
  }

  /**
   * An open breaker: the queue's workers fail on every event, so that only probes are submitted and
   * no failure is charged to an event.
   *
   * @param queue its name
   * @param openedAt since when, by the database's clock
   * @param reason human-readable: how many runs failed, and of how many
   * @param probes probes started since then
   * @param succeeded how many of the last probes succeeded in a row
   * @param needed how many must succeed in a row
   * @param nextProbeAt when the next probe may start, by the database's clock; null when at once
   * @param lastFailure how the last failed run ended and the last line it wrote, human-readable;
   *     null if not stored
   */
  public record BreakerView(
      String queue,
      Instant openedAt,
      String reason,
      int probes,
      int succeeded,
      int needed,
      Instant nextProbeAt,
      String lastFailure) {}
}
