package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.JobActionAnswer.Refusal;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.Outcome;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobDeletionTest {
  private final ArrayBench bench = new ArrayBench(50);
  private final BulkActions actions =
      new BulkActions(bench.jobs.database, bench.jobs.ledger.actions());

  @AfterEach
  void close() {
    bench.jobs.close();
  }

  @Test
  void endedJobsAreDeletedAndOthersAreRefused() {
    long cancelled = bench.jobs.submit(JobBench.command());
    long waiting = bench.jobs.submit(JobBench.command());
    bench.act(Verb.CANCEL, cancelled);

    JobActionAnswer dry = delete(true, cancelled, waiting);
    assertThat(dry.changed()).isEqualTo(1);
    assertThat(exists(cancelled)).isTrue();

    JobActionAnswer done = delete(false, cancelled, waiting);
    assertThat(done.changed()).isEqualTo(1);
    assertThat(done.unchanged()).extracting(Refusal::job).containsExactly(waiting);
    assertThat(done.unchanged().get(0).reason()).contains("waiting", "cancel it first");
    assertThat(exists(cancelled)).isFalse();
    assertThat(exists(waiting)).isTrue();
  }

  @Test
  void anArrayIsDeletedWithAllItsElements() {
    long array = bench.submit("1-60");
    bench.runToEnd(array, Outcome.SUCCEEDED);
    long element = bench.elements(array).get(0).id();

    JobActionAnswer single = delete(false, element);
    assertThat(single.changed()).isZero();
    assertThat(single.unchanged().get(0).reason()).contains("millrace job delete " + array);

    assertThat(delete(false, array).changed()).isEqualTo(1);
    assertThat(exists(array)).isFalse();
    assertThat(exists(element)).isFalse();
    assertThat(bench.elements(array)).isEmpty();
  }

  @Test
  void anArrayWithUnfinishedElementsIsKeptWhole() {
    long array = bench.submit("1-4");
    bench.jobs.place();
    bench.startPlaced(array);
    assertThat(delete(false, array).changed()).isZero();
    assertThat(bench.elements(array)).hasSize(4);
  }

  @Test
  void jobsThatAnOpenRunStillCountsAreRefused() {
    long job = bench.jobs.submit(JobBench.command());
    bench.act(Verb.CANCEL, job);
    long run = run("RUNNING", job);
    assertThat(delete(false, job).unchanged().get(0).reason()).contains("run of a task");
    assertThat(exists(job)).isTrue();

    bench.jobs.database.transaction(
        handle ->
            handle
                .createUpdate("update task_run set state = 'FAILED' where id = " + run)
                .execute());
    assertThat(delete(false, job).changed()).isEqualTo(1);
  }

  private long run(String state, long job) {
    return bench.jobs.database.transaction(handle -> run(handle, state, job));
  }

  private static long run(Handle handle, String state, long job) {
    handle
        .createUpdate(
            """
            insert into task_run (id, task, version, cause, planned_at, state, total, listed,
                next_chunk, done, idle, failed, failed_in_row, worker_millis)
            values (7, 'nightly', 1, 'MANUAL', now(), :state, 1, true, 0, 0, 0, 0, 0, 0)
            """)
        .bind("state", state)
        .execute();
    JobRunDao.insert(handle, 7, List.of(job));
    return 7;
  }

  private JobActionAnswer delete(boolean dryRun, Long... ids) {
    return actions.apply(
        new JobAction(Verb.DELETE, List.of(ids), null, null, "tidy", dryRun, false), "ann");
  }

  private boolean exists(long job) {
    return bench.jobs.database.read(handle -> JobDeletionDao.exists(handle, job));
  }
}
