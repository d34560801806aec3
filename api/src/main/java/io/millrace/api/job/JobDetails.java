package io.millrace.api.job;

import java.time.Instant;
import java.util.List;

/**
 * Everything about a job.
 *
 * @param job as in lists
 * @param spec as submitted, with the present requests for resources
 * @param attempts oldest first
 * @param history oldest first
 * @param elements of an array, what its elements used that succeeded at their first try; null of
 *     other jobs, and as long as there is none
 * @param adjustments its requests for resources, the original first (J-13); null if none was
 *     adjusted
 * @param workflow the workflow of an array of steps, and of its elements, whose indexes are numbers
 *     of steps; null of other jobs
 */
public record JobDetails(
    JobView job,
    JobSpec spec,
    List<AttemptView> attempts,
    List<JobEvent> history,
    ElementUsage elements,
    List<ResourceAdjustment> adjustments,
    Long workflow) {
  /** Of a job that is neither an array nor a step, and whose requests were not adjusted. */
  public JobDetails(JobView job, JobSpec spec, List<AttemptView> attempts, List<JobEvent> history) {
    this(job, spec, attempts, history, null, null, null);
  }

  /**
   * What elements of an array used together that succeeded at their first try.
   *
   * @param succeeded how many they are
   * @param measured those of them whose memory was measured, which the mean is of: others ended
   *     before the first sample
   * @param runMillis time from start to end, of all together
   * @param cpuMillis processor time of all together
   * @param meanMemoryBytes the mean of the largest resident memory of each
   * @param maxMemoryBytes the largest resident memory of any
   * @param readBytes read from storage by all together
   * @param writtenBytes written to storage by all together
   */
  public record ElementUsage(
      long succeeded,
      long measured,
      long runMillis,
      long cpuMillis,
      long meanMemoryBytes,
      long maxMemoryBytes,
      long readBytes,
      long writtenBytes) {}

  /**
   * One start of a job.
   *
   * @param number from 1
   * @param node where it ran
   * @param state PLACED, RUNNING, or the state it ended in
   * @param recordedAt when it was placed on the node
   * @param startedAt null before its start
   * @param endedAt null before its end
   * @param outcome null before its end
   * @param exitCode null if none
   * @param signal null if none
   * @param reason human-readable; null if there is nothing to add
   * @param stderrTail the end of a failed attempt's error output; null if none
   * @param cause why it was started: first, or what ended the previous one; null if unknown
   * @param usage what its processes used; null while unknown
   */
  public record AttemptView(
      int number,
      String node,
      JobState state,
      Instant recordedAt,
      Instant startedAt,
      Instant endedAt,
      Outcome outcome,
      Integer exitCode,
      Integer signal,
      String reason,
      String stderrTail,
      String cause,
      Usage usage) {}

  /**
   * One line of a job's history.
   *
   * @param at by the database's clock
   * @param state the state entered
   * @param attempt 0 for none
   * @param words what happened
   */
  public record JobEvent(Instant at, JobState state, int attempt, String words) {}
}
