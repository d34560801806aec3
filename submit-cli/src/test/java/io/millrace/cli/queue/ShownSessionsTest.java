package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code queue show} says of a queue of sessions. */
class ShownSessionsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aQueueOfSessionsIsShownWithTheFiguresOfEachSegment() {
    SessionFigures sessions =
        new SessionFigures(
            7, 12, 1, 2, 60_000, 90, 1_020, 1_000, 5, 3, 40, 0, 0, 2, 500, 9, 0, 4.2, null);
    show(
        definition(Map.of("name", "orders", "sessions", Map.of("key", "/orderId"))),
        segment("q1", sessions),
        segment("q2", null));

    assertThat(run.output())
        .contains(
            "  sessions    by /orderId, up to 30,000 per worker, up to 100,000 without a worker, order strict\n",
            "  attempts    an event that fails 5 times parks its session until an operator decides\n")
        .endsWith(
            """

            Sessions
              NODE  SLOTS  WAITING SLOTS  UNASSIGNED  ASSIGNED  CAPACITY  WORKERS  PARKED  REMEMBERED  HAND-OVERS  DUPLICATES  REFUSED  STALLED
              q1      500              9           7        12    60,000        2       1          90           5           3       40     4.2s
            """);
  }

  @Test
  void anotherQueueIsShownWithoutSessions() {
    show(definition(Map.of("name", "orders")), segment("q1", null));
    assertThat(run.output()).doesNotContain("essions").contains("\nSegments\n");
  }

  private void show(QueueDefinition definition, SegmentFigures... segments) {
    cluster.answering(
        "GET /v1/queues/orders",
        new QueueDetails(
            Samples.queue("orders"), definition, List.of(segments), List.of(), List.of(), null));
    assertThat(run.run("queue", "show", "orders")).isZero();
  }

  private static QueueDefinition definition(Map<String, Object> fields) {
    return Json.read(Json.write(fields), QueueDefinition.class);
  }

  private static SegmentFigures segment(String node, SessionFigures sessions) {
    return new SegmentFigures(
        "orders", node, 500, 8, 7, 0, 12, 0, 2.5, 900, 1, 1, 1, 0, 0, null, null, null, sessions);
  }
}
