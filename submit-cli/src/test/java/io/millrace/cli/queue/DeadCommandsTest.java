package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeadCommandsTest {
  private static final String ROUTE = "/v1/queues/alert/dead";

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsReasonsAndHowToContinue() {
    page("GET " + ROUTE + "?limit=2", Map.of("millrace-next", "q1/16"), dead(17), dead(16));

    assertThat(run.run("queue", "dead", "list", "alert", "--limit", "2")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            HANDLE  ID   AGO  FAILED  LOST  REASON
            q1/17   e17   3m       5     1  exit code 17
            q1/16   e16   3m       5     1  exit code 16
            """);
    assertThat(run.messages()).contains("--before q1/16");
  }

  @Test
  void aListOfLargeDeadLettersIsReadInSeveralPages() {
    page("GET " + ROUTE + "?limit=3", Map.of("millrace-next", "q1/17"), dead(17));
    page("GET " + ROUTE + "?limit=2&before=q1%2F17", Map.of("millrace-unreached", "q2"), dead(16));
    assertThat(run.run("queue", "dead", "list", "alert", "--limit", "3")).isZero();
    assertThat(run.output()).contains("q1/17").contains("q1/16");
    assertThat(run.messages()).contains("q2 did not answer").doesNotContain("--before");
  }

  @Test
  void theIdOfAnEventIsShownWholeSoThatItCanBePasted() {
    int number = 1_234_567_890;
    DeadEvent dead = dead(number);
    String id = "order-".repeat(33);
    page(
        "GET " + ROUTE,
        Map.of(),
        new DeadEvent(dead.handle(), id, "alert", "q1", 5, 1, null, dead.diedAt(), null, null));
    run.run("queue", "dead", "list", "alert");
    assertThat(run.output()).contains("\nq1/1234567890  " + id + "  ");
  }

  @Test
  void nodesThatDidNotAnswerAreListed() {
    page("GET " + ROUTE, Map.of("millrace-unreached", "q2,q3"), dead(17));
    run.run("queue", "dead", "list", "alert");
    assertThat(run.messages()).contains("q2, q3 did not answer");
  }

  @Test
  void aDeadLetterOfALaterPageIsShown() {
    page("GET " + ROUTE + "?limit=1000", Map.of("millrace-next", "q1/17"), dead(17));
    page("GET " + ROUTE + "?limit=1000&before=q1%2F17", Map.of(), dead(16));

    assertThat(run.run("queue", "dead", "show", "alert", "q1/16")).isZero();

    assertThat(run.output())
        .contains("dead letter q1/16")
        .contains("| exit code 16")
        .contains("| 16");
  }

  @Test
  void anUnknownDeadLetterIsAnError() {
    page("GET " + ROUTE, Map.of(), dead(17));
    assertThat(run.run("queue", "dead", "show", "alert", "q9/1")).isEqualTo(3);
    assertThat(run.messages()).contains("q9/1").contains("millrace queue dead list alert");
  }

  @Test
  void everySelectionIsSent() {
    cluster.answering("POST " + ROUTE + "/requeue", new QueueActionAnswer(1_234, List.of()));

    run.run(
        "queue",
        "dead",
        "requeue",
        "alert",
        "--handle",
        "q1/17",
        "--handle",
        "q1/16",
        "--id",
        "e1",
        "--reason",
        "refused",
        "--older-than",
        "2h",
        "--max",
        "10");

    assertThat(run.output()).isEqualTo("1,234 dead letters requeued\n");
    assertThat(Json.read(cluster.last().body(), DeadSelection.class))
        .isEqualTo(
            new DeadSelection(
                List.of("q1/17", "q1/16"),
                List.of("e1"),
                "refused",
                Duration.ofHours(2),
                false,
                10));
  }

  @Test
  void deadLettersThatAreNamedAndNotFoundAreAnErrorUnlessANodeDidNotAnswer() {
    cluster.answering("POST " + ROUTE + "/requeue", new QueueActionAnswer(0, List.of()));
    assertThat(run.run("queue", "dead", "requeue", "alert", "--handle", "q1/17")).isEqualTo(3);
    assertThat(run.messages()).contains("queue alert has no such dead letter");
    assertThat(run.run("queue", "dead", "requeue", "alert", "--all")).isZero();

    cluster.answering("POST " + ROUTE + "/drop", new QueueActionAnswer(0, List.of("q2")));
    assertThat(run.run("queue", "dead", "drop", "alert", "--id", "e1", "--yes")).isZero();
    assertThat(run.messages()).contains("q2 did not answer");
  }

  @Test
  void withoutASelectionNothingIsSent() {
    assertThat(run.run("queue", "dead", "requeue", "alert")).isEqualTo(2);
    assertThat(run.run("queue", "dead", "drop", "alert", "--all", "--id", "e1")).isEqualTo(2);
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void droppingAllAsksOnATerminalAndRequiresYesElsewhere() {
    cluster.answering("POST " + ROUTE + "/drop", new QueueActionAnswer(3, List.of()));

    assertThat(run.run("queue", "dead", "drop", "alert", "--all")).isEqualTo(2);
    assertThat(run.messages()).contains("--yes");
    assertThat(run.onTerminal().reading("other\n").run("queue", "dead", "drop", "alert", "--all"))
        .isEqualTo(2);
    assertThat(cluster.asked()).isEmpty();

    assertThat(run.reading("alert\n").run("queue", "dead", "drop", "alert", "--all")).isZero();
    assertThat(run.output()).contains("3 dead letters deleted");
  }

  @Test
  void droppingAllWithYesDoesNotAsk() {
    cluster.answering("POST " + ROUTE + "/drop", new QueueActionAnswer(3, List.of("q2")));
    assertThat(run.run("queue", "dead", "drop", "alert", "--all", "--yes")).isZero();
    assertThat(run.messages()).contains("q2 did not answer");
  }

  @Test
  void theListShowsTheLastLineOfAWorkersErrorOutput() {
    String reason =
        "exit code 9: Traceback (most recent call last):\n"
            + "  File \"digest.py\", line 7, in a function with a rather long name\n"
            + "KeyError: 'user'\n";
    page("GET " + ROUTE, Map.of(), dead(17, reason), dead(16, "its retention has passed"));
    run.run("queue", "dead", "list", "alert");
    assertThat(run.output())
        .contains("exit code 9: … KeyError: 'user'")
        .contains("its retention has passed")
        .doesNotContain("Traceback");
  }

  private void page(String route, Map<String, String> headers, DeadEvent... events) {
    cluster.when(route, call -> new HttpAnswer(200, headers, Json.writeBytes(events)));
  }

  private static DeadEvent dead(int number) {
    return dead(number, "exit code " + number);
  }

  private static DeadEvent dead(int number, String reason) {
    return new DeadEvent(
        "q1/" + number,
        "e" + number,
        "alert",
        "q1",
        5,
        1,
        reason,
        CommandRun.NOW.minusSeconds(200),
        null,
        IntNode.valueOf(number));
  }
}
