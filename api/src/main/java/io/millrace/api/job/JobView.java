package io.millrace.api.job;

import java.time.Instant;
import java.util.List;

/**
 * A job as shown in lists.
 *
 * @param id the job's id
 * @param name shown to users
 * @param kind what created it
 * @param state now
 * @param queue the queue it works for; null for none
 * @param segmentNode the queue node of that segment; null for none
 * @param owner who submitted it
 * @param priority higher runs first
 * @param pool where it runs
 * @param attempt number of the current or last attempt; 0 before the first
 * @param node execution node of that attempt; null before the first
 * @param outcome how its last attempt ended; null before the job has ended, also while it waits for
 *     a further attempt or one runs (the results of its attempts are in {@link JobDetails}), and if
 *     it never had an attempt
 * @param exitCode of the last attempt; null before the job has ended, and if there is none
 * @param signal that ended the last attempt; null before the job has ended, and if there is none
 * @param reason why it is in this state, human-readable; null if plain
 * @param submittedAt by the database's clock
 * @param notBefore when it may run (again); null for at once
 * @param startedAt of the current or last attempt; null before
 * @param endedAt null before its end
 * @param share whose fair share it is charged to
 * @param lane its serial lane; null for none
 * @param tags labels for searching
 * @param deadline when it must have ended; null for never
 * @param array the array that it is an element of; null for none
 * @param index its index there; null for none
 * @param progress the progress of its elements, if it is an array; null otherwise
 * @param programProgress what the program of the current or last attempt reported last; null for
 *     nothing. Of an array that has not ended, the percentage of all elements together, if any of
 *     its running ones reports one
 */
public record JobView(
    long id,
    String name,
    JobKind kind,
    JobState state,
    String queue,
    String segmentNode,
    String owner,
    int priority,
    String pool,
    int attempt,
    String node,
    Outcome outcome,
    Integer exitCode,
    Integer signal,
    String reason,
    Instant submittedAt,
    Instant notBefore,
    Instant startedAt,
    Instant endedAt,
    String share,
    String lane,
    List<String> tags,
    Instant deadline,
    Long array,
    Long index,
    ArrayProgress progress,
    ProgramProgress programProgress) {

  /**
   * A page of jobs, newest first.
   *
   * @param jobs the page
   * @param next pass it as {@code before} for the page after; null at the end
   */
  public record JobPage(List<JobView> jobs, Long next) {}

  /**
   * The progress of an array of jobs.
   *
   * @param size its elements
   * @param waiting not started yet, including elements without a job so far
   * @param running placed or running
   * @param succeeded ended successfully
   * @param failed ended in failure
   * @param cancelled ended by cancellation
   */
  public record ArrayProgress(
      long size, long waiting, long running, long succeeded, long failed, long cancelled) {}

  /**
   * The progress that a program reports of itself, with what follows from its rate.
   *
   * @param percent 0 to 100; null if unknown
   * @param done units of work that are done; null if not reported
   * @param total all units of work; null if not reported
   * @param message short text without control characters; null for none
   * @param reportedAt when it was recorded, by the database's clock
   * @param expectedEnd when it is complete if it continues at the mean rate of this attempt's
   *     reports; null if unknown
   */
  public record ProgramProgress(
      Double percent,
      Long done,
      Long total,
      String message,
      Instant reportedAt,
      Instant expectedEnd) {}

  /**
   * Jobs by state.
   *
   * @param waiting waiting for a slot or their time
   * @param running placed or running
   * @param succeeded successful and not deleted yet
   * @param failed failed and not deleted yet
   * @param cancelled cancelled and not deleted yet
   */
  public record JobCounts(
      long waiting, long running, long succeeded, long failed, long cancelled) {}
}
