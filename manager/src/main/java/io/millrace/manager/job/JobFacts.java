package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.RetryPolicy;
import java.time.Instant;

/**
 * The facts about a job on which changes of its state depend; read under the row's lock.
 *
 * @param id the job's id
 * @param kind its kind
 * @param state its state
 * @param priority jobs with a higher priority go first
 * @param pool where it runs
 * @param slots slots it takes
 * @param cpuMillis thousandths of processors that it books
 * @param memoryBytes memory that it books
 * @param shapeId the shape that it is placed by
 * @param share the fair share that it is charged to
 * @param definition the key under which earlier runs of the same job are found
 * @param queue the queue it works for; null for none
 * @param segmentNode the queue node of that segment; null for none
 * @param near the queue node on whose host it prefers to run; null for none
 * @param single its single-instance name until it ends; null for none
 * @param restarts whether it is always started again, however it ends
 * @param retry when a failed try is repeated
 * @param held whether it is on hold
 * @param unmet dependencies that are not met yet
 * @param lane its serial lane; null for none
 * @param deadline when it must have ended; null for never
 * @param notBefore when it may start (again); null for at once
 * @param isArray whether it is the own job of an array
 * @param array the array that it is an element of; null for none
 * @param index its index in the array; null for none
 * @param notifies whether its end or delay is to be notified
 * @param attempt number of the current or last attempt; 0 before the first
 * @param nodeId the node of that attempt; null before the first
 * @param nodeName its name
 * @param failedTries tries that failed
 * @param lostTries tries lost with their node
 * @param shortRuns short runs in a row, and refusals by nodes
 * @param cancelReason why it was cancelled; null if it was not
 * @param nextCause why its next attempt is started; null for jobs recorded by an older version
 * @param submittedAt by the database's clock
 * @param placedAt when the current or last attempt was placed; null before the first
 * @param startedAt of the current or last attempt; null before
 */
public record JobFacts(
    long id,
    JobKind kind,
    JobState state,
    int priority,
    String pool,
    int slots,
    int cpuMillis,
    long memoryBytes,
    long shapeId,
    String share,
    String definition,
    String queue,
    String segmentNode,
    String near,
    String single,
    boolean restarts,
    RetryPolicy retry,
    boolean held,
    int unmet,
    String lane,
    Instant deadline,
    Instant notBefore,
    boolean isArray,
    Long array,
    Long index,
    boolean notifies,
    int attempt,
    String nodeId,
    String nodeName,
    int failedTries,
    int lostTries,
    int shortRuns,
    String cancelReason,
    String nextCause,
    Instant submittedAt,
    Instant placedAt,
    Instant startedAt) {
  /** Its current or last attempt. */
  public AttemptId currentAttempt() {
    return new AttemptId(id, attempt);
  }

  /** Whether it has an attempt that has not ended. */
  public boolean live() {
    return state.live() && !isArray;
  }
}
