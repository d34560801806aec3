package io.millrace.manager.job;

import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import java.util.ArrayList;
import java.util.List;

/**
 * The histories of elements of arrays. What happens to every element (it is submitted, placed and
 * started) is not written down but derived from its times and attempts; all else is written as for
 * other jobs. Pure.
 */
public final class ElementHistory {
  private ElementHistory() {}

  /**
   * The whole history of a job, oldest first.
   *
   * @param attempts of the job, oldest first
   * @param written the lines that were written of it, oldest first; all of them, if it is not an
   *     element of an array
   */
  public static List<JobEvent> of(JobView job, List<AttemptView> attempts, List<JobEvent> written) {
    if (job.array() == null) {
      return written;
    }
    List<JobEvent> derived = derived(job, attempts);
    // Elements that an older version created have some of these lines.
    derived.removeIf(line -> written.stream().anyMatch(other -> sameLine(line, other)));
    return merged(derived, written);
  }

  private static List<JobEvent> derived(JobView job, List<AttemptView> attempts) {
    List<JobEvent> lines = new ArrayList<>();
    lines.add(
        new JobEvent(job.submittedAt(), JobState.WAITING, 0, JobMessages.submittedBy(job.owner())));
    for (AttemptView attempt : attempts) {
      lines.add(
          new JobEvent(
              attempt.recordedAt(),
              JobState.PLACED,
              attempt.number(),
              JobMessages.placedOn(attempt.node())));
      if (attempt.startedAt() != null) {
        lines.add(
            new JobEvent(
                attempt.startedAt(),
                JobState.RUNNING,
                attempt.number(),
                JobMessages.startedOn(attempt.node())));
      }
    }
    return lines;
  }

  private static boolean sameLine(JobEvent one, JobEvent other) {
    return one.state() == other.state()
        && one.attempt() == other.attempt()
        && one.words().equals(other.words());
  }

  // Each list keeps its own order, whatever steps the database's clock made.
  private static List<JobEvent> merged(List<JobEvent> derived, List<JobEvent> written) {
    List<JobEvent> all = new ArrayList<>(derived.size() + written.size());
    int next = 0;
    for (JobEvent line : derived) {
      while (next < written.size() && written.get(next).at().isBefore(line.at())) {
        all.add(written.get(next++));
      }
      all.add(line);
    }
    all.addAll(written.subList(next, written.size()));
    return all;
  }
}
