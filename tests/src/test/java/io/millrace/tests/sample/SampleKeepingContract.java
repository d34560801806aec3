package io.millrace.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.manager.sample.FigureHistories;
import io.millrace.manager.sample.NodeSampleDao;
import io.millrace.manager.sample.SampleDao;
import io.millrace.manager.sample.SampleDao.QueueSample;
import io.millrace.manager.sample.SampleDao.SampleRow;
import io.millrace.manager.sample.SampleKeeping;
import io.millrace.manager.sample.SampledKind;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Samples add up to minutes once, whoever does it and however often it stops, and what a history
 * shows does not change by it. A subclass provides the database.
 */
@Timeout(120)
public abstract class SampleKeepingContract {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration MONTH = Duration.ofDays(30);

  private Database database;
  private FigureHistories histories;
  private Instant now;

  /** An empty database. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void open() throws Exception {
    database = Database.open(settings(), List.of("platform", "central"));
    histories = new FigureHistories(database);
    now = database.now();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aHistoryIsTheSameBeforeAndAfterItsSamplesAreAddedUp() {
    sampleEvery30Seconds(hours(3), hours(2));
    List<FigureSample> before = history(hours(6));

    keep();

    assertThat(before).hasSizeGreaterThan(55);
    assertThat(minutes()).isEqualTo(before.size());
    assertThat(history(hours(6))).isEqualTo(before);
  }

  @Test
  void aGapStaysAGap() {
    sampleEvery30Seconds(hours(5), hours(4));
    sampleEvery30Seconds(hours(2), hours(1));
    keep();

    assertThat(history(hours(6)))
        .isNotEmpty()
        .noneMatch(
            step -> step.at().isAfter(hours(4)) && step.at().isBefore(hours(2).minusSeconds(60)));
  }

  @Test
  void wherePiecesWereInterruptedNothingIsMissingOrDouble() {
    sampleEvery30Seconds(hours(5), hours(1));
    List<FigureSample> before = history(hours(6));

    // Each run loses its claim after a different number of transactions.
    for (int transactions = 0; transactions < 3; transactions++) {
      AtomicInteger left = new AtomicInteger(transactions);
      keep(now, handle -> left.getAndDecrement() > 0);
    }
    assertThat(minutes()).isPositive().isLessThan(before.size());
    keep();
    keep();

    assertThat(minutes()).isEqualTo(before.size());
    assertThat(history(hours(6))).isEqualTo(before);
  }

  @Test
  void aTransactionThatFailsLeavesNothingBehind() {
    sampleEvery30Seconds(hours(3), hours(1));
    List<FigureSample> before = history(hours(6));
    RetentionRounds failing =
        new RetentionRounds(
            database,
            handle -> {
              if (minutes(handle) > 0) {
                throw new IllegalStateException("killed");
              }
              return true;
            });
    SampleKeeping.addTo(failing, database, now);
    assertThatThrownBy(failing::run).hasMessage("killed");
    keep();

    assertThat(history(hours(6))).isEqualTo(before);
    assertThat(minutes()).isEqualTo(before.size());
  }

  @Test
  void aSampleThatComesAfterItsMinuteWasAddedUpDoesNotChangeIt() {
    sampleEvery30Seconds(hours(3), hours(1));
    keep();
    List<FigureSample> before = history(hours(6));

    add(hours(2).plusMillis(1), 1_000_000);
    keep();

    assertThat(history(hours(6))).isEqualTo(before);
  }

  @Test
  void minutesFromWhenTheClockWasAheadHideNothingAfterItWasSetBack() {
    Instant ahead = now.plus(Duration.ofHours(3));
    add(ahead.minus(Duration.ofMinutes(40)), 9);
    keep(ahead, handle -> true);
    sampleEvery30Seconds(hours(2), hours(1));
    List<FigureSample> before = history(hours(6));
    assertThat(before).hasSizeGreaterThan(55);

    long future = minutes();
    keep();

    assertThat(minutes()).isEqualTo(future + before.size());
    assertThat(history(hours(6))).isEqualTo(before);
  }

  @Test
  void theMinuteThatRunsIsNotAddedUpYetAndIsShown() {
    add(now.minusSeconds(20), 7);
    keep();

    assertThat(minutes()).isZero();
    assertThat(history(hours(6)))
        .singleElement()
        .satisfies(
            step ->
                assertThat(step.figures())
                    .containsEntry(FigureHistory.WAITING, SampledFigure.of(7)));
  }

  @Test
  void samplesOfMoreThanADayAgoAreDeletedOnlyAsMinutes() {
    // Nobody had the duty for two days.
    sampleEvery30Seconds(now.minus(DAY.multipliedBy(2)), now.minus(DAY).minusSeconds(3_600));
    List<FigureSample> before = history(now.minus(DAY.multipliedBy(3)));

    keep();

    assertThat(rows("queue_sample")).isZero();
    assertThat(history(now.minus(DAY.multipliedBy(3)))).isNotEmpty().isEqualTo(before);
  }

  @Test
  void minutesAreDeletedAfter30Days() {
    add(now.minus(MONTH).minusSeconds(600), 1);
    add(now.minus(MONTH).plusSeconds(600), 2);
    keep();
    keep();

    assertThat(minutes()).isOne();
    assertThat(history(now.minus(MONTH)))
        .singleElement()
        .satisfies(
            step ->
                assertThat(step.figures())
                    .containsEntry(FigureHistory.WAITING, SampledFigure.of(2)));
  }

  @Test
  void nodesOfBothKindsWithTheSameNameHaveHistoriesOfTheirOwn() {
    database.transaction(
        handle -> {
          NodeSampleDao.add(handle, SampledKind.QUEUE_NODE, hours(2), Map.of("n1", load(0.5)));
          NodeSampleDao.add(handle, SampledKind.QUEUE_NODE, hours(1), Map.of("n1", load(0.7)));
          NodeSampleDao.add(
              handle,
              SampledKind.EXECUTION_NODE,
              hours(2),
              Map.of("n1", load(0.1), "n2", load(0.2)));
          return null;
        });
    keep();

    assertThat(loads(SampledKind.QUEUE_NODE, "n1")).containsExactly(0.5, 0.7);
    assertThat(loads(SampledKind.EXECUTION_NODE, "n1")).containsExactly(0.1);
    assertThat(loads(SampledKind.EXECUTION_NODE, "n2")).containsExactly(0.2);
    assertThat(minutes()).isEqualTo(4);
    keep(now.plus(DAY).plus(DAY), handle -> true);
    assertThat(rows("node_sample")).isZero();
    keep(now.plus(MONTH).plus(DAY), handle -> true);
    assertThat(minutes()).isZero();
  }

  private List<Double> loads(SampledKind kind, String node) {
    return histories.of(kind, node, hours(6), now, DAY).samples().stream()
        .map(step -> step.figures().get(FigureHistory.LOAD).mean())
        .toList();
  }

  private static Map<String, SampledFigure> load(double load) {
    return Map.of(FigureHistory.LOAD, SampledFigure.of(load));
  }

  private void keep() {
    keep(now, handle -> true);
  }

  private void keep(Instant at, Predicate<Handle> allowed) {
    RetentionRounds rounds = new RetentionRounds(database, allowed);
    SampleKeeping.addTo(rounds, database, at);
    rounds.run();
  }

  private List<FigureSample> history(Instant from) {
    return histories.of(SampledKind.QUEUE, "alert", from, now, DAY).samples();
  }

  private long minutes() {
    return database.read(SampleKeepingContract::minutes);
  }

  private static long minutes(Handle handle) {
    return rows(handle, "minute_sample");
  }

  private long rows(String table) {
    return database.read(handle -> rows(handle, table));
  }

  private static long rows(Handle handle, String table) {
    return handle.createQuery("select count(*) from " + table).mapTo(Long.class).one();
  }

  private Instant hours(int before) {
    return now.minus(Duration.ofHours(before)).truncatedTo(ChronoUnit.MINUTES);
  }

  private void sampleEvery30Seconds(Instant from, Instant to) {
    List<SampleRow> rows = new ArrayList<>();
    for (Instant at = from; at.isBefore(to); at = at.plusSeconds(30)) {
      rows.add(row(at, at.getEpochSecond() % 1_000));
    }
    database.transaction(
        handle -> {
          rows.forEach(row -> SampleDao.add(handle, row));
          return null;
        });
  }

  private void add(Instant at, long waiting) {
    database.transaction(
        handle -> {
          SampleDao.add(handle, row(at, waiting));
          return null;
        });
  }

  private static SampleRow row(Instant at, long waiting) {
    QueueSample sample = new QueueSample(at, waiting, 1, 2, 3, 4, 5, Map.of("q1", 1_000));
    return new SampleRow("alert", sample, 0, 0, 0);
  }
}
