package io.millrace.executor.node;

import static io.millrace.executor.node.NodeDrill.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that get their events one by one and answer them one by one. */
@Timeout(60)
class StreamWorkersTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);
  private static final AttemptId SECOND = new AttemptId(2, 1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final LingerDefinition BRIEFLY =
      new LingerDefinition(1_000, MINUTE, Duration.ofMillis(300));
  private static final LingerDefinition LONG = new LingerDefinition(100_000, MINUTE, MINUTE);
  private static final String EACH =
      "while read -r event; do id=${event#*\\\"id\\\":\\\"}; id=${id%%\\\"*}; ";
  private static final String OK = "echo \"{\\\"id\\\":\\\"$id\\\",\\\"ok\\\":true}\"; ";

  @TempDir private Path folder;
  private NodeDrill drill;
  private FakeQueueNode queue;

  @BeforeEach
  void prepare() {
    drill = new NodeDrill(folder);
    queue = drill.cluster.queueNode();
  }

  @AfterEach
  void cleanUp() {
    drill.close();
  }

  @Test
  void oneProcessAnswersManyEventsAndEndsWhenNoMoreCome() throws IOException {
    drill.start();
    put(35);
    Path starts = drill.file("starts");
    place(
        stream(10, BRIEFLY, "echo x >> '%s'; echo ready; ".formatted(starts) + EACH + OK + "done"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(end.events()).isEqualTo(35);
    assertThat(end.reason()).isNull();
    assertThat(queue.acknowledged()).hasSize(35).doesNotHaveDuplicates();
    assertThat(queue.refusals()).isEmpty();
    assertThat(Files.readAllLines(starts)).hasSize(1);
  }

  @Test
  void withoutAnEventNothingIsStarted() {
    drill.start();
    place(stream(10, BRIEFLY, "exit 3"));
    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.IDLE);
  }

  @Test
  void aWorkerThatDoesNotLingerGetsTheEventsOfOneLease() {
    drill.start();
    put(35);
    place(stream(10, null, EACH + OK + "done"));
    assertThat(drill.end(FIRST).events()).isEqualTo(10);
    assertThat(queue.waiting()).isEqualTo(25);
  }

  @Test
  void aRunEndsAtItsMostEvents() {
    drill.start();
    put(35);
    place(stream(10, new LingerDefinition(20, MINUTE, MINUTE), EACH + OK + "done"));
    assertThat(drill.end(FIRST).events()).isEqualTo(20);
    assertThat(queue.acknowledged()).hasSize(20);
  }

  @Test
  void aRefusedEventIsRefusedWithItsReasonAndTheOthersGoOn() {
    drill.start();
    put(3);
    String refuse =
        "if [ $id = e2 ]; then echo \"{\\\"id\\\":\\\"e2\\\",\\\"ok\\\":false,\\\"reason\\\":\\\"no such user\\\","
            + "\\\"delay\\\":\\\"10s\\\"}\"; else "
            + OK
            + "fi; ";
    place(stream(10, BRIEFLY, EACH + refuse + "done"));
    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(queue.acknowledged()).containsExactlyInAnyOrder("receipt-e1", "receipt-e3");
    assertThat(queue.refusals())
        .containsExactly(
            new Refusal(
                List.of("receipt-e2"), RefusalKind.FAILED, Duration.ofSeconds(10), "no such user"));
  }

  @Test
  void atMostAWindowIsUnansweredAndLeasesAreExtendedMeanwhile() throws IOException {
    drill.start();
    put(35);
    Path seen = drill.file("seen");
    // Not the end of its input ends it, which it gets just before the signal.
    place(stream(3, LONG, "cat > '%s'; exec sleep 600".formatted(seen)));
    eventually().until(() -> Files.exists(seen) && Files.readAllLines(seen).size() == 3);
    eventually().until(() -> queue.extensions() >= 2);
    assertThat(Files.readAllLines(seen)).hasSize(3);
    assertThat(queue.waiting()).isEqualTo(32);

    drill.cluster.central().stop(FIRST);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(refused(RefusalKind.RETURNED))
        .containsExactlyInAnyOrder("receipt-e1", "receipt-e2", "receipt-e3");
    assertThat(queue.acknowledged()).isEmpty();
  }

  @Test
  void whatIsNotAnsweredOnExitZeroIsReturnedAndNothingIsAcknowledgedThatWasNotAnswered() {
    drill.start();
    put(3);
    place(stream(10, null, EACH + "[ $id != e1 ] || " + OK + "done; echo bye"));
    AttemptResult end = drill.end(FIRST);
    assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(end.reason()).contains("without an answer, and so delivered again: 2 of 3 events");
    assertThat(queue.acknowledged()).containsExactly("receipt-e1");
    assertThat(refused(RefusalKind.RETURNED)).containsExactlyInAnyOrder("receipt-e2", "receipt-e3");
  }

  @Test
  void theUnansweredEventsOfAWorkerThatFailedHaveFailed() {
    drill.start();
    put(3);
    place(
        stream(
            10,
            BRIEFLY,
            EACH + "[ $id = e1 ] || { echo broken >&2; kill -KILL $$; }; " + OK + "done"));
    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SIGNALLED);
    assertThat(queue.acknowledged()).containsExactly("receipt-e1");
    assertThat(refused(RefusalKind.FAILED)).containsExactlyInAnyOrder("receipt-e2", "receipt-e3");
    assertThat(queue.refusals().get(0).reason()).contains("broken");
  }

  @Test
  void onlyTheEventWhoseAnswerDidNotComeInTimeHasFailed() {
    drill.start();
    put(3);
    place(
        NodeDrill.stream(
            FIRST,
            10,
            Duration.ofMillis(500),
            LONG,
            EACH + "[ $id = e1 ] || sleep 600; " + OK + "done"));
    AttemptResult end = drill.end(FIRST);
    assertThat(end.outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(end.reason()).contains("event e2 was not answered within 500ms");
    assertThat(queue.acknowledged()).containsExactly("receipt-e1");
    assertThat(refused(RefusalKind.FAILED)).containsExactly("receipt-e2");
    assertThat(refused(RefusalKind.RETURNED)).containsExactly("receipt-e3");
  }

  @Test
  void aWorkerThatDoesNotEndWithItsInputIsEnded() {
    drill.start();
    put(1);
    place(
        NodeDrill.stream(
            FIRST, 10, Duration.ofMillis(500), BRIEFLY, EACH + OK + "done; sleep 600"));
    assertThat(drill.end(FIRST).reason()).contains("did not end within 500ms");
    assertThat(queue.acknowledged()).containsExactly("receipt-e1");
  }

  @Test
  void aWorkerThatReadsNothingBlocksNobodyElse() {
    drill.start();
    queue.put(IntStream.range(0, 20).mapToObj(i -> i + "x".repeat(20_000)).toArray(String[]::new));
    place(stream(20, LONG, "exec sleep 600"));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    drill.cluster.central().place(NodeDrill.shell(SECOND, "exit 3"));
    assertThat(drill.end(SECOND).exitCode()).isEqualTo(3);
    drill.cluster.central().stop(FIRST);
    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(queue.acknowledged()).isEmpty();
  }

  @Test
  void resultsAreReportedOnceTheQueueNodeAnswersAgain() throws IOException {
    drill.start();
    put(2);
    Path go = drill.file("go");
    Path done = drill.file("done");
    place(
        stream(
            10,
            LONG,
            "until [ -e '%s' ]; do sleep 0.02; done; ".formatted(go)
                + EACH
                + OK
                + "echo $id >> '%s'; ".formatted(done)
                + "done"));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    queue.goAway(true);
    drill.touch(go);
    eventually().until(() -> Files.exists(done) && Files.readAllLines(done).size() == 2);
    assertThat(queue.acknowledged()).isEmpty();
    queue.goAway(false);
    eventually().until(() -> queue.acknowledged().size() == 2);
  }

  @Test
  void theNextAgentReportsWhatTheWorkerAnsweredMeanwhileAndReturnsTheRest() throws IOException {
    drill.start(NodeDrill::keepingProcesses);
    put(3);
    Path go = drill.file("go");
    Path over = drill.file("over");
    place(
        stream(
            10,
            LONG,
            "until [ -e '%s' ]; do sleep 0.02; done; ".formatted(go)
                + EACH
                + "[ $id = e3 ] || "
                + OK
                + "done; touch '%s'; exit 3".formatted(over)));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    eventually().until(() -> queue.waiting() == 0);

    drill.stop();
    drill.touch(go);
    eventually().until(() -> Files.exists(over));
    assertThat(queue.acknowledged()).isEmpty();
    drill.start();

    assertThat(drill.end(FIRST).exitCode()).isEqualTo(3);
    assertThat(queue.acknowledged()).containsExactlyInAnyOrder("receipt-e1", "receipt-e2");
    assertThat(refused(RefusalKind.RETURNED))
        .as("its input ended with the first agent, which may be why it failed")
        .containsExactly("receipt-e3");
    assertThat(refused(RefusalKind.FAILED)).isEmpty();
  }

  private List<String> refused(RefusalKind kind) {
    return queue.refusals().stream()
        .filter(refusal -> refusal.kind() == kind)
        .flatMap(refusal -> refusal.receipts().stream())
        .toList();
  }

  private void put(int events) {
    queue.put(IntStream.rangeClosed(1, events).mapToObj(i -> "e" + i).toArray(String[]::new));
  }

  private void place(Assignment assignment) {
    drill.cluster.central().place(assignment);
  }

  private static Assignment stream(int window, LingerDefinition linger, String script) {
    return NodeDrill.stream(FIRST, window, MINUTE, linger, script);
  }
}
