package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.node.NodeAllowance;
import io.millrace.manager.insight.WaitBench;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
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

  private List<DenylistEntry> denials(UUID node) {
    return bench.jobs.database.read(bench.denylist::byNode).getOrDefault(node, List.of());
  }

  private int rows() {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery(
                    "select (select count(*) from node_closure) + (select count(*) from node_failure)")
                .mapTo(Integer.class)
                .one());
  }

  private int placeable(String name, int jobs) {
    for (int i = 0; i < jobs; i++) {
      bench.submit(name);
    }
    return bench.place();
  }

  private static final RetryPolicy THREE_TIMES =
      RetryPolicy.upTo(3, Duration.ofSeconds(1), Duration.ofMinutes(1));

  private AttemptId ended(long job, int attempt, Outcome outcome, Duration run) {
    assertThat(bench.place()).isOne();
    AttemptId id = new AttemptId(job, attempt);
    bench.end(job, attempt, outcome, run, null);
    bench.jobs.database.transaction(
        handle ->
            handle
                .createUpdate("update job_ready set ready_at = :now where job_id = :job")
                .bind("now", bench.jobs.database.now().minusSeconds(1))
                .bind("job", job)
                .execute());
    return id;
  }

  /** Different jobs fail on e2, and their retries succeed on e1. */
  private void failThenSucceedElsewhere(int jobs, Outcome outcome, Duration run) {
    for (int i = 0; i < jobs; i++) {
      bench.drain("e1");
      long job =
          bench.submit(JobDraft.command("/bin/true").name("import").retry(THREE_TIMES).spec());
      assertThat(bench.jobs.nodeOf(ended(job, 1, outcome, run))).isEqualTo(E2);
      bench.undrain("e1");
      assertThat(bench.jobs.nodeOf(ended(job, 2, Outcome.SUCCEEDED, run))).isEqualTo(E1);
    }
  }

  private void failThenSucceedElsewhere(int jobs) {
    failThenSucceedElsewhere(jobs, Outcome.FAILED, Duration.ofMillis(50));
  }

  @Test
  void a_definition_is_denied_when_three_different_jobs_failed_there_and_succeeded_elsewhere() {
    failThenSucceedElsewhere(2);
    assertThat(denials(E2)).isEmpty();
    failThenSucceedElsewhere(1);

    assertThat(denials(E2))
        .singleElement()
        .satisfies(
            closure -> {
              assertThat(closure.definition()).isEqualTo("ann/import");
              assertThat(closure.quickFailures()).isEqualTo(3);
              assertThat(closure.reason())
                  .startsWith("job ")
                  .contains("(exit code 3) and then succeeded on e1");
              assertThat(closure.until()).isAfter(bench.jobs.database.now());
            });
    assertThat(denials(E1)).isEmpty();
    assertThat(placeable("import", 8)).isEqualTo(4);
    assertThat(bench.jobs.recorded(E2)).isEmpty();
    assertThat(placeable("other", 4)).isEqualTo(4);
    assertThat(bench.jobs.recorded(E2)).hasSize(4);
  }

  /** A worker of a task's run that works on a chunk and ends on that node. */
  private void work(String chunk, String node, Outcome outcome) {
    long job =
        bench.submit(
            JobDraft.command("/bin/true")
                .name("import")
                .requires("name == \"" + node + "\"")
                .spec());
    bench.jobs.database.transaction(
        handle ->
            handle.execute(
                "insert into task_worker (run_id, role, state, position, chunk, job_id)"
                    + " values (1, 'WORK', 'LIVE', 0, ?, ?)",
                chunk,
                job));
    assertThat(bench.place()).isOne();
    bench.end(job, 1, outcome, Duration.ofMillis(50), null);
  }

  @Test
  void a_chunk_is_one_item_of_evidence_whatever_jobs_try_it() {
    for (String chunk : List.of("a", "b", "a")) {
      work(chunk, "e2", Outcome.FAILED);
      work(chunk, "e1", Outcome.SUCCEEDED);
    }
    assertThat(denials(E2)).isEmpty();
    work("c", "e2", Outcome.FAILED);
    work("c", "e1", Outcome.SUCCEEDED);
    assertThat(denials(E2))
        .singleElement()
        .satisfies(closure -> assertThat(closure.reason()).startsWith("chunk a, chunk b, chunk c"));
  }

  @Test
  void an_operator_ends_a_denial_and_its_evidence_is_forgotten() {
    failThenSucceedElsewhere(3);
    assertThat(denials(E2)).hasSize(1);
    ExecutionNodeCommands commands =
        new ExecutionNodeCommands(
            bench.jobs.database,
            new ExecutionNodeViews(bench.jobs.database, bench.denylist),
            bench.jobs.wakeUps);

    assertThat(commands.allow("e2", new NodeAllowance("ann/import"), "ben").closures()).isEmpty();

    assertThat(rows()).isZero();
    failThenSucceedElsewhere(2);
    assertThat(denials(E2)).as("two are no evidence").isEmpty();
    assertThatThrownBy(() -> commands.allow("e2", new NodeAllowance("ann/import"), "ben"))
        .hasMessageContaining("ann/import is not denied to node e2");
    assertThatThrownBy(() -> commands.allow("e9", new NodeAllowance("x"), "ben"))
        .hasMessageContaining("e9");
    assertThatThrownBy(() -> commands.allow("e2", new NodeAllowance(null), "ben"))
        .hasMessageContaining("definition");
  }

  @Test
  void the_attempts_of_one_bad_element_close_no_node_and_go_to_different_nodes() {
    long array =
        bench.submit(
            JobDraft.command("/bin/true")
                .name("import")
                .array(ArrayRange.parse("1-20"))
                .retry(THREE_TIMES)
                .spec());
    Long bad = null;
    for (int round = 0; round < 20 && bad == null || bench.place() > 0; round++) {
      bench.place();
      for (AttemptId attempt : all()) {
        JobView view = bench.jobs.queries.view(attempt.job());
        boolean isBad = view.array() != null && view.array() == array && view.index() == 13;
        bad = isBad ? Long.valueOf(attempt.job()) : bad;
        bench.end(
            attempt.job(),
            attempt.number(),
            isBad ? Outcome.FAILED : Outcome.SUCCEEDED,
            Duration.ofMillis(100),
            null);
      }
    }
    List<UUID> nodes = new ArrayList<>(List.of(bench.jobs.nodeOf(new AttemptId(bad, 1))));
    for (int attempt = 2; attempt <= 4; attempt++) {
      bench.age(bad, Duration.ofSeconds(1));
      nodes.add(bench.jobs.nodeOf(ended(bad, attempt, Outcome.FAILED, Duration.ofMillis(100))));
    }

    assertThat(nodes.get(1)).isNotEqualTo(nodes.get(0));
    assertThat(nodes.get(3)).isNotEqualTo(nodes.get(2));
    assertThat(bench.jobs.state(bad)).isEqualTo(JobState.FAILED);
    assertThat(denials(E1)).isEmpty();
    assertThat(denials(E2)).isEmpty();
  }

  private List<AttemptId> all() {
    return Stream.concat(bench.jobs.recorded(E1).stream(), bench.jobs.recorded(E2).stream())
        .toList();
  }

  @Test
  void a_node_on_which_all_jobs_without_retries_fail_is_denied_them() {
    for (int i = 0; i < 10; i++) {
      run("e2", Outcome.FAILED);
      assertThat(denials(E2)).isEmpty();
      run("e1", Outcome.SUCCEEDED);
    }

    assertThat(denials(E2)).hasSize(1);
  }

  @Test
  void failed_starts_count_however_long_they_took() {
    failThenSucceedElsewhere(3, Outcome.START_FAILED, Duration.ofSeconds(20));

    assertThat(denials(E2)).hasSize(1);
  }

  @Test
  void slow_failures_and_failures_everywhere_close_nothing() {
    run("e1", "slow", Outcome.SUCCEEDED, Duration.ofSeconds(30));
    for (int i = 0; i < 5; i++) {
      run("e2", "slow", Outcome.FAILED, Duration.ofSeconds(6));
      run("e1", "broken", Outcome.FAILED, Duration.ofMillis(50));
      run("e2", "broken", Outcome.FAILED, Duration.ofMillis(50));
    }

    assertThat(denials(E1)).isEmpty();
    assertThat(denials(E2)).isEmpty();
  }

  @Test
  void a_success_restarts_the_count() {
    failThenSucceedElsewhere(2);
    run("e2", Outcome.SUCCEEDED);
    assertThat(rows()).isZero();
    failThenSucceedElsewhere(2);

    assertThat(denials(E2)).isEmpty();
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
    failThenSucceedElsewhere(3);
    endClosures();
    long trial = onlyOn("e2");
    long second = onlyOn("e2");
    assertThat(bench.place()).isOne();

    Map<UUID, Map<String, String>> reasons =
        bench.jobs.database.read(
            handle -> bench.denylist.reasons(handle, bench.jobs.database.now()));
    assertThat(reasons.get(E2).get("ann/import"))
        .startsWith("accepts one of the jobs of this definition as a trial: job ");
    bench.end(trial, Outcome.SUCCEEDED);

    assertThat(bench.place()).isOne();
    assertThat(bench.jobs.recorded(E2)).extracting(attempt -> attempt.job()).contains(second);
    assertThat(rows()).isZero();
  }

  @Test
  void a_trial_that_fails_closes_the_node_for_longer() {
    failThenSucceedElsewhere(3);
    endClosures();
    run("e2", Outcome.FAILED);

    Instant now = bench.jobs.database.now();
    assertThat(denials(E2).get(0).until()).isBetween(now.plusSeconds(100), now.plusSeconds(121));
  }

  @Test
  void a_node_that_refuses_a_job_is_denied_its_user_at_once_and_another_takes_it() {
    long job = bench.submit("import");
    bench.place();
    UUID refusing = bench.jobs.recorded(E1).isEmpty() ? E2 : E1;
    bench.refuse(job, 1);

    assertThat(denials(refusing)).hasSize(1);
    assertThat(denials(refusing).get(0).quickFailures()).isZero();
    assertThat(denials(refusing).get(0).reason()).startsWith("user 'bob': ");
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
        .startsWith("e1 takes no jobs that name no user until ")
        .contains(": it refused one (user 'bob': ")
        .contains("; e2 takes no jobs that name no user until ");
    endClosures();
    assertThat(bench.place()).as("the trial").isOne();
  }

  @Test
  void a_refused_user_closes_the_node_to_that_user_only() {
    long job = bench.submit(JobDraft.command("/bin/true").name("import").runAs("bob").spec());
    bench.place();
    UUID refusing = bench.jobs.recorded(E1).isEmpty() ? E2 : E1;
    bench.refuse(job, 1);

    assertThat(placeable("import", 8)).isEqualTo(8);
    assertThat(bench.jobs.recorded(refusing)).hasSize(4);
    assertThat(denials(refusing).get(0).definition()).isEqualTo("user:bob");
  }

  @Test
  void the_denial_of_a_user_ends_when_a_job_of_the_user_runs_on_the_node() {
    long job = onlyAs("bob");
    bench.place();
    bench.refuse(job, 1);
    assertThat(deniedUsers()).isOne();
    endClosures();
    assertThat(bench.place()).as("the trial").isOne();
    bench.end(job, 2, Outcome.SUCCEEDED, Duration.ofMinutes(1), null);

    assertThat(deniedUsers()).isZero();
  }

  private long onlyAs(String user) {
    return bench.submit(
        JobDraft.command("/bin/true").name("import").runAs(user).requires("name == \"e1\"").spec());
  }

  private long deniedUsers() {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select count(*) from node_closure where definition like 'user:%'")
                .mapTo(Long.class)
                .one());
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
