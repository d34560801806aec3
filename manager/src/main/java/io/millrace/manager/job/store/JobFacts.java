package io.millrace.manager.job.store;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.RetryPolicy;
import java.time.Instant;

/**
 * What changes of a job's state need to know; read under the row's lock.
 *
 * @param id the job's id
 * @param kind who wanted it
 * @param state now
 * @param priority higher goes first
 * @param pool where it runs
 * @param slots slots it takes
 * @param queue the queue it works for; null for none
 * @param segmentNode the queue node of that segment; null for none
 * @param near the queue node it would like to run beside; null for none
 * @param single its single-instance name while it lives; null for none
 * @param restarts whether it is started again however it ends
 * @param retry when a failed try is repeated
 * @param attempt number of the current or last attempt; 0 before the first
 * @param nodeId the node of that attempt; null before the first
 * @param nodeName its name
 * @param failedTries tries that failed
 * @param lostTries tries lost with their node
 * @param shortRuns short runs in a row
 * @param cancelReason why somebody cancelled it; null if nobody did
 * @param submittedAt by the database's clock
 * @param startedAt of the current or last attempt; null before
 */
public record JobFacts(
    long id,
    JobKind kind,
    JobState state,
    int priority,
    String pool,
    int slots,
    String queue,
    String segmentNode,
    String near,
    String single,
    boolean restarts,
    RetryPolicy retry,
    int attempt,
    String nodeId,
    String nodeName,
    int failedTries,
    int lostTries,
    int shortRuns,
    String cancelReason,
    Instant submittedAt,
    Instant startedAt) {
  /** Whether the attempt has not ended. */
  public boolean live() {
    return state == JobState.PLACED || state == JobState.RUNNING;
  }
}
