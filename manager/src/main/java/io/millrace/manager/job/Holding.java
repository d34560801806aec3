package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.WaitingJobs.Change;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Holds jobs that wait, and releases them. */
final class Holding {
  private final WaitingJobs waiters;

  Holding(WaitingJobs waiters) {
    this.waiters = waiters;
  }

  void hold(Handle handle, List<JobFacts> locked, String words, ActionResult result, Instant now) {
    List<Change> changes = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.kind() != JobKind.SUBMITTED) {
        result.refused(job.id(), "works for a queue; pause the queue instead");
      } else if (job.held()) {
        result.refused(job.id(), "is held already");
      } else if (job.state().waits()) {
        changes.add(new Change(job, true, job.unmet(), words));
        result.changed(job.id());
      } else {
        result.refused(job.id(), "is " + job.state() + "; only jobs that wait can be held");
      }
    }
    waiters.apply(handle, changes, now);
  }

  void release(
      Handle handle, List<JobFacts> locked, String words, ActionResult result, Instant now) {
    List<Change> changes = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.held() && job.state().waits()) {
        changes.add(new Change(job, false, job.unmet(), words));
        result.changed(job.id());
      } else {
        result.refused(job.id(), "is not held, but " + job.state());
      }
    }
    waiters.apply(handle, changes, now);
  }
}
