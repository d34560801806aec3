package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import io.millrace.bench.session.KeyedEventFile.EventShape;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayedSessionsTest {
  @TempDir private Path folder;
  private ReplayedSessions source;

  @BeforeEach
  void read() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("events.ndjson"),
            """
            {"job":"a","id":"a2","after":"a1"}
            {"job":"b","id":"b1"}
            {"job":"a","id":"a1"}
            """);
    EventShape shape =
        new EventShape(
            JsonPointer.compile("/job"), JsonPointer.compile("/id"), JsonPointer.compile("/after"));
    source = new ReplayedSessions(KeyedEventFile.read(file, shape));
  }

  @Test
  void anEventsPlaceIsThatOfItsIdUnderItsKey() {
    assertThat(source.events()).isEqualTo(3);
    assertThat(source.sessions()).isEqualTo(2);
    assertThat(source.length("a")).isEqualTo(2);
    assertThat(source.length("c")).isZero();
    assertThat(source.place("a", new DeliveredEvent(1, "a2", 0))).isEqualTo(2);
    assertThat(source.place("b", new DeliveredEvent(1, "a1", 0))).isZero();
    assertThat(source.place("a", new DeliveredEvent(1, "a9", 0))).isZero();
  }

  @Test
  void theFileArrivesInOrder() throws Exception {
    FakeSessionNode node = new FakeSessionNode("job");
    RoundResult result =
        new SessionRound(
                "replay",
                source,
                new SessionLoad(2, 10, 0.5, true, 1_000),
                node,
                List.of(new SessionBenchWorker(node, "w", 10, 10)),
                new SystemClock(),
                Duration.ofMillis(300))
            .run();
    assertThat(result.events()).isEqualTo(3);
    assertThat(result.lost()).isZero();
    assertThat(result.orderViolations()).as("%s", result.examples()).isZero();
    assertThat(result.unfinished()).isZero();
    assertThat(result.duplicatesSent()).isPositive().isEqualTo(result.duplicatesReported());
  }
}
