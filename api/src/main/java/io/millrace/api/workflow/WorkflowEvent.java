package io.millrace.api.workflow;

import java.time.Instant;
import java.util.List;

/**
 * What an operator did to a workflow.
 *
 * @param at by the database's clock
 * @param actor who did it
 * @param event what, human-readable
 */
public record WorkflowEvent(Instant at, String actor, String event) {
  /**
   * Events of a workflow, the newest 1,000.
   *
   * @param events oldest first
   */
  public record WorkflowHistory(List<WorkflowEvent> events) {
    public WorkflowHistory {
      events = List.copyOf(events);
    }
  }
}
