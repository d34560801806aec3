package io.millrace.manager.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobState;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A row of the table {@code job_array}: how far an array has progressed.
 *
 * @param job the id of the array's own job
 * @param pool where its elements run
 * @param range its indexes
 * @param next the first index that has no job yet; beyond the last index when all have one
 * @param skipped elements that will never have a job
 * @param succeeded elements that succeeded
 * @param failed elements that failed
 * @param cancelled elements that were cancelled, without those never created
 * @param retry a retry in progress; null for none
 * @param endsAs the state that it ends in, if decided early; null if its elements decide
 * @param expandable whether there may be elements that can be released
 * @param finished whether it and all its elements have ended
 */
@RecordBuilder
public record ArrayRow(
    long job,
    String pool,
    ArrayRange range,
    long next,
    long skipped,
    long succeeded,
    long failed,
    long cancelled,
    PendingRetry retry,
    JobState endsAs,
    boolean expandable,
    boolean finished)
    implements ArrayRowBuilder.With {
  /**
   * A retry of elements in progress.
   *
   * @param after only elements with a higher id
   * @param upTo only elements with this id or a lower one
   * @param includesCancelled whether cancelled elements are retried as well as failed ones
   */
  public record PendingRetry(long after, long upTo, boolean includesCancelled) {}

  /** This row after that many more elements got a job. */
  public ArrayRow advanced(int created) {
    return withNext(next + created * range.step());
  }

  /** The place of an index among the array's indexes, from 0. */
  public long ordinal(long index) {
    return (index - range.first()) / range.step();
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

  /** Whether no element is left to be created, retried or ended. */
  public boolean exhausted() {
    return left() == 0 && open() == 0 && retry == null;
  }

  /**
   * Whether an array whose own job is in that state ends now. One that is held or blocked ends
   * later, because of the jobs that wait for it, unless its end was requested.
   */
  public boolean endsFrom(JobState state) {
    boolean waits = state == JobState.HELD || state == JobState.BLOCKED;
    return exhausted() && (!waits || endsAs != null);
  }

  /** The state that it ends in. */
  public JobState end() {
    if (endsAs != null) {
      return endsAs;
    }
    return succeeded == range.size() ? JobState.SUCCEEDED : JobState.FAILED;
  }
}
