package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
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
 * @param cpuMillis thousandths of processors that it books
 * @param memoryBytes memory that it books
 * @param shapeId the shape that it is placed by
 * @param share whose fair share it is charged to
 * @param definition what earlier runs of the same are found by
 * @param queue the queue it works for; null for none
 * @param segmentNode the queue node of that segment; null for none
 * @param near the queue node it would like to run beside; null for none
 * @param single its single-instance name while it lives; null for none
 * @param restarts whether it is started again however it ends
 * @param retry when a failed try is repeated
 * @param held whether somebody wants it to wait
 * @param unmet dependencies that are not met yet
 * @param lane its serial lane; null for none
 * @param deadline when it must have ended; null for never
 * @param notBefore when it may start (again); null for at once
 * @param isArray whether it stands for an array
 * @param array the array that it is an element of; null for none
 * @param index its index there; null for none
 * @param notifies whether somebody is to be told of its end or delay
 * @param attempt number of the current or last attempt; 0 before the first
 * @param nodeId the node of that attempt; null before the first
 * @param nodeName its name
 * @param failedTries tries that failed
 * @param lostTries tries lost with their node
 * @param shortRuns short runs in a row
 * @param cancelReason why somebody cancelled it; null if nobody did
 * @param nextCause why its next attempt is started; null of jobs that an older version recorded
 * @param submittedAt by the database's clock
 * @param placedAt when the current or last attempt got its place; null before the first
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
