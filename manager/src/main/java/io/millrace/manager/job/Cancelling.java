package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.JobWatcher.EndedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Cancels jobs: those that wait at once, those that run as soon as their node has stopped them. */
final class Cancelling {
  private final JobDao jobs = new JobDao();
  private final BookingDao bookings = new BookingDao();
  private final HistoryDao history = new HistoryDao();
  private final WaitEnds waitEnds;
  private final JobCompletion finalEnds;
  private final WakeUps wakeUps;

  Cancelling(WaitEnds waitEnds, JobCompletion finalEnds, WakeUps wakeUps) {
    this.waitEnds = waitEnds;
    this.finalEnds = finalEnds;
    this.wakeUps = wakeUps;
  }

  void apply(Handle handle, List<JobFacts> locked, String words, ActionResult result, Instant now) {
    List<EndedJob> ended = new ArrayList<>();
    List<JobFacts> asked = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.state().waits()) {
        ended.add(new EndedJob(job, JobState.CANCELLED, words));
        result.changed(job.id());
      } else if (!job.live()) {
        result.refused(job.id(), "has ended already: " + job.state());
      } else if (job.cancelReason() != null) {
        result.refused(job.id(), "was asked to stop before: " + job.cancelReason());
      } else {
        asked.add(job);
        result.changed(job.id());
      }
    }
    waitEnds.end(handle, ended, now);
    finalEnds.follow(handle, ended, now);
    ask(handle, asked, words, now);
  }

  private void ask(Handle handle, List<JobFacts> running, String words, Instant now) {
    if (running.isEmpty()) {
      return;
    }
    jobs.askCancel(handle, running, words);
    bookings.askStop(
        handle, running.stream().map(job -> new AttemptId(job.id(), job.attempt())).toList());
    history.write(
        handle,
        running.stream()
            .map(job -> new Line(job.id(), job.state(), job.attempt(), "asked to stop: " + words))
            .toList(),
        now);
    running.forEach(job -> wakeUps.jobChanged(handle, job.id()));
    running.stream()
        .map(JobFacts::nodeId)
        .distinct()
        .forEach(node -> wakeUps.nodeChanged(handle, UUID.fromString(node)));
  }
}
