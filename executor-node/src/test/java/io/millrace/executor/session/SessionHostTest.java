package io.millrace.executor.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One process for each session: events as lines, answered by lines. */
@Timeout(60)
class SessionHostTest {
  private static final String NEXT = "read -r event && echo \"$event\" >> \"$F\"; ";
  private static final String FIRST = "read -r session && echo \"$session\" >> \"$F\"; ";
  private static final String OK =
      "n=${event#*\\\"n\\\":}; n=${n%%,*}; echo \"{\\\"n\\\":$n,\\\"ok\\\":true}\"; ";

  // It notes TERM, and goes on.
  private static final String WORK_ON =
      "trap 'echo TERM >> \"$F\"' TERM; echo $$ > \"$F.pid\"; "
          + FIRST
          + NEXT
          + "echo at work >> \"$F\"; while true; do sleep 0.1; done";

  @TempDir private Path folder;
  private final SessionServer node = new SessionServer();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Duration timeout = Duration.ZERO;
  private Duration grace = Duration.ofSeconds(10);
  private SessionHost host;

  @AfterEach
  void end() {
    if (host != null) {
      host.close();
    }
    node.close();
  }

  @Test
  void aProcessGetsTheEventsOfItsSessionAndAnswersThem() throws Exception {
    start(FIRST + "while " + NEXT + "[ -n \"$event\" ]; do " + OK + "done");
    node.deliver("a", "3.1", 1, 2);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 2);
    node.deliver("b", "3.1", 1);
    node.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);
    assertThat(lines("a"))
        .hasSize(3)
        .first()
        .isEqualTo("{\"session\":{\"key\":\"a\",\"number\":\"3.1\",\"snapshot\":null}}");
    JsonNode second = Json.read(lines("a").get(2), JsonNode.class);
    assertThat(second.path("n").asLong()).isEqualTo(2);
    assertThat(second.path("id").asText()).isEqualTo("e2");
    assertThat(second.path("data").asText()).isEqualTo("event 2");
    assertThat(lines("b")).hasSize(2);
  }

  @Test
  void exitZeroCompletesTheSession() throws Exception {
    start(FIRST + NEXT + OK + NEXT + OK + "exit 0");
    node.deliver("a", "1.1", 1, 2);
    node.awaitResult("a", ResultKind.COMPLETED, 2);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .doesNotContain(ResultKind.FAILED);
  }

  @Test
  void anEventAfterTheExitGoesToANewProcess() throws Exception {
    node.completionsCome(ResultOutcome.CONTINUES);
    start(FIRST + NEXT + OK + "exit 0");
    node.deliver("a", "1.1", 1, 2);
    node.awaitResult("a", ResultKind.COMPLETED, 2);
    assertThat(lines("a")).hasSize(4);
  }

  @Test
  void aProcessThatExitsWithoutAnAnswerHasFailedAndASuccessorBeginsAnew() throws Exception {
    start(FIRST + NEXT + "exit 0");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.RELEASED, 0);
    SessionResult failed = node.awaitResult("a", ResultKind.FAILED, 0);
    assertThat(failed.reason()).isEqualTo("the process exited with 0 before it answered event 1");
  }

  @Test
  void anExitWithAnErrorBetweenEventsFailsTheNextOne() throws Exception {
    start(FIRST + NEXT + OK + "exit 7");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    awaitNoProcess();
    node.deliver("a", "1.1", 2);
    assertThat(node.awaitResult("a", ResultKind.FAILED, 1).reason()).contains("exited with 7");
    node.awaitResult("a", ResultKind.RELEASED, 1);
  }

  @Test
  void aRefusedEventHasFailedAndComesAgainToTheSameProcess() throws Exception {
    start(
        FIRST
            + NEXT
            + "echo '{\"n\":1,\"ok\":false,\"reason\":\"not yet\"}'; "
            + NEXT
            + OK
            + "read -r end");
    node.deliver("a", "1.1", 1);
    assertThat(node.awaitResult("a", ResultKind.FAILED, 0).reason()).isEqualTo("not yet");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
  }

  @Test
  void aSuccessorBeginsWithTheSnapshot() throws Exception {
    start(FIRST + NEXT + "echo '{\"n\":1,\"snapshot\":{\"sum\":5}}'; " + NEXT + OK + "read -r end");
    node.deliver("a", "1.1", 1);
    JsonNode kept = node.awaitResult("a", ResultKind.SNAPSHOT, 1).snapshot();
    node.deliver(
        new SessionDelivery(
            "a", SessionNumber.of("2.1"), 2, kept, 2, List.of(SessionServer.event(2))));
    await().atMost(Duration.ofSeconds(20)).until(() -> lines("a").size() == 4);
    assertThat(lines("a").get(2))
        .isEqualTo("{\"session\":{\"key\":\"a\",\"number\":\"2.1\",\"snapshot\":{\"sum\":5}}}");
    assertThat(lines("a").get(3)).contains("\"replayed\":true");
  }

  @Test
  void theProcessOfARevokedSessionIsStoppedBeforeTheSessionIsGivenBack() throws Exception {
    // It ignores TERM.
    grace = Duration.ofMillis(100);
    start(
        "trap '' TERM; echo $$ > \"$F.pid\"; "
            + FIRST
            + NEXT
            + OK
            + "while true; do sleep 100; done");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.revoke("a", "1.1");
    node.awaitResult("a", ResultKind.RELEASED, 1);
    long pid = Long.parseLong(Files.readString(folder.resolve("a.pid")).strip());
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void workThatIgnoresTermHasEndedWhenTheSessionIsGivenBackAtTheDeadline() throws Exception {
    // The grace is longer than the deadline.
    node.deadline(Duration.ofSeconds(3));
    start(WORK_ON);
    node.deliver("a", "1.1", 1);
    await().atMost(Duration.ofSeconds(20)).until(() -> lines("a").contains("at work"));
    long told = System.nanoTime();
    node.revoke("a", "1.1");
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(isAlive()).isFalse();
    assertThat(lines("a")).contains("TERM");
    assertThat(Duration.ofNanos(System.nanoTime() - told)).isLessThan(grace);
  }

  @Test
  void withoutContactAllProcessesHaveEndedBeforeTheHostRegistersAnew() throws Exception {
    node.deadline(Duration.ofSeconds(3));
    start(WORK_ON);
    node.deliver("a", "1.1", 1);
    await().atMost(Duration.ofSeconds(20)).until(() -> lines("a").contains("at work"));
    node.silent(true);
    await().atMost(Duration.ofSeconds(20)).until(() -> lines("a").contains("TERM"));
    node.silent(false);
    await().atMost(Duration.ofSeconds(20)).until(() -> node.registrations().size() == 2);
    assertThat(isAlive()).isFalse();
    assertThat(node.resultsOf("a")).isEmpty();
  }

  @Test
  void theProcessOfASessionThatEndedAtTheNodeIsStopped() throws Exception {
    // As after too many failures: the node lists it, and knows nothing of it any more.
    start("echo $$ > \"$F.pid\"; " + FIRST + NEXT + "echo '{\"n\":1,\"ok\":false}'; read -r end");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.FAILED, 0);
    assertThat(isAlive()).isTrue();
    node.releasesCome(ResultOutcome.UNKNOWN);
    node.revoke("a", "1.1");
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(isAlive()).isFalse();
  }

  private boolean isAlive() throws IOException {
    return ProcessHandle.of(Long.parseLong(pid())).filter(ProcessHandle::isAlive).isPresent();
  }

  private String pid() throws IOException {
    Path file = folder.resolve("a.pid");
    return Files.exists(file) ? Files.readString(file).strip() : "";
  }

  @Test
  void anEventWithoutAnAnswerInTimeHasFailed() throws Exception {
    timeout = Duration.ofMillis(200);
    start(FIRST + NEXT + "while true; do sleep 100; done");
    node.deliver("a", "1.1", 1);
    assertThat(node.awaitResult("a", ResultKind.FAILED, 0).reason())
        .isEqualTo("no result of event 1 within 200ms");
  }

  @Test
  void aTerminatedProcessIsNotTheEventsFault() throws Exception {
    start(FIRST + NEXT + "kill -TERM $$; sleep 100");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.RELEASED, 0);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .containsExactly(ResultKind.RELEASED);
  }

  /** A signal to an attempt reaches all its processes, this one first. */
  @Test
  void aProcessThatEndsWithItsWorkerDoesNotCompleteItsSession() throws Exception {
    start(
        "trap 'exit 0' TERM; "
            + FIRST
            + NEXT
            + OK
            // Longer than a program takes that ends with its last answer.
            + "sleep 0.7; echo $$ > \"$F.part\"; mv \"$F.part\" \"$F.pid\"; "
            + "while true; do sleep 0.1; done");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(folder.resolve("a.pid")));
    ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("a.pid")).strip()))
        .orElseThrow()
        .destroy();
    host.close();
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .doesNotContain(ResultKind.COMPLETED, ResultKind.FAILED);
  }

  @Test
  void aProcessThatEndsLongAfterItsLastAnswerCompletesItsSession() throws Exception {
    start(FIRST + NEXT + OK + "sleep 0.6; exit 0");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.COMPLETED, 1);
  }

  @Test
  void aCommandThatCannotBeStartedEndsTheHostAndFailsNoEvent() throws Exception {
    start(List.of("/no/such/program"));
    node.deliver("a", "1.1", 1);
    assertThat(host.await()).isEqualTo(126);
    assertThat(node.resultsOf("a"))
        .extracting(SessionResult::kind)
        .doesNotContain(ResultKind.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("/no/such/program");
  }

  @Test
  void processesKnowTheirSessionAndNotTheTokenOfTheHost() throws Exception {
    start(
        "echo \"$MILLRACE_SESSION_KEY $MILLRACE_SESSION_NUMBER\"; echo \"token:$MILLRACE_TOKEN\"; "
            + FIRST
            + NEXT
            + OK
            + "read -r end");
    node.deliver("a", "3.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    assertThat(out.toString(StandardCharsets.UTF_8).lines()).contains("a 3.1", "token:");
  }

  @Test
  void aHostThatIsAskedToLeaveEndsWithItsProcesses() throws Exception {
    start(FIRST + "while " + NEXT + "[ -n \"$event\" ]; do " + OK + "done");
    node.deliver("a", "1.1", 1);
    node.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);
    node.askToLeave();
    assertThat(host.await()).isZero();
    awaitNoProcess();
    assertThat(node.calls()).last().asString().startsWith("DELETE");
    assertThat(node.registrations().get(0).cap()).isEqualTo(4);
    assertThat(node.registrations().get(0).job()).isEqualTo("17.1");
  }

  private void start(String script) {
    start(List.of("sh", "-c", "F=\"%s/$MILLRACE_SESSION_KEY\"; ".formatted(folder) + script));
  }

  private void start(List<String> command) {
    host =
        new SessionHost(
            new SessionHostSettings(command, 4, timeout, grace),
            Map.of(
                "MILLRACE_URL",
                node.address().toString(),
                "MILLRACE_TOKEN",
                "secret",
                "MILLRACE_QUEUE",
                "orders",
                "MILLRACE_ATTEMPT",
                "17.1"),
            new UrlTransport(),
            Duration.ofMillis(50),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    host.start();
  }

  private static void awaitNoProcess() {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> ProcessHandle.current().children().noneMatch(ProcessHandle::isAlive));
  }

  private List<String> lines(String key) throws IOException {
    Path file = folder.resolve(key);
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }
}
