package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.event.EventMedia;
import io.millrace.simulator.replay.DecisionReader;
import io.millrace.simulator.replay.Recording;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import io.millrace.simulator.replay.RecordingReplay;
import io.millrace.simulator.replay.RecordingReplay.ReplayRow;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The record of a live queue is exported and replayed: the replay with the same settings is close
 * to the record.
 */
@Tag("drill")
class ReplayedQueueTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final int BATCHES = 75;
  private static final int EVENTS = 6;

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void theRecordOfALiveQueueIsReplayedWithTheSameAndWithOtherSettings() throws Exception {
    CLUSTER.define(
        "{kind: queue, name: replayed, batch: 10, minSegments: 1,"
            + " pacing: {tick: 500ms, waitTarget: 2s},"
            + " worker: {command: [sh, -c, 'cat > /dev/null; sleep 0.2']}}");
    Instant begin = now();
    sendForAWhile();
    await("all are done")
        .atMost(SOON)
        .until(() -> CLUSTER.view("replayed").acknowledged() == BATCHES * EVENTS);

    RecordingReplay replay = new RecordingReplay(Recording.of(exported(begin)), null);
    ReplayRow recorded = replay.recorded().row();
    ReplayRow control = replay.control().row();
    ReplayRow patient = replay.changed(List.of("waitTarget=20s")).row();

    assertThat(replay.basis().settings()).contains("tick=500ms waitTarget=2s", "batch=10");
    assertThat(replay.basis().startLatencySeconds()).isPositive();
    assertThat(replay.basis().runSeconds()).isGreaterThanOrEqualTo(0.2);
    assertThat(recorded.events()).isEqualTo(BATCHES * EVENTS);
    assertThat(control.events()).isEqualTo(recorded.events());
    assertThat((double) control.runs() / recorded.runs())
        .as("%s%n%s", recorded, control)
        .isBetween(0.7, 1.4);
    assertThat(control.seen().oldest() - recorded.seen().oldest())
        .as("%s%n%s", recorded, control)
        .isBetween(-1.5, 1.5);
    assertThat(patient.runs()).isLessThanOrEqualTo(control.runs());
    assertThat(patient.meanWait()).isGreaterThan(control.meanWait());
  }

  /** The database's clock. */
  private static Instant now() {
    return CLUSTER.central().explain("replayed", null, Duration.ofMinutes(1), 0).at();
  }

  private static void sendForAWhile() throws InterruptedException {
    AtomicInteger sent = new AtomicInteger();
    ScheduledExecutorService producer = Executors.newSingleThreadScheduledExecutor();
    try {
      ScheduledFuture<?> sending =
          producer.scheduleAtFixedRate(
              () -> send(sent.getAndIncrement()), 0, 200, TimeUnit.MILLISECONDS);
      await("all are sent").atMost(SOON).until(() -> sent.get() >= BATCHES || sending.isDone());
    } finally {
      producer.shutdownNow();
      assertThat(producer.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void send(int batch) {
    if (batch < BATCHES) {
      byte[] events = "[1,2,3,4,5,6]".getBytes(StandardCharsets.UTF_8);
      CLUSTER.producer().send("replayed", "b" + batch, EventMedia.JSON, events);
    }
  }

  private static List<RecordedDecision> exported(Instant from) throws IOException {
    Instant to = now().plusSeconds(1);
    try (Reader reader =
        new InputStreamReader(
            CLUSTER.central().exportDecisions("replayed", from, to), StandardCharsets.UTF_8)) {
      return DecisionReader.read(reader);
    }
  }
}
