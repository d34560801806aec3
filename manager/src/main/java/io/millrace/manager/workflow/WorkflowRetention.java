package io.millrace.manager.workflow;

import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty.Duty;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/**
 * Deletes workflows some time after their end, and those whose submission was never completed, some
 * rows in each transaction. Thread-safe; blocks on the database.
 */
final class WorkflowRetention implements Duty {
  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final WorkflowControl control;
  private final Duration keep;
  private final WorkflowDao workflows = new WorkflowDao();

  WorkflowRetention(Database database, ClaimDao claims, WorkflowControl control, Duration keep) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.control = control;
    this.keep = keep;
  }

  @Override
  public void run(Claim claim) {
    new RetentionRounds(database, handle -> claims.lock(handle, claim)).add(this::deleteSome).run();
  }

  private boolean deleteSome(Handle handle) {
    for (long old : workflows.old(handle, time.now(handle).minus(keep), 1)) {
      control.deleteSome(handle, old);
      return true;
    }
    return false;
  }
}
