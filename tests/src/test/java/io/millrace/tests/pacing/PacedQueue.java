package io.millrace.tests.pacing;

import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.pacing.PacingDecisionView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** The records of a queue with one segment. */
record PacedQueue(CentralClient central, String name) {
  private static final Duration ALL = Duration.ofHours(12);
  private static final Duration DONE_WITHIN = Duration.ofMinutes(3);
  private static final int MOST_DECISIONS = 1000;

  /** The recorded decisions, oldest first; at most the last thousand. */
  List<PacingDecisionView> decisions() {
    List<PacingDecisionView> newestFirst =
        new ArrayList<>(central.explain(name, null, ALL, MOST_DECISIONS).decisions());
    Collections.reverse(newestFirst);
    return newestFirst;
  }

  /** The recorded decisions of one attempt of its manager, oldest first. */
  List<PacingDecisionView> decisions(AttemptId attempt) {
    return decisions().stream().filter(one -> one.attempt().equals(attempt)).toList();
  }

  /** Every worker job, newest first. */
  List<JobView> workers() {
    return workers(any -> true);
  }

  /** The worker jobs submitted after the first time and up to the second. */
  List<JobView> workers(Instant from, Instant to) {
    return workers(job -> job.submittedAt().isAfter(from)).stream()
        .filter(job -> !job.submittedAt().isAfter(to))
        .toList();
  }

  /** Newest first, until the first that does not match. */
  private List<JobView> workers(Predicate<JobView> wanted) {
    List<JobView> found = new ArrayList<>();
    Long before = null;
    do {
      String query = "kind=worker&limit=500&queue=" + name;
      JobPage page = central.jobs(query + (before == null ? "" : "&before=" + before));
      List<JobView> jobs = page.jobs().stream().takeWhile(wanted).toList();
      found.addAll(jobs);
      before = jobs.size() == page.jobs().size() ? page.next() : null;
    } while (before != null);
    return found;
  }

  /** The current attempt of its manager. */
  AttemptId manager() {
    JobView job = central.queue(name).managers().get(0);
    return new AttemptId(job.id(), job.attempt());
  }

  /** Waits until that many events are acknowledged. */
  void awaitDone(int events) {
    Awaitility.await("every event of " + name + " is done")
        .atMost(DONE_WITHIN)
        .until(() -> view().acknowledged(), is -> is == events);
  }

  QueueView view() {
    return central.queue(name).queue();
  }

  /** The number of workers submitted and not ended. */
  int outstanding() {
    QueueView view = view();
    return view.workersStarting() + view.workersRunning();
  }
}
