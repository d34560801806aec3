package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.store.BookingStore;
import io.millrace.manager.job.store.BookingStore.Booking;
import io.millrace.manager.job.store.JobFacts;
import io.millrace.manager.job.store.JobStore;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The attempts recorded for a node, as registration, polls and expiry use them, each in its
 * caller's transaction. Thread-safe.
 */
public final class NodeAttempts {
  private final BookingStore bookings = new BookingStore();
  private final JobStore jobs = new JobStore();
  private final AttemptEnds ends;

  NodeAttempts(AttemptEnds ends) {
    this.ends = ends;
  }

  /** Attempts of the node that have not ended. */
  public List<Booking> of(Handle handle, UUID node) {
    return bookings.of(handle, node);
  }

  /** Attempts that have not ended, by node. */
  public Map<UUID, List<AttemptId>> byNode(Handle handle) {
    return bookings.attempts(handle);
  }

  /** Slots booked, by node. */
  public Map<UUID, Integer> usedSlots(Handle handle) {
    return bookings.usedSlots(handle);
  }

  /**
   * Ends attempts of the node that have not ended; others are left alone.
   *
   * @return how many ended
   */
  public int end(
      Handle handle, UUID node, Collection<AttemptId> attempts, AttemptEnd end, Instant now) {
    Set<AttemptId> wanted = new HashSet<>(attempts);
    List<EndedAttempt> ended =
        jobs.lock(handle, attempts.stream().map(AttemptId::job).distinct().toList()).stream()
            .filter(JobFacts::live)
            .filter(job -> node.toString().equals(job.nodeId()))
            .filter(job -> wanted.contains(new AttemptId(job.id(), job.attempt())))
            .map(job -> new EndedAttempt(job, end, job.startedAt(), now, null, 0))
            .toList();
    ends.end(handle, ended, now);
    return ended.size();
  }

  /** Ends every attempt of the node that has not ended. */
  public int endAll(Handle handle, UUID node, AttemptEnd end, Instant now) {
    List<AttemptId> attempts = of(handle, node).stream().map(Booking::attempt).toList();
    return end(handle, node, attempts, end, now);
  }
}
