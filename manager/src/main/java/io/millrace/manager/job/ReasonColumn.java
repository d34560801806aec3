package io.millrace.manager.job;

/** Why a job is in its state, for lists. */
public final class ReasonColumn {
  /**
   * Of the job {@code j}: its own reason, or else why its shape waits, as the dispatch said last. A
   * look into an index for each job that is shown.
   */
  public static final String SQL =
      "coalesce(j.reason, case when j.state = 'WAITING' then (select w.words from shape_wait w where"
          + " w.shape_id = j.shape_id and w.ended_at is null limit 1) end) as reason";

  private ReasonColumn() {}
}
