package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.Dependency.End;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.dispatch.LicenceService;
import io.millrace.manager.job.EndedElements;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private static final UUID E1 = JobBench.E1;
  private static final UUID E2 = JobBench.E2;
  private static final long GB = 1L << 30;

  private WaitBench bench = new WaitBench();

  @AfterEach
  void close() {
    bench.close();
  }

  private static JobDraft job() {
    return JobDraft.command("/bin/true").name("job");
  }

  private WaitReason only(long job) {
    List<WaitReason> reasons = bench.explain(job).reasons();
    assertThat(reasons).hasSize(1);
    return reasons.get(0);
  }

  private void impatient() {
    bench.close();
    bench = new WaitBench(WaitBench.impatient());
  }

  @Test
  void aTotalOfZeroRemovesALicenceThatNobodyHolds() {
    LicenceService licences = new LicenceService(bench.jobs.database, bench.jobs.wakeUps);
    bench.employ(E1, "e1", 4);
    licences.set("solver", 1);
    bench.submit(job().licences(Map.of("solver", 1)).spec());
    assertThat(bench.place()).isOne();

    licences.set("solver", 0);
    assertThat(licences.list()).as("held").hasSize(1);
    licences.set("other", 3);
    licences.set("other", 0);
    assertThat(licences.list()).extracting("name").containsExactly("solver");
  }

  @Test
  void held_names_the_user() {
    long held = bench.submit(job().hold(true).spec());

    assertThat(only(held))
        .isEqualTo(new WaitReason(WaitCode.HELD, "submitted on hold; release it to let it run"));
  }

  @Test
  void not_before_says_the_time() {
    Instant later = Instant.parse("2099-01-01T00:00:00Z");
    long early = bench.submit(job().notBefore(later).spec());

    assertThat(only(early))
        .isEqualTo(
            new WaitReason(WaitCode.NOT_BEFORE, "starts no earlier than 2099-01-01T00:00:00Z"));
  }

  @Test
  void a_single_instance_after_a_restoration_names_it() {
    Instant until = Instant.parse("2099-01-01T00:00:00Z");
    bench.restoredUntil(until);
    bench.employ(E1, "e1", 4);
    long plain = bench.submit(job().spec());
    long single = bench.submit(job().single("nightly").spec());

    assertThat(only(single).code()).isEqualTo(WaitCode.NOT_BEFORE);
    assertThat(only(single).words()).contains("2099-01-01T00:00:00Z", "was restored from a backup");
    assertThat(bench.explain(plain).reasons())
        .noneMatch(reason -> reason.words().contains("restored"));
  }

  @Test
  void back_off_says_the_failure_and_the_time() {
    bench.employ(E1, "e1", 1);
    RetryPolicy twice = RetryPolicy.upTo(2, Duration.ofMinutes(10), Duration.ofHours(1));
    long flaky = bench.submit(job().retry(twice).spec());
    bench.place();
    bench.end(flaky, Outcome.FAILED);

    WaitReason reason = only(flaky);

    assertThat(reason.code()).isEqualTo(WaitCode.BACKOFF);
    assertThat(reason.words()).startsWith("exit code 3; retry 1 of 2 after 10m, at 2");
  }

  @Test
  void dependencies_are_named_with_their_states() {
    long first = bench.submit(job().name("extract").spec());
    long second = bench.submit(job().name("check").hold(true).spec());
    long last =
        bench.submit(
            job()
                .after(List.of(new Dependency(first, End.OK), new Dependency(second, End.ANY)))
                .spec());

    assertThat(only(last))
        .isEqualTo(
            new WaitReason(
                WaitCode.DEPENDENCY,
                "waits for job 1 (extract, waiting) to succeed; job 2 (check, held) to end"));
  }

  @Test
  void a_lane_names_the_job_that_may_run_before() {
    bench.submit(job().name("a").lane("night").spec());
    bench.submit(job().name("b").lane("night").spec());
    long third = bench.submit(job().name("c").lane("night").spec());

    assertThat(only(third))
        .isEqualTo(
            new WaitReason(
                WaitCode.LANE, "lane night: after job 1 (a, waiting), the first of 2 before it"));
  }

  @Test
  void no_node_serves_the_pool() {
    long waiting = bench.submit("job");

    assertThat(only(waiting))
        .isEqualTo(new WaitReason(WaitCode.NO_NODE, "no execution node serves pool default"));
  }

  @Test
  void no_node_matches_and_what_the_best_has() {
    bench.employ(E1, "e1", new NodeCapacity(4, 0, 16 * GB, null, false), Map.of());
    bench.employ(E2, "e2", new NodeCapacity(4, 0, 8 * GB, null, false), Map.of());
    long large = bench.submit(job().requires("memory >= 64GB").spec());

    JobExplanation explanation = bench.explain(large);

    assertThat(explanation.reasons())
        .containsExactly(
            new WaitReason(WaitCode.NO_MATCH, "no node matches memory >= 64GB: the best has 16GB"));
    assertThat(explanation.nodes())
        .extracting(verdict -> verdict.node() + " " + verdict.reason().words())
        .containsExactly(
            "e1 needs memory >= 64GB: it has 16GB", "e2 needs memory >= 64GB: it has 8GB");
  }

  @Test
  void no_node_runs_jobs_as_its_user() {
    bench.employ(
        E1, "e1", NodeCapacity.ofSlots(4), new AcceptedUsers(Set.of("carol"), false).attributes());
    long waiting = bench.submit(job().runAs("bob").spec());
    bench.place();

    assertThat(only(waiting).code()).isEqualTo(WaitCode.NO_USER);
    assertThat(only(waiting).words()).startsWith("e1 does not run jobs as user 'bob': add it to");
    assertThat(bench.explain(waiting).nodes().get(0).reason()).isEqualTo(only(waiting));
    // Central managers of the version before know no other word.
    assertThat(bench.explain(waiting).waits())
        .last()
        .satisfies(
            span -> {
              assertThat(span.code()).isEqualTo(WaitCode.NO_MATCH);
              assertThat(span.words()).isEqualTo(only(waiting).words());
            });
    assertThat(only(bench.submit(job().spec())).words()).startsWith("e1 runs no jobs that name no");
    bench.submit(job().runAs("carol").spec());
    assertThat(bench.place()).isOne();
  }

  @Test
  void too_large_for_every_node() {
    bench.employ(E1, "e1", 4);
    long wide = bench.submit(job().slots(9).spec());

    assertThat(only(wide))
        .isEqualTo(
            new WaitReason(WaitCode.TOO_LARGE, "needs 9 slots; the largest matching node has 4"));
  }

  @Test
  void every_node_is_drained() {
    bench.employ(E1, "e1", 4);
    ExecutionNodeViews views = new ExecutionNodeViews(bench.jobs.database, bench.denylist);
    new ExecutionNodeCommands(bench.jobs.database, views, bench.jobs.wakeUps)
        .drain("e1", new NodeCommand(null, "new disk"), "ann");
    long waiting = bench.submit("job");

    WaitReason reason = only(waiting);

    assertThat(reason.code()).isEqualTo(WaitCode.NODES_CLOSED);
    assertThat(reason.words()).contains("e1").contains("draining");
  }

  @Test
  void all_slots_are_taken() {
    bench.employ(E1, "e1", 1);
    bench.submit("job");
    bench.place();
    long second = bench.submit("job");

    assertThat(only(second))
        .isEqualTo(new WaitReason(WaitCode.NO_SLOT, "all 1 slot of node e1 are in use"));
  }

  @Test
  void booked_memory_is_explained_with_the_most_free() {
    bench.employ(E1, "e1", new NodeCapacity(4, 0, 8 * GB, null, false), Map.of());
    bench.submit(job().memory("5GB").spec());
    bench.place();
    long second = bench.submit(job().memory("8GB").spec());

    WaitReason reason = only(second);

    assertThat(reason.code()).isEqualTo(WaitCode.NO_RESOURCE);
    assertThat(reason.words()).startsWith("needs 8GB memory").contains("3GB");
  }

  @Test
  void a_licence_in_use_names_its_holders() {
    bench.employ(E1, "e1", 8);
    new LicenceService(bench.jobs.database, bench.jobs.wakeUps).set("matlab", 2);
    JobDraft wanting = job().licences(Map.of("matlab", 1));
    bench.submit(wanting.spec());
    bench.submit(wanting.spec());
    assertThat(bench.place()).isEqualTo(2);
    long third = bench.submit(wanting.spec());

    assertThat(only(third))
        .isEqualTo(
            new WaitReason(WaitCode.LICENCE, "licence matlab: 2 of 2 in use by jobs 1.1, 2.1"));
  }

  @Test
  void a_node_that_takes_only_jobs_that_ask_for_it() {
    bench.employ(E1, "e1", new NodeCapacity(4, 0, 0, null, true), Map.of("label.gpu", "a100"));
    long waiting = bench.submit("job");
    long asking = bench.submit(job().requires("label.gpu == \"a100\"").spec());

    assertThat(only(waiting).code()).isEqualTo(WaitCode.NOT_ASKED);
    assertThat(only(waiting).words()).startsWith("e1 takes only jobs that ask for it");
    assertThat(only(asking).code()).isEqualTo(WaitCode.SOON);
  }

  @Test
  void quick_failures_close_a_node_to_the_definition() {
    bench.employ(E2, "e2", 1);
    endTen(Outcome.FAILED);
    bench.jobs.deregister(E2);
    bench.employ(E1, "e1", 1);
    endTen(Outcome.SUCCEEDED);
    bench.jobs.deregister(E1);
    bench.employ(E2, "e2", 1);
    long waiting = bench.submit("import");

    assertThat(bench.place()).isZero();
    WaitReason reason = only(waiting);
    assertThat(reason.code()).isEqualTo(WaitCode.QUICK_FAILURES);
    assertThat(reason.words())
        .startsWith("e2 takes no jobs of this definition until ")
        .endsWith(
            "job 1, job 2, job 3 and 7 more failed there soon after starting (exit code 3)"
                + " without a success, while at least 10 succeeded on other nodes");
  }

  private void endTen(Outcome outcome) {
    for (int i = 0; i < 10; i++) {
      long job = bench.submit("import");
      assertThat(bench.place()).isOne();
      bench.end(job, outcome);
    }
  }

  @Test
  void capacity_is_reserved_for_a_wide_job_that_waits_longer() {
    impatient();
    bench.employ(E1, "e1", 2);
    bench.submit("first");
    bench.place();
    long wide = bench.submit(job().slots(2).spec());
    bench.age(wide, Duration.ofMinutes(1));
    long narrow = bench.submit(job().name("narrow").spec());
    bench.place();

    assertThat(bench.explain(wide).reasons().get(0).code()).isEqualTo(WaitCode.NO_SLOT);
    WaitReason reason = bench.explain(narrow).reasons().get(0);
    assertThat(reason)
        .isEqualTo(
            new WaitReason(
                WaitCode.RESERVED, "e1 is reserved for a job of 2 slots that has waited longer"));
  }

  @Test
  void others_come_first_by_priority_and_age() {
    impatient();
    bench.employ(E1, "e1", 4);
    bench.submit(job().priority(5).spec());
    bench.submit(job().priority(5).spec());
    bench.submit("job");
    long last = bench.submit("job");
    assertThat(bench.place()).isOne();

    assertThat(only(last))
        .isEqualTo(
            new WaitReason(
                WaitCode.TURN,
                "after jobs of priority 5 (it has 0); 1 older job with the same requirements"));
  }

  @Test
  void nobody_places_jobs_of_the_pool() {
    bench.employ(E1, "e1", 4);
    long waiting = bench.submit("job");
    bench.age(waiting, Duration.ofSeconds(30));

    assertThat(bench.explain(waiting).reasons())
        .first()
        .isEqualTo(
            new WaitReason(WaitCode.NO_DISPATCH, "no central manager is dispatching pool default"));
  }

  @Test
  void an_array_runs_as_many_elements_as_it_may() {
    bench.employ(E1, "e1", 8);
    long array = bench.submit(job().array(ArrayRange.parse("1-10%2")).spec());
    bench.place();

    assertThat(bench.explain(array).reasons())
        .first()
        .isEqualTo(
            new WaitReason(
                WaitCode.ARRAY_LIMIT, "2 of at most 2 concurrent elements are in progress"));
  }

  @Test
  void an_element_of_a_held_array_waits_for_its_release() {
    bench.employ(E1, "e1", 1);
    long array = bench.submit(job().array(ArrayRange.parse("1-3")).spec());
    bench.place();
    long element =
        bench.jobs.database.read(handle -> new EndedElements().id(handle, array, 2)).orElseThrow();
    bench.jobs.ledger.act(array, new ActionRequest(Verb.HOLD, null, "ann", "broken input"));

    assertThat(only(element))
        .isEqualTo(
            new WaitReason(
                WaitCode.ARRAY_TURN,
                "its array, job %d: held by ann: broken input; release that to let it run"
                    .formatted(array)));
  }

  @Test
  void a_job_about_to_start_and_one_that_runs() {
    bench.employ(E1, "e1", 1);
    long job = bench.submit("job");

    assertThat(only(job)).isEqualTo(new WaitReason(WaitCode.SOON, "is about to be placed"));
    assertThat(bench.explain(job).nodes())
        .containsExactly(new JobExplanation.NodeVerdict("e1", null));

    bench.place();
    assertThat(bench.explain(job).reasons()).isEmpty();
    assertThat(bench.explain(job).nodes()).isEmpty();
  }

  @Test
  void an_unknown_job_is_reported() {
    assertThatThrownBy(() -> bench.explain(77))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.UNKNOWN_JOB));
  }

  @Test
  void what_a_job_waited_for_stays_known_after_its_end_and_covers_the_whole_wait() {
    bench.employ(E1, "e1", 1);
    long blocking = bench.submit("other");
    bench.place();
    long job = bench.submit(job().after(List.of(new Dependency(blocking, End.ANY))).spec());
    long rival = bench.submit(job().name("rival").priority(9).spec());
    bench.place();
    bench.end(blocking, Outcome.SUCCEEDED);
    bench.place();
    bench.place();
    assertThat(bench.jobs.state(rival)).isEqualTo(JobState.PLACED);
    bench.end(rival, Outcome.SUCCEEDED);
    assertThat(bench.place()).isOne();
    bench.end(job, Outcome.SUCCEEDED);
    bench.submit("other");

    JobExplanation explanation = bench.explain(job);

    assertThat(explanation.reasons()).isEmpty();
    List<WaitSpan> waits = explanation.waits();
    assertThat(waits)
        .extracting(WaitSpan::code)
        .containsExactly(WaitCode.DEPENDENCY, WaitCode.TURN, WaitCode.NO_SLOT);
    assertThat(waits.get(0).words()).isEqualTo("the end of job " + blocking);
    assertThat(waits.get(2).words()).isEqualTo("all 1 slot of node e1 are in use");
    assertThat(waits.get(0).from()).isEqualTo(explanation.job().submittedAt());
    assertThat(waits.get(1).from()).isEqualTo(waits.get(0).until());
    assertThat(waits.get(2).from()).isEqualTo(waits.get(1).until());
    assertThat(waits.get(2).until())
        .isEqualTo(bench.jobs.queries.details(job).attempts().get(0).recordedAt());
  }

  @Test
  void a_pause_before_a_retry_is_part_of_the_history() {
    bench.employ(E1, "e1", 1);
    RetryPolicy twice = RetryPolicy.upTo(2, Duration.ofMinutes(10), Duration.ofHours(1));
    long flaky = bench.submit(job().retry(twice).spec());
    bench.place();
    bench.end(flaky, Outcome.FAILED);

    List<WaitSpan> waits = bench.explain(flaky).waits();

    assertThat(waits).extracting(WaitSpan::code).containsExactly(WaitCode.SOON, WaitCode.BACKOFF);
    assertThat(waits.get(1).words()).isEqualTo("exit code 3; retry 1 of 2 after 10m");
    assertThat(waits.get(1).until()).isNull();
  }

  @Test
  void lists_show_briefly_why_jobs_of_a_shape_wait() {
    bench.employ(E1, "e1", 1);
    bench.submit("job");
    long second = bench.submit("job");
    long third = bench.submit("job");
    bench.place();
    bench.place();

    assertThat(bench.jobs.queries.view(second).reason())
        .isEqualTo("all 1 slot of node e1 are in use");
    assertThat(bench.jobs.queries.view(third).reason())
        .isEqualTo("all 1 slot of node e1 are in use");
  }

  @Test
  void a_share_that_has_had_less_comes_first() {
    impatient();
    bench.employ(E1, "e1", 4);
    bench.submit(job().share("ann").spec());
    bench.place();
    long mine = bench.submit(job().share("ann").spec());
    bench.submit(job().share("bob").spec());

    assertThat(only(mine))
        .isEqualTo(
            new WaitReason(
                WaitCode.TURN, "after share bob, which has used less of its fair share than ann"));
  }
}
