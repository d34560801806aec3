package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayJobDao.StoredElement;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobDao.Wait;
import io.millrace.manager.job.ReadyJobDao.Ready;
import io.millrace.manager.job.RetryRule.RetryBackoff;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Changes elements of arrays in bounded numbers: moves them between waiting for their turn in the
 * array (BLOCKED) and waiting for a slot (WAITING), and applies to them the actions on their array
 * . Thread-safe.
 */
final class ArrayElements {
  /** Most elements of one state that one call changes. */
  static final int MAX = 1000;

  /** So many elements are measured at first, as each may be long. */
  private static final int FIRST_PAGE = 16;

  private static final List<JobState> OPEN =
      List.of(JobState.RUNNING, JobState.PLACED, JobState.WAITING, JobState.BLOCKED, JobState.HELD);
  private static final String ARRAY_HELD = "waits because its array is held";

  private final JobDao jobs = new JobDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final ReadyJobDao ready = new ReadyJobDao();
  private final HistoryDao history = new HistoryDao();

  /** Lets blocked elements wait for a slot; returns those that now do. */
  List<JobFacts> release(Handle handle, Collection<Long> ids, Instant now) {
    List<JobFacts> blocked = inState(handle, ids, JobState.BLOCKED);
    change(handle, blocked, JobState.WAITING, "its turn in its array", null, now);
    ready.insert(
        handle,
        blocked.stream().map(element -> new Ready(element, readyAt(element, now))).toList());
    return blocked;
  }

  /**
   * Lets elements of a held array, whose job the caller has locked, wait for their turn again
   * instead of for a slot; returns how many.
   */
  int withdraw(Handle handle, long array, Instant now) {
    return withdraw(handle, array, ARRAY_HELD, now);
  }

  /** As {@link #withdraw(Handle, long, Instant)}, for another reason. */
  int withdraw(Handle handle, long array, String reason, Instant now) {
    List<Long> ids = arrayJobs.inState(handle, array, JobState.WAITING, 0, Long.MAX_VALUE, MAX);
    List<JobFacts> waiting = inState(handle, ids, JobState.WAITING);
    change(handle, waiting, JobState.BLOCKED, reason, reason, now);
    ready.delete(handle, waiting.stream().map(JobFacts::id).toList());
    return waiting.size();
  }

  /**
   * Cancels some elements of an array whose job the caller has locked, those that run first; none
   * of the others starts any more. Returns how many were cancelled.
   *
   * <p>An embedded database writes the whole row of each, so that not only their number is bounded,
   * but also how long their specifications are.
   */
  int cancel(Handle handle, JobActions actions, long array, ActionRequest request) {
    List<Long> piece = new ArrayList<>();
    long left = ElementTexts.MOST;
    for (JobState state : OPEN) {
      left = addUncancelled(handle, array, state, piece, left);
    }
    if (piece.isEmpty()) {
      return 0;
    }
    int changed = actions.apply(handle, piece, request).changed().size();
    // Last, as who places a job locks it before its entry among the ready ones.
    ready.delete(
        handle, arrayJobs.inState(handle, array, JobState.WAITING, 0, Long.MAX_VALUE, MAX));
    return changed;
  }

  private long addUncancelled(
      Handle handle, long array, JobState state, List<Long> piece, long characters) {
    long left = characters;
    long after = 0;
    int page = FIRST_PAGE;
    boolean more = true;
    while (more && left > 0 && piece.size() < MAX) {
      int limit = Math.min(page, MAX - piece.size());
      List<StoredElement> found = arrayJobs.uncancelled(handle, array, state, after, limit);
      for (StoredElement element : found) {
        if (left > 0) {
          piece.add(element.id());
          left -= element.characters();
          after = element.id();
        }
      }
      more = found.size() == limit;
      page *= 2;
    }
    return left;
  }

  /**
   * Applies an action to elements that have not ended, of an array whose job the caller has locked;
   * returns how many changed.
   */
  int apply(Handle handle, JobActions actions, long array, ActionRequest request) {
    List<Long> open = new ArrayList<>();
    for (JobState state : OPEN) {
      open.addAll(arrayJobs.inState(handle, array, state, 0, Long.MAX_VALUE, MAX));
    }
    return open.isEmpty() ? 0 : actions.apply(handle, open, request).changed().size();
  }

  private List<JobFacts> inState(Handle handle, Collection<Long> ids, JobState state) {
    return jobs.lock(handle, ids).stream().filter(job -> job.state() == state).toList();
  }

  private void change(
      Handle handle,
      List<JobFacts> elements,
      JobState next,
      String event,
      String reason,
      Instant now) {
    jobs.changeWaits(
        handle,
        elements.stream()
            .map(
                element ->
                    new Wait(element, next, false, 0, RetryBackoff.notBefore(element, now), reason))
            .toList());
    history.write(
        handle,
        elements.stream()
            .map(element -> new Line(element.id(), next, element.attempt(), event))
            .toList(),
        now);
  }

  private static Instant readyAt(JobFacts element, Instant now) {
    Instant from = RetryBackoff.notBefore(element, now);
    return from == null || from.isBefore(now) ? now : from;
  }
}
