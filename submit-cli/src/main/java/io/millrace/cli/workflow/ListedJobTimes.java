package io.millrace.cli.workflow;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * The times of steps from the lists of elements of their arrays: an element's index is the number
 * of its step. Elements of earlier arrays, as after a retry, are not listed with the workflow, so
 * that the times of their steps stay unknown. Thread-safe.
 */
final class ListedJobTimes implements StepTimes {
  /** The most steps whose times are asked for. */
  static final int MAX_STEPS = 200_000;

  private static final int PAGE = 1000;
  private static final double NANOS = 1e9;

  private final CentralClient central;

  ListedJobTimes(CentralClient central) {
    this.central = central;
  }

  @Override
  public TimesByStep of(WorkflowDetails workflow, int steps) {
    if (steps > MAX_STEPS) {
      return TimesByStep.unknown(steps);
    }
    Double[] started = new Double[steps];
    Double[] ended = new Double[steps];
    Arrays.fill(started, Double.NaN);
    Arrays.fill(ended, Double.NaN);
    for (TemplateView template : workflow.templates()) {
      Long before = null;
      while (template.array() != null) {
        JobPage page = central.jobs(query(template.array(), before));
        for (JobView job : page.jobs()) {
          if (job.index() != null && job.index() < steps) {
            started[job.index().intValue()] = seconds(job.startedAt());
            ended[job.index().intValue()] = seconds(job.endedAt());
          }
        }
        before = page.next();
        if (before == null) {
          break;
        }
      }
    }
    return new TimesByStep(List.of(started), List.of(ended));
  }

  private static String query(long array, Long before) {
    return "array=%d&kind=all&limit=%d%s"
        .formatted(array, PAGE, before == null ? "" : "&before=" + before);
  }

  private static double seconds(Instant time) {
    return time == null ? Double.NaN : time.getEpochSecond() + time.getNano() / NANOS;
  }
}
