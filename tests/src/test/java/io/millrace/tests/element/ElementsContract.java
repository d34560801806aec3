package io.millrace.tests.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.backup.CentralCopy;
import io.millrace.manager.backup.CentralRestore;
import io.millrace.manager.backup.CentralRestore.RestoreOptions;
import io.millrace.manager.backup.CopiedTables;
import io.millrace.manager.job.ElementUsageDao;
import io.millrace.manager.job.ElementUsageDao.ElementUsage;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.ResourceAdjustmentDao;
import io.millrace.manager.job.ResourceAdjustmentDao.AdjustedElements;
import io.millrace.manager.job.SearchParser;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Elements of arrays without rows on every database. A subclass provides the database. */
@Timeout(300)
abstract class ElementsContract {
  private static final List<UUID> NODES = List.of(new UUID(1, 1), new UUID(1, 2));

  private ElementManager manager;

  /** An empty database. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void open() throws Exception {
    manager = new ElementManager(Database.open(settings(), CopiedTables.MODULES));
    NODES.forEach(node -> manager.employ(node, "e" + node.getLeastSignificantBits(), 60));
  }

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void everyElementIsShownOnceWhileReportsOfBothNodesArriveInAnyOrder() {
    List<Long> arrays = List.of(submit("1-400"), submit("0-3990:10"));
    Random random = new Random(7);
    while (arrays.stream().anyMatch(array -> progress(array).succeeded() < 400)) {
      manager.place();
      List<Long> before = arrays.stream().map(array -> (long) elements(array).size()).toList();
      List<CompletableFuture<Void>> reports = new ArrayList<>();
      for (UUID node : NODES) {
        List<AttemptReport> ends = ends(node, random);
        reports.add(CompletableFuture.runAsync(() -> report(node, ends)));
      }
      while (reports.stream().anyMatch(one -> !one.isDone())) {
        // An element is never missing between its row and its bit.
        assertThat(arrays.stream().map(array -> (long) elements(array).size()).toList())
            .isEqualTo(before);
      }
      reports.forEach(CompletableFuture::join);
      manager.arrays.reconciler().run();
    }
    for (long array : arrays) {
      assertThat(progress(array)).isEqualTo(new ArrayProgress(400, 0, 0, 400, 0, 0));
      assertThat(elements(array))
          .hasSize(400)
          .allMatch(element -> element.state() == JobState.SUCCEEDED);
      assertThat(elements(array)).extracting(JobView::index).doesNotHaveDuplicates();
      assertThat(rows("job where array_id = " + array)).isZero();
      assertThat(rows("array_node where array_id = " + array)).isEqualTo(2);
      assertThat(rows("array_usage where elements = 400 and array_id = " + array)).isEqualTo(1);
    }
    assertThat(rows("attempt")).isZero();
    assertThat(rows("booking")).isZero();
    assertThat(manager.totals().submitted().succeeded()).isEqualTo(800);
  }

  @Test
  void aCopyContainsTheElements() throws Exception {
    long array = submit("1-100");
    manager.place();
    NODES.forEach(node -> report(node, ends(node, new Random(3))));
    List<JobView> before = elements(array);
    JobDetails shown = manager.queries.details(before.get(0).id());
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    CentralCopy.write(manager.database, copy);
    DatabaseSettings other = DatabaseSettings.memory("copy-" + UUID.randomUUID());
    try (Database kept = Database.open(other, CopiedTables.MODULES)) {
      new CentralRestore(other, Heartbeat.defaults())
          .run(
              () -> new ByteArrayInputStream(copy.toByteArray()),
              new RestoreOptions("backup", true, Duration.ZERO, false));
      JobQueries queries = new JobQueries(kept, new WakeUps());
      assertThat(queries.list(filter(array)).jobs()).isEqualTo(before);
      assertThat(queries.details(before.get(0).id())).isEqualTo(shown);
      AttemptId attempt = new AttemptId(before.get(0).id(), 1);
      assertThat(queries.nodeOf(attempt)).isEqualTo(manager.queries.nodeOf(attempt));
      // Its output is where the replaced cluster was.
      assertThat(queries.restorationOf(attempt)).isPresent();
    }
  }

  @Test
  void anElementThatExceededItsMemoryRequestsMoreAndItsUsageIsAddedToThatOfTheOthers() {
    long array =
        manager.submit(
            JobDraft.command("/bin/true")
                .memory("1GB")
                .retry(
                    RetryPolicy.upTo(3, Duration.ZERO, Duration.ZERO)
                        .scaled(ResourceScale.by(1.5), List.of("large")))
                .array(ArrayRange.parse("1-40"))
                .spec());
    manager.place();
    AttemptId large = manager.recorded(NODES.get(0)).get(0);
    AttemptReport exceeded =
        AttemptReport.ended(large, AttemptResult.of(Outcome.MEMORY_EXCEEDED, null), 10, 0);
    report(NODES.get(0), List.of(exceeded));
    NODES.forEach(node -> report(node, ends(node, new Random(3))));
    manager.place();
    NODES.forEach(node -> report(node, ends(node, new Random(4))));

    JobDetails element = manager.queries.details(large.job());
    assertThat(element.spec().memory()).hasToString("1536MB");
    assertThat(element.adjustments())
        .extracting(ResourceAdjustment::memory)
        .extracting(DataSize::toString)
        .containsExactly("1GB", "1536MB");
    ElementUsage used =
        manager
            .database
            .<Map<Long, ElementUsage>, RuntimeException>read(
                handle -> new ElementUsageDao().of(handle, List.of(array)))
            .get(array);
    assertThat(used.elements()).isEqualTo(40);
    assertThat(used.measured()).isBetween(1L, 40L);
    assertThat(used.longestMillis()).isBetween(used.runMillis() / 40, used.runMillis());
    AdjustedElements adjusted =
        manager
            .database
            .<Map<Long, AdjustedElements>, RuntimeException>read(
                handle -> new ResourceAdjustmentDao().byArray(handle, List.of(array)))
            .get(array);
    assertThat(adjusted).isEqualTo(new AdjustedElements(1, 1536L << 20, null));
  }

  private long submit(String range) {
    return manager.submit(
        JobDraft.command("/bin/true").array(ArrayRange.parse(range)).tags(List.of("film")).spec());
  }

  private List<AttemptReport> ends(UUID node, Random random) {
    return manager.recorded(node).stream()
        .map(
            attempt ->
                AttemptReport.ended(
                    attempt,
                    AttemptResult.of(Outcome.SUCCEEDED, null)
                        .with(
                            copy ->
                                copy.exitCode(0)
                                    .runMillis(random.nextInt(10_000))
                                    .usage(
                                        random.nextBoolean()
                                            ? null
                                            : new Usage(
                                                random.nextInt(10_000),
                                                1024L * random.nextInt(10_000),
                                                random.nextInt(10_000),
                                                random.nextInt(10_000)))),
                    random.nextInt(10_000),
                    0))
        .toList();
  }

  private void report(UUID node, List<AttemptReport> ends) {
    int from = 0;
    while (from < ends.size()) {
      int to = Math.min(ends.size(), from + 1 + from % 11);
      assertThat(manager.reports.take(node, ends.subList(from, to))).isEmpty();
      from = to;
    }
  }

  private ArrayProgress progress(long array) {
    return manager.queries.view(array).progress();
  }

  private List<JobView> elements(long array) {
    return manager.queries.list(filter(array)).jobs();
  }

  private static JobFilter filter(long array) {
    return new JobFilter(SearchParser.parse("array:" + array), null, JobFilter.MAX);
  }

  private long rows(String table) {
    return manager.database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Long.class).one());
  }
}
