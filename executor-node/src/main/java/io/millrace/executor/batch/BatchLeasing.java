package io.millrace.executor.batch;

import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.job.BatchInput;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.LeasedBatch.BatchRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Leases the batch of a worker before its start. Thread-safe. */
public final class BatchLeasing {
  private final BatchCalls calls;

  public BatchLeasing(BatchCalls calls) {
    this.calls = calls;
  }

  /**
   * Leases events of the segment, without waiting for new ones. Blocks.
   *
   * @return empty if none is ready
   * @throws io.millrace.api.MillraceException if the queue node cannot be reached
   */
  public Optional<LeasedEvents> lease(Assignment assignment) {
    BatchInput input = assignment.spec().input();
    Lease lease =
        calls
            .client(assignment.segmentAddress(), assignment.workerToken())
            .lease(
                input.queue(),
                new LeaseRequest(
                    input.batch(), input.lease(), Duration.ZERO, assignment.attempt().toString()));
    if (lease.events() == null || lease.events().isEmpty()) {
      return Optional.empty();
    }
    BatchRecord record =
        new BatchRecord(
            input.queue(),
            input.node(),
            assignment.queueNode(),
            assignment.workerToken(),
            lease.events().stream().map(event -> event.receipt()).toList(),
            lease.lease(),
            lease.events().size() == 1 ? lease.events().get(0).id() : null);
    return Optional.of(new LeasedEvents(record, lease.events()));
  }

  /**
   * A leased batch.
   *
   * @param record what is needed to close it
   * @param events at least one
   */
  public record LeasedEvents(BatchRecord record, List<DeliveredEvent> events) {
    public LeasedEvents {
      events = List.copyOf(events);
    }
  }
}
