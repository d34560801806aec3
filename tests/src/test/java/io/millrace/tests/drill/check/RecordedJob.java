package io.millrace.tests.drill.check;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds what the product would show of a job, for the tests of checkers; times are seconds,
 * converted to the database's clock by {@link #database}.
 */
public final class RecordedJob {
  private final long id;
  private final JobSpec spec;
  private final List<AttemptView> attempts = new ArrayList<>();
  private final List<JobEvent> history = new ArrayList<>();

  /** A job without attempts. */
  public RecordedJob(long id, JobSpec spec) {
    this.id = id;
    this.spec = spec;
  }

  /** The database's time at that second of the machine's clock. */
  public static Instant database(double second) {
    return Instant.ofEpochMilli(1_800_000_000_000L + Math.round(second * 1000));
  }

  /** Its next attempt. */
  public RecordedJob attempt(
      String node, double recorded, double ended, Outcome outcome, Integer exitCode) {
    int number = attempts.size() + 1;
    attempts.add(
        new AttemptView(
            number,
            node,
            outcome.success() ? JobState.SUCCEEDED : JobState.FAILED,
            database(recorded),
            database(recorded),
            database(ended),
            outcome,
            exitCode,
            null,
            null,
            null,
            "first",
            null));
    event(recorded, JobState.PLACED, number);
    return this;
  }

  /** A line of its history. */
  public RecordedJob event(double at, JobState state, int attempt) {
    history.add(new JobEvent(database(at), state, attempt, "for a test"));
    return this;
  }

  /** The job in its last state. */
  public JobDetails in(JobState state) {
    int attempt = attempts.size();
    JobView view =
        new JobView(
            id,
            spec.name(),
            JobKind.SUBMITTED,
            state,
            null,
            null,
            "drill",
            0,
            "default",
            attempt,
            null,
            null,
            null,
            null,
            null,
            database(0),
            null,
            null,
            null,
            null,
            spec.lane(),
            List.of(),
            null,
            null,
            null,
            null,
            null);
    return new JobDetails(view, spec, List.copyOf(attempts), List.copyOf(history));
  }
}
