package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.manager.insight.WaitBench;
import io.millrace.manager.job.JobBench;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DenylistServiceTest {
  private static final UUID E1 = JobBench.E1;
  private static final UUID E2 = JobBench.E2;

  private final WaitBench bench = new WaitBench();

  @BeforeEach
  void twoNodes() {
    bench.employ(E1, "e1", 4);
    bench.employ(E2, "e2", 4);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private void run(String node, String name, Outcome outcome, Duration run) {
    long job =
        bench.submit(
            JobDraft.command("/bin/true").name(name).requires("name == \"" + node + "\"").spec());
    assertThat(bench.place()).isOne();
    bench.end(job, 1, outcome, run, null);
  }

  private void run(String node, Outcome outcome) {
    run(node, "import", outcome, Duration.ofMillis(50));
  }

  private List<DenylistEntry> closures(UUID node) {
    return bench.jobs.database.read(bench.closures::byNode).getOrDefault(node, List.of());
  }

  private int rows() {
    return bench.jobs.database.read(
        handle ->
            handle.createQuery("select count(*) from node_closure").mapTo(Integer.class).one());
  }

  private int placeable(String name, int jobs) {
    for (int i = 0; i < jobs; i++) {
      bench.submit(name);
    }
    return bench.place();
  }

  @Test
  void a_node_where_a_definition_fails_quickly_is_closed_to_it_and_to_nothing_else() {
    run("e1", Outcome.SUCCEEDED);
    run("e2", Outcome.FAILED);
    run("e2", Outcome.FAILED);
    assertThat(closures(E2)).isEmpty();
    run("e2", Outcome.FAILED);

    assertThat(closures(E2))
        .singleElement()
        .satisfies(
            closure -> {
              assertThat(closure.definition()).isEqualTo("ann/import");
              assertThat(closure.quickFailures()).isEqualTo(3);
              assertThat(closure.reason()).isEqualTo("exit code 3");
              assertThat(closure.until()).isAfter(bench.jobs.database.now());
            });
    assertThat(closures(E1)).isEmpty();
    assertThat(placeable("import", 8)).isEqualTo(4);
    assertThat(bench.jobs.recorded(E2)).isEmpty();
    assertThat(placeable("other", 4)).isEqualTo(4);
    assertThat(bench.jobs.recorded(E2)).hasSize(4);
  }

  @Test
  void failed_starts_count_however_long_they_took() {
    run("e1", Outcome.SUCCEEDED);
    for (int i = 0; i < 3; i++) {
      run("e2", "import", Outcome.START_FAILED, Duration.ofSeconds(20));
    }

    assertThat(closures(E2)).hasSize(1);
  }

  @Test
  void slow_failures_and_failures_everywhere_close_nothing() {
    run("e1", "slow", Outcome.SUCCEEDED, Duration.ofSeconds(30));
    for (int i = 0; i < 5; i++) {
      run("e2", "slow", Outcome.FAILED, Duration.ofSeconds(6));
      run("e1", "broken", Outcome.FAILED, Duration.ofMillis(50));
      run("e2", "broken", Outcome.FAILED, Duration.ofMillis(50));
    }

    assertThat(closures(E1)).isEmpty();
    assertThat(closures(E2)).isEmpty();
  }

  @Test
  void a_success_restarts_the_count() {
    run("e1", Outcome.SUCCEEDED);
    run("e2", Outcome.FAILED);
    run("e2", Outcome.FAILED);
    run("e2", Outcome.SUCCEEDED);
    assertThat(rows()).isZero();
    run("e2", Outcome.FAILED);
    run("e2", Outcome.FAILED);

    assertThat(closures(E2)).isEmpty();
  }

  @Test
  void ordinary_successes_write_no_row() {
    for (int i = 0; i < 3; i++) {
      run("e1", Outcome.SUCCEEDED);
      run("e2", Outcome.SUCCEEDED);
    }

    assertThat(rows()).isZero();
  }

  @Test
  void after_the_time_one_job_is_tried_and_its_success_opens_the_node() {
    run("e1", Outcome.SUCCEEDED);
    for (int i = 0; i < 3; i++) {
      run("e2", Outcome.FAILED);
    }
    endClosures();
    long trial = onlyOn("e2");
    long second = onlyOn("e2");
    assertThat(bench.place()).isOne();

    Map<UUID, Map<String, String>> reasons =
        bench.jobs.database.read(
            handle -> bench.closures.reasons(handle, bench.jobs.database.now()));
    assertThat(reasons.get(E2).get("ann/import"))
        .isEqualTo(
            "accepts one job of this definition as a trial: they failed on this node 3 times in a row,"
                + " soon after starting (exit code 3), but succeed on others");
    bench.end(trial, Outcome.SUCCEEDED);

    assertThat(bench.place()).isOne();
    assertThat(bench.jobs.recorded(E2)).extracting(attempt -> attempt.job()).contains(second);
    assertThat(rows()).isZero();
  }

  @Test
  void a_trial_that_fails_closes_the_node_for_longer() {
    run("e1", Outcome.SUCCEEDED);
    for (int i = 0; i < 3; i++) {
      run("e2", Outcome.FAILED);
    }
    endClosures();
    run("e2", Outcome.FAILED);

    Instant now = bench.jobs.database.now();
    assertThat(closures(E2).get(0).until()).isBetween(now.plusSeconds(100), now.plusSeconds(121));
  }

  @Test
  void a_node_that_refuses_a_job_is_closed_to_its_definition_at_once_and_another_takes_it() {
    long job = bench.submit("import");
    bench.place();
    UUID refusing = bench.jobs.recorded(E1).isEmpty() ? E2 : E1;
    bench.refuse(job, 1);

    assertThat(closures(refusing)).hasSize(1);
    assertThat(closures(refusing).get(0).quickFailures()).isZero();
    assertThat(closures(refusing).get(0).reason()).startsWith("user 'bob': ");
    assertThat(bench.problems())
        .singleElement()
        .asString()
        .contains("because it refused a job (user 'bob': ")
        .doesNotContain("succeeds on other nodes");
    assertThat(bench.place()).isOne();
    assertThat(bench.jobs.recorded(refusing)).isEmpty();
    JobDetails details = bench.jobs.queries.details(job);
    assertThat(details.attempts()).hasSize(2);
    bench.end(job, 2, Outcome.SUCCEEDED, Duration.ofMillis(5), null);
    assertThat(bench.jobs.queries.details(job).job().state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void a_job_that_every_node_refuses_waits_and_says_why() {
    long job = bench.submit("import");
    for (int attempt = 1; attempt <= 2; attempt++) {
      assertThat(bench.place()).isOne();
      bench.refuse(job, attempt);
    }

    assertThat(bench.place()).isZero();
    WaitReason reason = bench.explain(job).reasons().get(0);
    assertThat(reason.code()).isEqualTo(WaitCode.QUICK_FAILURES);
    assertThat(reason.words())
        .startsWith("e1 is closed to jobs of this definition until ")
        .contains(": it refused one (user 'bob': ")
        .contains("; e2 is closed to jobs of this definition until ");
    endClosures();
    assertThat(bench.place()).as("the trial").isOne();
  }

  private long onlyOn(String node) {
    return bench.submit(
        JobDraft.command("/bin/true").name("import").requires("name == \"" + node + "\"").spec());
  }

  private void endClosures() {
    Instant before = bench.jobs.database.now().minusSeconds(5);
    bench.jobs.database.transaction(
        handle ->
            handle
                .createUpdate("update node_closure set closed_until = :before")
                .bind("before", before)
                .execute());
  }
}
