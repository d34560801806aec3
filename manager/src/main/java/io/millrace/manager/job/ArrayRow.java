package io.millrace.manager.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobState;

/**
 * How far an array is.
 *
 * @param job the id of the array's own job
 * @param pool where its elements run
 * @param range its indexes
 * @param next the first index that has no job yet; beyond the last when all have
 * @param skipped elements that will never have one
 * @param succeeded elements that did
 * @param failed elements that did
 * @param cancelled elements that were, those never created left out
 * @param again a retry under way; null for none
 * @param endsAs how it ends, when that is decided early; null for what its elements come to
 * @param hungry whether there may be something to feed
 * @param settled whether it has ended with all its elements
 */
public record ArrayRow(
    long job,
    String pool,
    ArrayRange range,
    long next,
    long skipped,
    long succeeded,
    long failed,
    long cancelled,
    Again again,
    JobState endsAs,
    boolean hungry,
    boolean settled) {
  /**
   * A retry of elements.
   *
   * @param after only those with a higher id
   * @param upTo only those with an id not above
   * @param cancelledToo whether cancelled ones are tried again as well as failed ones
   */
  public record Again(long after, long upTo, boolean cancelledToo) {}

  /** The same after so many more elements got a job. */
  public ArrayRow advanced(int created) {
    return with(next + created * range.step(), hungry);
  }

  /** The same with something to feed, or nothing. */
  public ArrayRow hungry(boolean now) {
    return with(next, now);
  }

  private ArrayRow with(long index, boolean more) {
    return new ArrayRow(
        job, pool, range, index, skipped, succeeded, failed, cancelled, again, endsAs, more,
        settled);
  }

  /** Elements that have, or had, a job. */
  public long created() {
    return next > range.last() ? range.size() : (next - range.first()) / range.step();
  }

  /** Elements that have no job and may still get one. */
  public long left() {
    return range.size() - created() - skipped;
  }

  /** Elements with a job that has not ended. */
  public long open() {
    return created() - succeeded - failed - cancelled;
  }

  /** Whether nothing of it is still to come. */
  public boolean exhausted() {
    return left() == 0 && open() == 0 && again == null;
  }

  /**
   * Whether an array whose own job is in that state ends now. One that is held or waits for others
   * ends later, because of what waits for it in turn, unless it was asked to end.
   */
  public boolean endsFrom(JobState state) {
    boolean kept = state == JobState.HELD || state == JobState.BLOCKED;
    return exhausted() && (!kept || endsAs != null);
  }

  /** The state that it ends in. */
  public JobState end() {
    if (endsAs != null) {
      return endsAs;
    }
    return succeeded == range.size() ? JobState.SUCCEEDED : JobState.FAILED;
  }
}
