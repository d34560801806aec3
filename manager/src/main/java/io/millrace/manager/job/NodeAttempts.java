package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.HistoryDao.Line;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The attempts placed on a node, for registration, polls and expiry; runs in the caller's
 * transaction. Thread-safe.
 */
public final class NodeAttempts {
  private final BookingDao bookings = new BookingDao();
  private final JobDao jobs = new JobDao();
  private final HistoryDao history = new HistoryDao();
  private final Lanes lanes;
  private final AttemptCompletion ends;
  private final WakeUps wakeUps;

  NodeAttempts(Lanes lanes, AttemptCompletion ends, WakeUps wakeUps) {
    this.lanes = lanes;
    this.ends = ends;
    this.wakeUps = wakeUps;
  }

  /** Attempts of the node that have not ended. */
  public List<Booking> of(Handle handle, UUID node) {
    return bookings.of(handle, node);
  }

  /** Records that the node, whose orders are locked, is about to be offered attempts. */
  public void markOffered(Handle handle, UUID node, Collection<AttemptId> attempts) {
    bookings.markOffered(handle, node, attempts);
  }

  /** Records which attempts the node, whose orders are locked, should hold and does not. */
  public void markMissing(Handle handle, UUID node, Collection<AttemptId> attempts, Instant now) {
    bookings.markMissing(handle, node, attempts, now);
  }

  /** Records which attempts the node, whose orders are locked, holds. */
  public void markHeld(Handle handle, UUID node, Collection<AttemptId> attempts) {
    bookings.markHeld(handle, node, attempts);
  }

  /** Attempts that have not ended, by node. */
  public Map<UUID, List<AttemptId>> byNode(Handle handle) {
    return bookings.attempts(handle);
  }

  /** Jobs of queue and task managers on the node that have not been asked to stop. */
  public List<Long> managers(Handle handle, UUID node) {
    return bookings.managers(handle, node).stream().map(one -> one.attempt().job()).toList();
  }

  /** Slots booked, by node. */
  public Map<UUID, Integer> usedSlots(Handle handle) {
    return bookings.usedSlots(handle);
  }

  /**
   * Asks everything that the node runs to stop, except what was already asked.
   *
   * @param reason human-readable reason
   * @return how many attempts were asked
   */
  public int requestStop(Handle handle, UUID node, String reason, Instant now) {
    List<Booking> running = of(handle, node).stream().filter(one -> !one.stopRequested()).toList();
    return requestStop(handle, node, running, reason, now);
  }

  /** The same for the queue and task managers among these jobs. */
  public int requestStopOfManagers(
      Handle handle, UUID node, Collection<Long> jobs, String reason, Instant now) {
    List<Booking> running =
        bookings.managers(handle, node).stream()
            .filter(one -> jobs.contains(one.attempt().job()))
            .toList();
    return requestStop(handle, node, running, reason, now);
  }

  private int requestStop(
      Handle handle, UUID node, List<Booking> running, String reason, Instant now) {
    bookings.requestStop(handle, running, reason);
    history.write(
        handle,
        running.stream()
            .map(
                one ->
                    new Line(
                        one.attempt().job(),
                        one.running() ? JobState.RUNNING : JobState.PLACED,
                        one.attempt().number(),
                        JobMessages.stopRequested(reason)))
            .toList(),
        now);
    wakeUps.nodeChanged(handle, node);
    return running.size();
  }

  /**
   * Ends those of the attempts, of a node whose orders are locked, that have not ended. One that is
   * lost before it was offered to the node does not count as a try (ADR 22).
   *
   * @return how many ended
   */
  public int end(
      Handle handle, UUID node, Collection<AttemptId> attempts, AttemptResult result, Instant now) {
    if (attempts.isEmpty()) {
      return 0;
    }
    Set<AttemptId> wanted = new HashSet<>(attempts);
    Set<AttemptId> offered =
        of(handle, node).stream()
            .filter(Booking::offered)
            .map(Booking::attempt)
            .collect(Collectors.toSet());
    List<Long> ids = attempts.stream().map(AttemptId::job).distinct().toList();
    lanes.lockOf(handle, ids);
    List<EndedAttempt> ended =
        jobs.lock(handle, ids).stream()
            .filter(JobFacts::live)
            .filter(job -> node.toString().equals(job.nodeId()))
            .filter(job -> wanted.contains(job.currentAttempt()))
            .map(
                job ->
                    EndedAttempt.unreported(
                        job, result, offered.contains(job.currentAttempt()), now))
            .toList();
    ends.end(handle, ended, now);
    return ended.size();
  }

  /** Ends every attempt of the node that has not ended. */
  public int endAll(Handle handle, UUID node, AttemptResult result, Instant now) {
    List<AttemptId> attempts = of(handle, node).stream().map(Booking::attempt).toList();
    return end(handle, node, attempts, result, now);
  }
}
