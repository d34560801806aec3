package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.platform.database.Database;
import java.util.List;

/** Does things to single jobs. Thread-safe; blocks on the database. */
final class SingleJobActions {
  private final Database database;
  private final JobReadDao reads = new JobReadDao();
  private final JobActions actions;

  SingleJobActions(Database database, JobActions actions) {
    this.database = database;
    this.actions = actions;
  }

  /**
   * Does it, and shows the job. Cancelling twice, or after the end, changes nothing.
   *
   * @throws MillraceException UNKNOWN_JOB, CONFLICT when it doesn't fit the job's state
   */
  JobView act(long id, ActionRequest request) {
    return database.transaction(
        handle -> {
          ActionResult result = actions.apply(handle, List.of(id), request);
          JobView view = reads.view(handle, id).orElseThrow(() -> unknown(id));
          String refusal = result.refused().get(id);
          if (refusal != null && request.verb() != Verb.CANCEL) {
            throw new MillraceException(ErrorCode.CONFLICT, "job " + id + " " + refusal);
          }
          return view;
        });
  }

  static MillraceException unknown(long id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_JOB,
        "no job "
            + id
            + "; ended jobs are deleted after their retention, see 'millrace job list --all'");
  }
}
