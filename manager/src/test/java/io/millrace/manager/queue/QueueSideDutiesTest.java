package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobView;
import io.millrace.api.overview.QueueDetails;
import io.millrace.api.overview.QueueSample;
import io.millrace.api.overview.QueueView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.queue.store.SampleRow;
import io.millrace.manager.queue.store.SampleTable;
import io.millrace.manager.supervision.QueueManagerSupervision;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueSideDutiesTest {
  private static final String ALERT = "{kind: queue, name: alert, worker: {command: ['true']}}";

  @TempDir Path folder;
  private QueueWorld world;
  private WeightPlacement placement;
  private QueueManagerSupervision supervision;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    placement =
        new WeightPlacement(
            world.weights, world.queues, world.nodes, world.changes::incrementAndGet);
    supervision =
        new QueueManagerSupervision(
            world.database, world.queues, world.weights, world.nodes, world.ledger);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void queuesGetTheirPointsAsSoonAsANodeLivesAndTheirMinimumAsSoonAsTwoDo() {
    world.apply(ALERT);
    placement.place();
    assertThat(world.weights.all()).isEmpty();

    world.report("q1");
    placement.place();
    assertThat(world.weights.all()).containsExactly(row(1, Map.of("q1", 1000)));

    world.report("q2");
    placement.place();
    placement.place();
    assertThat(world.weights.all()).containsExactly(row(2, Map.of("q1", 500, "q2", 500)));
  }

  @Test
  void severalQueuesAreSpreadOverTheNodes() {
    world.report("q1");
    world.report("q2");
    world.apply(
        "{kind: queue, name: a, minSegments: 1}\n---\n{kind: queue, name: b, minSegments: 1}");
    placement.place();

    assertThat(world.weights.all())
        .extracting(QueueWeights::points)
        .containsExactly(Map.of("q1", 1000), Map.of("q2", 1000));
  }

  @Test
  void aRowThatSomebodyElseChangedIsLeftAlone() {
    world.weights.add("alert", Map.of("q1", 1000));
    QueueWeights seen = world.weights.all().get(0);

    assertThat(world.weights.replace(seen, Map.of("q1", 400, "q2", 600))).isTrue();
    assertThat(world.weights.replace(seen, Map.of("q1", 1, "q2", 999))).isFalse();
    assertThat(world.weights.add("alert", Map.of("q3", 1000))).isFalse();
    assertThat(world.weights.all()).containsExactly(row(2, Map.of("q1", 400, "q2", 600)));
  }

  @Test
  void everySegmentHasExactlyOneManagerAndKeepsIt() {
    world.apply(ALERT);
    world.weights.add("alert", Map.of("q1", 500, "q2", 500));
    supervision.supervise();
    supervision.supervise();

    assertThat(world.ledger.liveManagers())
        .extracting(JobView::name)
        .containsExactlyInAnyOrder("pace:alert@q1", "pace:alert@q2");
    assertThat(world.catalog.details("alert").managers()).hasSize(2);
  }

  @Test
  void theManagerOfASegmentThatIsEmptyAndHasNoWeightEnds() {
    world.apply(ALERT);
    world.weights.add("alert", Map.of("q1", 500, "q2", 500));
    world.report("q2", QueueWorld.segment("alert", "q2", 5, 5));
    supervision.supervise();
    world.weights.replace(world.weights.all().get(0), Map.of("q1", 1000));

    supervision.supervise();
    assertThat(world.ledger.liveManagers()).hasSize(2);

    world.report("q2", QueueWorld.segment("alert", "q2", 0, 5));
    supervision.supervise();
    assertThat(world.ledger.liveManagers())
        .extracting(JobView::name)
        .containsExactly("pace:alert@q1");
  }

  @Test
  void aQueueWithoutAWorkerHasNoManager() {
    world.apply("{kind: queue, name: alert}");
    world.weights.add("alert", Map.of("q1", 1000));
    supervision.supervise();

    assertThat(world.ledger.liveManagers()).isEmpty();
  }

  @Test
  void ratesComeFromTheDifferencesOfCountersAndAFallenCounterGivesNone() {
    world.apply(ALERT);
    world.weights.add("alert", Map.of("q1", 1000));
    Instant start = world.database.now().minusSeconds(60);
    world.report("q1", QueueWorld.segment("alert", "q1", 4, 100));
    SampleRow first = sample(start);
    world.report("q1", QueueWorld.segment("alert", "q1", 6, 150));
    SampleRow second = sample(start.plusSeconds(5));
    world.report("q1", QueueWorld.segment("alert", "q1", 6, 3));
    SampleRow third = sample(start.plusSeconds(10));

    assertThat(List.of(first, second, third))
        .extracting(row -> row.sample().eventRate())
        .containsExactly(0.0, 10.0, 0.0);
    List<QueueSample> history = world.catalog.history("alert", Duration.ofMinutes(5));
    assertThat(history).extracting(QueueSample::waiting).containsExactly(4L, 6L, 6L);
    assertThat(history.get(1).weights()).isEqualTo(Map.of("q1", 1000));
    QueueView view = world.catalog.views().get(0);
    assertThat(view.waiting()).isEqualTo(6);
    assertThat(view.inserted()).isEqualTo(3);
  }

  @Test
  void samplesOlderThanADayAreForgotten() {
    world.apply(ALERT);
    Instant now = world.database.now();
    for (int hours = 30; hours >= 0; hours -= 3) {
      sample(now.minus(Duration.ofHours(hours)));
    }
    new QueueRetention(world.database, world.queues).forget();

    assertThat(world.catalog.history("alert", Duration.ofDays(9)))
        .hasSize(8)
        .allMatch(sample -> sample.at().isAfter(now.minus(Duration.ofDays(1))));
  }

  @Test
  void theSamplerAddsAPointForEveryQueue() {
    world.apply(ALERT + "\n---\n{kind: queue, name: order}");
    new QueueSampler(world.database, world.queues, world.nodes, world.catalog).sample();

    for (String queue : List.of("alert", "order")) {
      assertThat(world.catalog.history(queue, Duration.ofMinutes(1))).hasSize(1);
    }
  }

  @Test
  void detailsShowTheSegmentsAsReported() {
    world.apply(ALERT);
    world.report(
        "q1", QueueWorld.segment("alert", "q1", 4, 100), QueueWorld.segment("order", "q1", 9, 9));
    QueueDetails details = world.catalog.details("alert");

    assertThat(details.segments()).hasSize(1);
    assertThat(details.queue().waiting()).isEqualTo(4);
    assertThat(details.definition().name()).isEqualTo("alert");
    assertThat(details.lastFailure()).isNull();
  }

  private SampleRow sample(Instant at) {
    SampleRow row = world.catalog.material(world.nodes.all()).sample("alert", at);
    world.database.transaction(
        handle -> {
          SampleTable.add(handle, row);
          return null;
        });
    return row;
  }

  private static QueueWeights row(long version, Map<String, Integer> points) {
    return new QueueWeights("alert", version, points);
  }
}
