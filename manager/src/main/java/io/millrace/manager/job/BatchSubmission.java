package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.platform.database.Database;
import java.util.List;

/** Submits many jobs in one transaction, all or none. Thread-safe; blocks on the database. */
public final class BatchSubmission {
  /** Jobs of one request, at the most. */
  public static final int MOST = 10_000;

  private final Database database;
  private final JobLedger ledger;

  public BatchSubmission(Database database, JobLedger ledger) {
    this.database = database;
    this.ledger = ledger;
  }

  /**
   * Records the jobs.
   *
   * @return their ids, in their order
   * @throws MillraceException INVALID_REQUEST that names the first wrong one by its index; CONFLICT
   *     when a single-instance name is held
   */
  public List<Long> submit(JobKind kind, String owner, List<JobSpec> specs) {
    if (specs.isEmpty()) {
      throw refuse("the list is empty; send 1 to " + MOST + " jobs");
    }
    if (specs.size() > MOST) {
      throw refuse(specs.size() + " jobs in one request; send at most " + MOST);
    }
    for (int i = 0; i < specs.size(); i++) {
      check(kind, specs.get(i), i);
    }
    return database.transaction(handle -> ledger.submit(handle, kind, owner, specs));
  }

  private static void check(JobKind kind, JobSpec spec, int index) {
    if (spec == null) {
      throw refuse("[" + index + "] it is null; send a job or leave it out");
    }
    try {
      JobRules.check(kind, spec);
    } catch (MillraceException e) {
      throw new MillraceException(e.code(), "[" + index + "] " + e.getMessage(), e);
    }
  }

  private static MillraceException refuse(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
