package io.millrace.executor.batch;

import io.millrace.api.event.DeliveredEvent;
import java.util.List;

/**
 * A batch just leased.
 *
 * @param record what closes it
 * @param events at least one
 */
public record LeasedEvents(BatchRecord record, List<DeliveredEvent> events) {
  public LeasedEvents {
    events = List.copyOf(events);
  }
}
