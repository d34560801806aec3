package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.Dependency.End;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.ElementUsage;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.manager.job.ElementBlockDao.DeletedBlocks;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Elements that succeed at their first try have no rows, and answer as if they had. */
class CompactElementsTest {
  private static final JobDraft FRAME =
      JobDraft.command("/bin/true").name("frames").tags(List.of("film")).env(Map.of("A", "b"));
  private static final List<String> TABLES_OF_ELEMENTS =
      List.of("attempt", "booking", "job_event where job_id > %d", "job where array_id = %d");

  private final ArrayBench bench = new ArrayBench(50);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aThousandElementsLeaveNoRowsAndAreStillListed() {
    long array = bench.submit("1-1000", FRAME);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);

    for (String table : TABLES_OF_ELEMENTS) {
      assertThat(rows(table.formatted(array))).as(table).isZero();
    }
    assertThat(rows("job_tag where job_id <> " + array)).isZero();
    assertThat(rows("ended_elements")).isEqualTo(4);
    assertThat(rows("element_ids")).isEqualTo(1);
    assertThat(rows("array_node")).isEqualTo(2);
    assertThat(bench.progress(array).succeeded()).isEqualTo(1000);
    List<JobView> elements = bench.elements(array);
    assertThat(elements).hasSize(1000);
    assertThat(elements).extracting(JobView::index).doesNotHaveDuplicates();
    assertThat(elements).extracting(JobView::id).isSortedAccordingTo((a, b) -> Long.compare(b, a));
    bench.recount(array);
    assertThat(bench.jobs.totals().submitted().succeeded()).isEqualTo(1000);
  }

  @Test
  void anElementWithoutRowsSaysWhatItsRowsWouldSay() {
    long array = bench.submit("10-20:10", FRAME);
    bench.jobs.place();
    bench.startPlaced(array);
    List<JobView> placed = bench.elements(array);
    AttemptId compact = new AttemptId(placed.get(0).id(), 1);
    AttemptId row = new AttemptId(placed.get(1).id(), 1);
    bench.succeed(compact);
    AttemptReport talkative = ArrayBench.success(row);
    bench.jobs.reports.take(
        bench.jobs.nodeOf(row),
        List.of(
            AttemptReport.ended(
                row, talkative.result().with(copy -> copy.stderrTail("warning")), 1020, 15)));

    assertThat(rows("job where array_id = " + array)).isEqualTo(1);
    JobDetails expected = bench.jobs.queries.details(row.job());
    JobDetails found = bench.jobs.queries.details(compact.job());
    assertThat(found.job().index()).isEqualTo(20);
    assertThat(found.job())
        .usingRecursiveComparison()
        .ignoringFields("id", "index", "node", "submittedAt", "startedAt", "endedAt")
        .isEqualTo(expected.job());
    assertThat(found.job().node()).isEqualTo(placed.get(0).node());
    assertThat(found.spec().env())
        .containsEntry("A", "b")
        .containsEntry("MILLRACE_ARRAY", Long.toString(array))
        .containsEntry("MILLRACE_ARRAY_INDEX", "20")
        .containsEntry("MILLRACE_ARRAY_SIZE", "2");
    assertThat(found.spec()).isEqualTo(expected.spec().draft().env(found.spec().env()).spec());
    AttemptView attempt = found.attempts().get(0);
    assertThat(found.attempts()).hasSize(1);
    assertThat(attempt)
        .usingRecursiveComparison()
        .ignoringFields("node", "recordedAt", "startedAt", "endedAt", "stderrTail")
        .isEqualTo(expected.attempts().get(0));
    assertThat(attempt.usage()).isEqualTo(new Usage(700, 3 << 20, 1, 4096));
    assertThat(attempt.recordedAt()).isBeforeOrEqualTo(attempt.startedAt());
    assertThat(attempt.startedAt()).isBeforeOrEqualTo(attempt.endedAt());
    assertThat(found.job().submittedAt()).isBeforeOrEqualTo(attempt.recordedAt());
    assertThat(states(found)).isEqualTo(states(expected));
    assertThat(found.history())
        .extracting(JobEvent::words)
        .containsExactly(
            "submitted by ann",
            "placed on " + attempt.node(),
            "started on " + attempt.node(),
            "succeeded");
  }

  private static List<JobState> states(JobDetails job) {
    return job.history().stream().map(JobEvent::state).toList();
  }

  @Test
  void theHistoryOfAnElementThatStaysARowIsWhole() {
    long array =
        bench.submit(
            "1-1",
            JobDraft.command("/bin/false")
                .retry(RetryPolicy.upTo(1, Duration.ZERO, Duration.ZERO)));
    bench.jobs.place();
    bench.startPlaced(array);
    JobView element = bench.elements(array).get(0);
    bench.end(element, Outcome.FAILED);
    bench.jobs.place();
    bench.startPlaced(array);
    bench.succeed(new AttemptId(element.id(), 2));

    assertThat(rows("attempt where job_id = " + element.id())).isEqualTo(2);
    JobDetails details = bench.jobs.queries.details(element.id());
    assertThat(details.history())
        .extracting(JobEvent::state)
        .containsExactly(
            JobState.WAITING,
            JobState.PLACED,
            JobState.RUNNING,
            JobState.WAITING,
            JobState.PLACED,
            JobState.RUNNING,
            JobState.SUCCEEDED);
    assertThat(details.history())
        .extracting(JobEvent::attempt)
        .containsExactly(0, 1, 1, 1, 2, 2, 2);
  }

  @Test
  void whateverTellsMoreStaysARow() {
    long array = bench.submit("1-4", FRAME);
    bench.jobs.place();
    List<JobView> placed = bench.elements(array);
    bench.prioritize(placed.get(0).id(), 9);
    bench.succeed(new AttemptId(placed.get(0).id(), 1));
    report(placed.get(1), Outcome.IDLE, null);
    report(placed.get(2), Outcome.SUCCEEDED, "left 3 of 5 files out");
    bench.end(placed.get(3), Outcome.FAILED);

    assertThat(rows("ended_elements")).isZero();
    assertThat(rows("job where array_id = " + array)).isEqualTo(4);
    assertThat(bench.view(placed.get(0).id()).priority()).isEqualTo(9);
    assertThat(bench.progress(array).succeeded()).isEqualTo(3);
  }

  private void report(JobView element, Outcome outcome, String reason) {
    AttemptId attempt = new AttemptId(element.id(), 1);
    bench.jobs.reports.take(
        bench.jobs.nodeOf(attempt),
        List.of(
            AttemptReport.ended(
                attempt,
                ArrayBench.success(attempt)
                    .result()
                    .with(copy -> copy.outcome(outcome).reason(reason)),
                5,
                0)));
  }

  @Test
  void elementsOfMoreNodesThanAnArrayNamesStayRows() {
    long array = bench.submit("1-100", FRAME);
    bench.jobs.place();
    bench.jobs.database.transaction(
        handle ->
            handle.execute(
                "insert into array_node (array_id, ordinal, node_id, node_name) values (?, ?, ?, 'x')",
                array,
                ElementBlockDao.MAX_NODES - 1,
                UUID.randomUUID().toString()));
    bench.endLive(array, Outcome.SUCCEEDED);
    assertThat(rows("ended_elements")).isZero();
    assertThat(rows("job where array_id = " + array + " and state = 'SUCCEEDED'")).isEqualTo(100);
  }

  @Test
  void aRepeatedReportOfTheSameNodeIsKnownAndChangesNothing() {
    long array = bench.submit("1-3", FRAME);
    AttemptId attempt = firstCompacted(array);
    AttemptReport again = ArrayBench.success(attempt);
    UUID node = bench.jobs.nodeOf(attempt);
    UUID other = node.equals(JobBench.E1) ? JobBench.E2 : JobBench.E1;
    assertThat(bench.jobs.reports.take(node, List.of(again))).isEmpty();
    assertThat(bench.jobs.reports.take(other, List.of(again))).containsExactly(attempt);
    assertThat(bench.jobs.reports.take(node, List.of(JobBench.started(attempt))))
        .containsExactly(attempt);
    assertThat(
            bench.jobs.reports.take(node, List.of(JobBench.ended(attempt, Outcome.FAILED, 1, 10))))
        .containsExactly(attempt);
    AttemptReport second = ArrayBench.success(new AttemptId(attempt.job(), 2));
    assertThat(bench.jobs.reports.take(node, List.of(second))).containsExactly(second.attempt());

    assertThat(bench.view(attempt.job()).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(bench.progress(array).succeeded()).isEqualTo(1);
    assertThat(rows("job where array_id = " + array)).isEqualTo(2);
    assertThat(bench.jobs.queries.isCurrent(attempt)).isFalse();
  }

  @Test
  void actionsAreRefusedAsForOtherSucceededJobs() {
    long element = firstCompacted(bench.submit("1-3", FRAME)).job();
    assertThat(bench.act(Verb.CANCEL, element).state()).isEqualTo(JobState.SUCCEEDED);
    for (Verb verb : List.of(Verb.RETRY, Verb.HOLD, Verb.RELEASE)) {
      assertThatThrownBy(() -> bench.act(verb, element))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessageContaining("job " + element + " has succeeded");
    }
    assertThatThrownBy(() -> bench.prioritize(element, 3))
        .hasMessageContaining("has already ended: succeeded");
    BulkActions bulk = new BulkActions(bench.jobs.database, bench.jobs.ledger.actions());
    for (boolean dry : List.of(true, false)) {
      assertThat(refusal(bulk, Verb.RETRY, element, dry)).startsWith("has succeeded");
      assertThat(refusal(bulk, Verb.CANCEL, element, dry)).contains("succeeded");
      assertThat(refusal(bulk, Verb.DELETE, element, dry)).startsWith("is an element of array");
    }
  }

  private static String refusal(BulkActions bulk, Verb verb, long job, boolean dry) {
    JobActionAnswer answer =
        bulk.apply(new JobAction(verb, List.of(job), null, null, null, dry, false), "ann");
    assertThat(answer.changed()).isZero();
    return answer.unchanged().get(0).reason();
  }

  @Test
  void aDependencyOnAnElementIsMetBeforeAndAfterItsEnd() {
    long array = bench.submit("1-3", FRAME);
    bench.jobs.place();
    JobView element = bench.elements(array).get(0);
    long waiting = after(element.id(), End.OK);
    assertThat(bench.jobs.state(waiting)).isEqualTo(JobState.BLOCKED);
    bench.succeed(new AttemptId(element.id(), 1));
    assertThat(bench.jobs.state(waiting)).isEqualTo(JobState.WAITING);
    assertThat(rows("job_dependency")).isZero();
    assertThat(bench.jobs.state(after(element.id(), End.OK))).isEqualTo(JobState.WAITING);
    assertThat(bench.jobs.state(after(element.id(), End.FAIL))).isEqualTo(JobState.CANCELLED);
    assertThatThrownBy(() -> after(array + 1_000, End.OK)).hasMessageContaining("does not exist");
  }

  private long after(long job, End end) {
    return bench.jobs.submit(
        JobDraft.command("/bin/true").after(List.of(new Dependency(job, end))).spec());
  }

  @Test
  void anElementThatHasEndedWaitsForNothing() {
    long element = firstCompacted(bench.submit("1-3", FRAME)).job();
    JobExplanation explanation =
        new JobExplanations(
                bench.jobs.database,
                new PoolReader(
                    bench.jobs.shapes,
                    ExpressionTest.compiledBy(new Requirements(100)),
                    new DenylistService(bench.jobs.database),
                    PlacementSettings.defaults()),
                bench.jobs.shapes,
                bench.jobs.claims,
                bench.jobs.stepElements)
            .of(element);
    assertThat(explanation.job().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(explanation.reasons()).isEmpty();
  }

  @Test
  void theLogOfAnElementIsOnTheNodeThatRanIt() {
    long array = bench.submit("1-3", FRAME);
    bench.jobs.place();
    JobView element = bench.elements(array).get(0);
    AttemptId attempt = new AttemptId(element.id(), 1);
    UUID node = bench.jobs.nodeOf(attempt);
    bench.succeed(attempt);
    assertThat(bench.jobs.queries.nodeOf(attempt)).contains(node);
    assertThat(bench.jobs.queries.nodeOf(new AttemptId(element.id(), 2))).isEmpty();
  }

  @Test
  void pagesOfRowsAndEndedElementsFollowOneAnother() {
    long array = bench.submit("1-100", FRAME);
    bench.jobs.place();
    List<JobView> placed = bench.elements(array);
    for (int i = 0; i < placed.size(); i += 3) {
      bench.succeed(new AttemptId(placed.get(i).id(), 1));
    }
    List<Long> ids = new ArrayList<>();
    Long before = null;
    do {
      JobView.JobPage page =
          bench.jobs.queries.list(new JobFilter(SearchParser.parse("array:" + array), before, 7));
      page.jobs().forEach(job -> ids.add(job.id()));
      before = page.next();
    } while (before != null);
    assertThat(ids).isEqualTo(placed.stream().map(JobView::id).toList());
  }

  @Test
  void whatTheElementsUsedIsAddedUp() {
    long array = bench.submit("1-10", FRAME);
    bench.runToEnd(array, Outcome.SUCCEEDED);
    assertThat(bench.jobs.queries.details(array).elements())
        .isEqualTo(new ElementUsage(10, 10, 10_000, 7_000, 3 << 20, 3 << 20, 10, 40_960));
    long other = bench.submit("1-2", FRAME);
    assertThat(bench.jobs.queries.details(other).elements()).isNull();
  }

  @Test
  void anArrayIsDeletedWithAllItsElements() {
    long array = bench.submit("1-600", FRAME);
    bench.runToEnd(array, Outcome.SUCCEEDED);
    long other = bench.submit("1-10", FRAME);
    bench.runToEnd(other, Outcome.SUCCEEDED);
    long element = bench.elements(array).get(0).id();
    assertThat(retention(Duration.ofDays(7))).isZero();
    bench.jobs.database.transaction(
        handle ->
            handle.execute(
                "update job set ended_at = dateadd(day, -8, ended_at) where id = ?", array));

    assertThat(retention(Duration.ofDays(7))).isEqualTo(601);
    for (String table : List.of("element_ids", "ended_elements", "array_usage", "array_node")) {
      assertThat(rows(table + " where array_id = " + array)).as(table).isZero();
      assertThat(rows(table + " where array_id = " + other)).as(table).isPositive();
    }
    assertThat(bench.jobs.totals().submitted().succeeded()).isEqualTo(10);
    assertThatThrownBy(() -> bench.view(element)).hasMessageContaining("does not exist");
    assertThatThrownBy(() -> bench.jobs.queries.details(element))
        .hasMessageContaining("does not exist");
    assertThat(bench.elements(other)).hasSize(10);
  }

  @Test
  void aDeletionOfALargeArrayContinuesWhereItWasInterrupted() {
    long array = bench.submit("1-600", FRAME);
    bench.runToEnd(array, Outcome.SUCCEEDED);
    JobRetentionDao store = new JobRetentionDao();
    int rounds = 0;
    DeletedBlocks deleted;
    long elements = 0;
    do {
      deleted =
          bench.jobs.database.transaction(
              handle -> store.deleteEndedElements(handle, List.of(array), 1));
      elements += deleted.elements();
      rounds++;
      assertThat(bench.jobs.totals().submitted().succeeded()).isEqualTo(600 - elements);
      assertThat(bench.elements(array)).hasSize((int) (600 - elements));
    } while (deleted.rows() == 1);
    // Three blocks, a run, two nodes, and one round that finds nothing.
    assertThat(rounds).isEqualTo(7);
    assertThat(retention(Duration.ZERO)).isEqualTo(1);
    assertThat(rows("array_usage")).isZero();
  }

  @Test
  void anArrayIsDeletedOnRequestWithAllItsElements() {
    long array = bench.submit("1-60", FRAME);
    bench.jobs.place();
    bench.end(bench.elements(array).get(0), Outcome.FAILED);
    bench.runToEnd(array, Outcome.SUCCEEDED);
    BulkActions bulk = new BulkActions(bench.jobs.database, bench.jobs.ledger.actions());
    assertThat(bulk.apply(JobAction.on(List.of(array), Verb.DELETE, null), "ann").changed())
        .isEqualTo(1);
    for (String table : List.of("job", "element_ids", "ended_elements", "array_node")) {
      assertThat(rows(table)).as(table).isZero();
    }
    assertThat(bench.jobs.totals().submitted().succeeded()).isZero();
    assertThat(bench.jobs.totals().submitted().failed()).isZero();
  }

  @Test
  void anElementThatEndsAfterTheDeletionOfItsArrayIsDeletedToo() {
    long array = bench.submit("1-3", FRAME);
    bench.jobs.place();
    bench.jobs.database.transaction(
        handle -> handle.execute("delete from job_array where job_id = ?", array));
    AttemptId attempt = new AttemptId(bench.elements(array).get(0).id(), 1);
    bench.succeed(attempt);
    assertThat(rows("job where id = " + attempt.job())).isZero();
    assertThat(rows("ended_elements")).isZero();
    assertThat(bench.jobs.totals().submitted().succeeded()).isZero();
  }

  private int retention(Duration keep) {
    return new JobRetention(bench.jobs.database, bench.jobs.claims, keep, 1000)
        .run(
            bench
                .jobs
                .claims
                .acquireOrRenew("delete-old-jobs", "test", Duration.ofMinutes(1))
                .orElseThrow());
  }

  private AttemptId firstCompacted(long array) {
    bench.jobs.place();
    AttemptId attempt = new AttemptId(bench.elements(array).get(0).id(), 1);
    bench.succeed(attempt);
    assertThat(rows("job where id = " + attempt.job())).isZero();
    return attempt;
  }

  private long rows(String table) {
    return bench.jobs.database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Long.class).one());
  }
}
