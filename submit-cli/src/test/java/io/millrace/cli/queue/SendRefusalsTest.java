package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sending to a queue of sessions, which answers for each event. */
class SendRefusalsTest {
  private final FakeCluster cluster =
      new FakeCluster()
          .answering(
              "GET /v1/load-balancers",
              List.of(new BalancerAddress("b1", URI.create("http://127.0.0.1:7701"))));
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void refusedEventsAreNamedWithWhatToDo() {
    answering(2, refused(1, "k7", ErrorCode.SESSIONS_FULL), refused(3, "k8", ErrorCode.DUPLICATE));
    assertThat(run.run("queue", "send", "orders", "--data", "1", "--batch", "day")).isEqualTo(1);
    assertThat(run.output()).contains("2 events accepted by q1, q2 as day");
    assertThat(run.messages())
        .contains("refused: event 1 of day (id day-1, key k7): SESSIONS_FULL: why")
        .contains("refused: event 3 of day (id day-3, key k8): DUPLICATE: why")
        .contains("2 events refused")
        .contains("send the same again later with --batch day")
        .contains("the session of the key is completed");
  }

  @Test
  void nothingIsSentAfterABatchWithAnEventThatMayBeStoredLater() {
    answering(999, refused(5, "k7", ErrorCode.UNAVAILABLE));
    assertThat(sendThreeBatches()).isEqualTo(1);
    assertThat(sent()).isEqualTo(1);
    assertThat(run.messages()).contains("nothing was sent after this batch");
  }

  @Test
  void eventsWithoutKeyAndOfCompletedSessionsDoNotEndTheFile() {
    answering(
        998, refused(5, null, ErrorCode.INVALID_REQUEST), refused(6, "k7", ErrorCode.DUPLICATE));
    assertThat(sendThreeBatches()).isEqualTo(1);
    assertThat(sent()).isEqualTo(3);
    assertThat(run.messages())
        .contains("event 5 of day (id day-5, no key): INVALID_REQUEST")
        .contains("6 events refused")
        .contains("under another batch name")
        .doesNotContain("nothing was sent");
  }

  @Test
  void onlyTheFirstOfManyAreShown() {
    List<RefusedEvent> many = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      many.add(refused(i, "k" + i, ErrorCode.DUPLICATE));
    }
    answering(0, many.toArray(RefusedEvent[]::new));
    run.run("queue", "send", "orders", "--data", "1");
    assertThat(run.messages()).contains("event 49 of").doesNotContain("event 50 of");
    assertThat(run.messages()).contains("… and 10 more");
  }

  @Test
  void jsonHasTheWholeAnswer() {
    answering(2, refused(1, "k7", ErrorCode.SESSIONS_FULL));
    assertThat(run.run("queue", "send", "orders", "--data", "1", "--json")).isEqualTo(1);
    assertThat(run.output()).contains("\"SESSIONS_FULL\"").contains("\"k7\"");
  }

  private int sendThreeBatches() {
    return run.reading("{}\n".repeat(2_500))
        .run("queue", "send", "orders", "--lines", "-", "--batch", "day");
  }

  private long sent() {
    return cluster.asked().stream().filter(asked -> asked.startsWith("POST")).count();
  }

  private void answering(int accepted, RefusedEvent... refused) {
    String node = accepted == 0 ? "" : "q1,q2";
    SendAnswer answer = new SendAnswer("orders", "day", accepted, false, node, List.of(refused));
    cluster.when(
        "POST /v1/queues/orders/events",
        call -> {
          assertThat(call.headers()).containsKey(EventMedia.BATCH_HEADER);
          return FakeCluster.answer(207, "application/json", Json.writeBytes(answer));
        });
  }

  private static RefusedEvent refused(int index, String key, ErrorCode code) {
    return new RefusedEvent(index, "day-" + index, key, code, "why");
  }
}
