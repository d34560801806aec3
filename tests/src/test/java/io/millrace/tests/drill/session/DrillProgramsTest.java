package io.millrace.tests.drill.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.client.SessionConsumer;
import io.millrace.api.client.SessionWorkerOptions;
import io.millrace.tests.drill.session.FakeSessionNode.Defect;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The producers and workers of the drill, at a node in memory that is right, or has a defect. */
@Timeout(120)
class DrillProgramsTest {
  private static final URI NODE = URI.create("http://q1");
  private static final String QUEUE = "q";
  private static final int PRODUCERS = 6;
  private static final int EVENTS = 250;
  private static final Duration PAUSE = Duration.ofMillis(70);

  @TempDir Path folder;

  private SessionVerdict run(Defect defect) throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    FakeSessionNode node = new FakeSessionNode(random.split(), defect);
    CountDownLatch stopped = new CountDownLatch(1);
    AtomicLong settled = new AtomicLong();
    List<Thread> producers = new ArrayList<>();
    List<Thread> workers = new ArrayList<>();
    List<String> open;
    try (SessionJournal journal = SessionJournal.open(folder, "all")) {
      ApiClient api = new ApiClient(node, new Endpoints(List.of(NODE)), () -> null);
      for (int i = 0; i < PRODUCERS; i++) {
        producers.add(
            new Thread(
                new SessionProducer(
                    "r1-p" + i,
                    QUEUE,
                    List.of(new QueueClient(api)),
                    journal,
                    random.split(),
                    PAUSE,
                    settled,
                    stopped)));
      }
      for (String name : List.of("w2", "w3")) {
        workers.add(
            new Thread(
                new WireWorker(
                    new JournalWorker(false, name, "q1"),
                    journal,
                    node,
                    NODE,
                    null,
                    QUEUE,
                    random.split(),
                    end -> {})));
      }
      ClientWorker client = new ClientWorker("w1", journal, Map.of("q1", NODE), null, () -> node);
      try (SessionConsumer<KeyState> consumer =
          new SessionConsumer<>(
              SessionWorkerOptions.of(QUEUE).withLeaveWithin(Duration.ofMillis(200)),
              client,
              client)) {
        consumer.start();
        producers.forEach(Thread::start);
        workers.forEach(Thread::start);
        await("events are settled").until(() -> settled.get() >= EVENTS);
        stopped.countDown();
        for (Thread one : producers) {
          one.join();
        }
        open = drained(node);
      }
      workers.forEach(Thread::interrupt);
      for (Thread one : workers) {
        one.join();
      }
    }
    return SessionChecker.of(SessionJournal.read(folder, "r1-"), List.of(), open);
  }

  private static List<String> drained(FakeSessionNode node) {
    try {
      await("sessions end").atMost(Duration.ofSeconds(2)).until(() -> node.open().isEmpty());
    } catch (ConditionTimeoutException stuck) {
      // Judged by the checker.
    }
    return node.open();
  }

  @Test
  void theirJournalsShowNoViolationOfANodeThatIsRight() throws Exception {
    SessionVerdict verdict = run(Defect.NONE);

    assertThat(verdict.violations()).as(verdict.summary()).isEmpty();
    assertThat(verdict.counts().accepted()).as(verdict.summary()).isGreaterThan(EVENTS / 2);
    assertThat(verdict.counts().handovers()).as(verdict.summary()).isPositive();
    assertThat(verdict.counts().replayed()).as(verdict.summary()).isPositive();
    assertThat(verdict.counts().duplicatesSent()).as(verdict.summary()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void theirJournalsShowEachDefect(Defect defect) throws Exception {
    SessionVerdict verdict = run(defect);

    List<String> kind =
        switch (defect) {
          case NONE -> List.of();
          case LOSES_EVENTS -> verdict.lost();
          case ENDS_TOO_EARLY -> verdict.duplicates();
          case SWAPS_EVENTS, STORES_REPETITIONS, FORGETS_ACKNOWLEDGED_EVENTS -> verdict.disorder();
          case ACCEPTS_STALE_RESULTS -> verdict.stale();
        };
    assertThat(kind).as(verdict.summary()).isNotEmpty();
  }
}
