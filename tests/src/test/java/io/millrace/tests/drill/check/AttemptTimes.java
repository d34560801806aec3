package io.millrace.tests.drill.check;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.tests.drill.check.Availability.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compares the recorded times of attempts with the journals. Pure. */
final class AttemptTimes {
  private AttemptTimes() {}

  static Optional<ProcessRun> run(JobDetails job, AttemptView attempt, RunJournal journal) {
    return journal.of(new AttemptId(job.job().id(), attempt.number()));
  }

  /** The possible spans from the recording of an attempt's start to that of its end. */
  static List<Span> spans(AttemptView attempt, DatabaseTimes times) {
    List<Span> spans = new ArrayList<>();
    if (attempt.recordedAt() == null || attempt.endedAt() == null) {
      return spans;
    }
    for (Span begin : times.when(attempt.recordedAt())) {
      for (Span end : times.when(attempt.endedAt())) {
        if (begin.from() <= end.until()) {
          spans.add(new Span(begin.from(), end.until()));
        }
      }
    }
    return spans;
  }

  /** The same as text. */
  static String span(AttemptView attempt, DatabaseTimes times) {
    return spans(attempt, times).stream()
        .findFirst()
        .map(span -> "recorded after %.2f, ended before %.2f".formatted(span.from(), span.until()))
        .orElse("recorded " + attempt.recordedAt() + ", ended " + attempt.endedAt());
  }
}
