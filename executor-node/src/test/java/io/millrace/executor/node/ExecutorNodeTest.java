package io.millrace.executor.node;

import static io.millrace.executor.node.NodeDrill.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExecutorNodeTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);
  private static final AttemptId SECOND = new AttemptId(2, 1);

  @TempDir private Path folder;
  private NodeDrill drill;

  @BeforeEach
  void prepare() {
    drill =
        new NodeDrill(
            folder,
            new SamplePrograms.Counting(),
            new SamplePrograms.Describing(),
            new SamplePrograms.Failing());
  }

  @AfterEach
  void cleanUp() {
    drill.close();
  }

  @Test
  void aJobOfAUserThatTheNodeDoesNotTakeIsRefusedAndNothingOfItRuns() {
    drill.start();
    AttemptId worker = SECOND;
    drill.cluster.queueNode().put("event");
    drill.cluster.central().place(NodeDrill.of("somebody", NodeDrill.shell(FIRST, "exit 3")));
    drill.cluster.central().place(NodeDrill.of("somebody", NodeDrill.worker(worker, "exit 3")));

    for (AttemptId attempt : List.of(FIRST, worker)) {
      AttemptResult end = drill.end(attempt);
      assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
      assertThat(end.ranNothing()).isTrue();
      assertThat(end.runMillis()).isZero();
      assertThat(end.reason()).startsWith("user 'somebody': ").contains("limits.runAsUsers");
    }
    assertThat(drill.cluster.queueNode().refusals()).as("events that were leased").isEmpty();
    assertThat(drill.cluster.central().registrations().get(0).attributes())
        .containsEntry("withoutUser", "true");
  }

  @Test
  void runsACommandAndReportsItsExitCodeAndLastLines() {
    drill.start();
    drill
        .cluster
        .central()
        .place(NodeDrill.shell(FIRST, "echo out; echo disk is full >&2; exit 3"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.exitCode()).isEqualTo(3);
    assertThat(end.stderrTail()).isEqualTo("disk is full");
    AttemptReport report = drill.reportedEnd(FIRST);
    assertThat(report.startedAgoMillis()).isGreaterThanOrEqualTo(report.endedAgoMillis());
  }

  @Test
  void whatAProgramReportsOfItsProgressIsSentWithPollsAndTheLastOfItWithItsEnd() {
    drill.start();
    Path go = drill.file("go");
    String script =
        "echo 1/4 first >> $MILLRACE_PROGRESS; until [ -e '%s' ]; do sleep 0.02; done;"
            + " echo 3/4 last > $MILLRACE_PROGRESS; exit 3";
    drill.cluster.central().place(NodeDrill.shell(FIRST, script.formatted(go)));
    ReportedProgress first = new ReportedProgress(25.0, 1L, 4L, "first");
    eventually()
        .until(
            () ->
                drill.cluster.central().polls().stream()
                    .anyMatch(poll -> poll.progress().contains(new ProgressReport(FIRST, first))));

    drill.touch(go);

    assertThat(drill.reportedEnd(FIRST).progress())
        .isEqualTo(new ReportedProgress(75.0, 3L, 4L, "last"));
    assertThat(drill.directory(FIRST).progress()).doesNotExist();
  }

  @Test
  void reportsWhatACommandHasUsed() {
    drill.start();
    String busy = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";
    drill.cluster.central().place(NodeDrill.shell(FIRST, busy));

    assertThat(drill.end(FIRST).usage().cpuMillis()).isPositive();
  }

  @Test
  void tellsHowACommandThatCannotBeStartedFailed() {
    drill.start();
    drill.cluster.central().place(NodeDrill.command(FIRST, "/no/such/program"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
    assertThat(end.reason()).contains("/no/such/program");
  }

  @Test
  void reportsTheStartOfACommandThatRunsForAWhileAndStopsItWhenOrdered() {
    drill.start();
    drill.cluster.central().place(NodeDrill.command(FIRST, "sleep", "600"));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    drill.cluster.central().stop(FIRST);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
  }

  @Test
  void holdsAnAttemptUntilItsEndIsRecordedAndStartsItOnlyOnce() throws IOException {
    drill.start();
    Path count = drill.file("count");
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo ran >> " + count + "; sleep 1"));

    drill.end(FIRST);
    eventually()
        .untilAsserted(
            () -> {
              List<PollRequest> polls = drill.cluster.central().polls();
              assertThat(polls).anyMatch(poll -> poll.held().contains(FIRST));
              assertThat(polls.get(polls.size() - 1).held()).isEmpty();
            });

    assertThat(Files.readAllLines(count)).containsExactly("ran");
    assertThat(drill.cluster.central().ends(FIRST)).hasSize(1);
  }

  /** Whoever opens a pipe waits until somebody opens its other end. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aJobThatPutsPipesWhereTheAgentKeepsItsFilesEndsAndIsFoundAgainAfterARestart()
      throws IOException {
    drill.start(NodeDrill::keepingProcesses);
    Path go = drill.file("go");
    String pipes = "mkfifo ../result.json ../result.json.part ../receipts.json";
    drill
        .cluster
        .central()
        .place(NodeDrill.shell(FIRST, pipes + "; echo ready > " + go + ".made; " + waitFor(go)));
    eventually().until(() -> Files.exists(Path.of(go + ".made")));
    drill.stop();

    drill.start();
    drill.touch(go);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void acknowledgesAWorkersBatchOnExitCodeZeroBeforeItReportsTheEnd() throws IOException {
    drill.start();
    drill.cluster.queueNode().put("a", "b");
    Path seen = drill.file("seen");
    drill
        .cluster
        .central()
        .place(
            NodeDrill.worker(
                FIRST, "cat > " + seen + "; echo $MILLRACE_QUEUE $MILLRACE_EVENTS $MILLRACE_URL"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(end.events()).isEqualTo(2);
    assertThat(drill.cluster.queueNode().acknowledged()).containsExactly("receipt-a", "receipt-b");
    assertThat(drill.cluster.diary()).containsExactly("ack", "end 1.1 SUCCEEDED");
    assertThat(Files.readAllLines(seen))
        .containsExactly(
            "{\"id\":\"a\",\"queue\":\"alerts\",\"attempt\":1,\"data\":{\"n\":\"a\"}}",
            "{\"id\":\"b\",\"queue\":\"alerts\",\"attempt\":1,\"data\":{\"n\":\"b\"}}");
    assertThat(drill.directory(FIRST).read(LogStream.STDOUT, 0, 1000).text())
        .isEqualTo("alerts 2 " + FakeCluster.QUEUE_NODE + "\n");
  }

  @Test
  void refusesTheBatchOfAFailedWorkerWithItsLastLines() {
    drill.start();
    drill.cluster.queueNode().put("a");
    drill.cluster.central().place(NodeDrill.worker(FIRST, "echo no such account >&2; exit 4"));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.FAILED);
    assertThat(drill.cluster.queueNode().refusals())
        .singleElement()
        .satisfies(
            refusal -> {
              assertThat(refusal.kind()).isEqualTo(RefusalKind.FAILED);
              assertThat(refusal.reason()).contains("code 4", "no such account");
              assertThat(refusal.receipts()).containsExactly("receipt-a");
            });
    assertThat(drill.cluster.diary()).containsExactly("nack FAILED", "end 1.1 FAILED");
  }

  @Test
  void returnsTheBatchOfAWorkerThatCouldNotBeStarted() {
    drill.start();
    drill.cluster.queueNode().put("a");
    drill.cluster.central().place(NodeDrill.missingWorker(FIRST));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.START_FAILED);
    assertThat(drill.cluster.diary()).containsExactly("nack RETURNED", "end 1.1 START_FAILED");
  }

  @Test
  void startsNothingForAWorkerWithoutEvents() {
    drill.start();
    drill.cluster.central().place(NodeDrill.worker(FIRST, "exit 1"));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.IDLE);
    assertThat(drill.directory(FIRST).path()).doesNotExist();
  }

  @Test
  void leavesTheEventsToAWorkerThatPullsThemItself() throws IOException {
    drill.start();
    drill.cluster.queueNode().put("a");
    String script = "echo $MILLRACE_URL $MILLRACE_QUEUE $MILLRACE_TOKEN $MILLRACE_BATCH; cat";
    drill.cluster.central().place(NodeDrill.worker(FIRST, WorkerInput.PULL, script));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.stdout(FIRST)).isEqualTo(FakeCluster.QUEUE_NODE + " alerts worker-token 10\n");
    assertThat(drill.cluster.diary()).containsExactly("end 1.1 SUCCEEDED");
  }

  @Test
  void tellsAWorkerThatPullsWhereItRenewsItsTokenAndWithWhichSecret() throws IOException {
    drill.start();
    Assignment worker =
        NodeDrill.worker(FIRST, WorkerInput.PULL, "echo $MILLRACE_MANAGERS $MILLRACE_SECRET");
    drill.cluster.central().place(NodeDrill.withSecret(worker, "s3cret"));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.stdout(FIRST)).isEqualTo(FakeCluster.CENTRAL + " s3cret\n");
  }

  @Test
  void doesNotStartAWorkerWhoseQueueNodeIsAway() {
    drill.start();
    drill.cluster.queueNode().goAway(true);
    drill.cluster.central().place(NodeDrill.worker(FIRST, "exit 0"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
    assertThat(end.reason()).contains(FakeCluster.QUEUE_NODE.getHost());
  }

  @ParameterizedTest
  @EnumSource(names = {"STDIN", "STREAM", "PULL"})
  void doesNotStartAWorkerWhoseQueueNodeHasNotReportedSinceARestoration(WorkerInput input) {
    drill.start();
    Assignment worker = NodeDrill.worker(FIRST, input, "exit 0");
    drill.cluster.central().place(NodeDrill.withoutAddress(worker));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
    assertThat(end.reason()).contains("no address of queue node q1");
  }

  @Test
  void extendsTheLeaseWhileAWorkerRuns() {
    drill.start();
    drill.cluster.queueNode().put("a");
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.worker(FIRST, waitFor(go)));

    eventually().until(() -> drill.cluster.queueNode().extensions() >= 2);
    drill.touch(go);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.cluster.queueNode().acknowledged()).containsExactly("receipt-a");
  }

  @Test
  void acknowledgesLaterWhenTheQueueNodeIsAwayForAMoment() {
    drill.start();
    drill.cluster.queueNode().put("a");
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.worker(FIRST, waitFor(go)));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    drill.cluster.queueNode().goAway(true);
    drill.touch(go);
    eventually().until(() -> !processLives(FIRST));
    drill.cluster.queueNode().goAway(false);

    drill.end(FIRST);
    assertThat(drill.cluster.diary()).containsExactly("ack", "end 1.1 SUCCEEDED");
  }

  @Test
  void reportsAnEndThatCameWhileTheCentralManagerWasAway() {
    drill.start();
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.shell(FIRST, waitFor(go) + "; exit 5"));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    drill.cluster.central().goAway(true);
    drill.touch(go);
    eventually().until(() -> Files.exists(drill.directory(FIRST).path().resolve("result.json")));
    assertThat(drill.directory(FIRST).isReported()).isFalse();
    drill.cluster.central().goAway(false);

    assertThat(drill.end(FIRST).exitCode()).isEqualTo(5);
    eventually().until(() -> drill.directory(FIRST).isReported());
  }

  @Test
  void takesACommandOverAfterARestartOfTheAgent() {
    drill.start(NodeDrill::keepingProcesses);
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.shell(FIRST, waitFor(go) + "; exit 7"));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    drill.stop();

    drill.start();
    assertThat(lastRegistration()).containsExactly(FIRST);
    drill.touch(go);

    assertThat(drill.end(FIRST).exitCode()).isEqualTo(7);
    assertThat(drill.cluster.central().ends(FIRST)).hasSize(1);
  }

  @Test
  void takesAWorkerOverAfterARestartOfTheAgentAndAcknowledgesItsBatch() {
    drill.start(NodeDrill::keepingProcesses);
    drill.cluster.queueNode().put("a");
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.worker(FIRST, waitFor(go)));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    drill.stop();
    int extensions = drill.cluster.queueNode().extensions();

    drill.start();
    eventually().until(() -> drill.cluster.queueNode().extensions() > extensions);
    drill.touch(go);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.cluster.diary()).containsExactly("ack", "end 1.1 SUCCEEDED");
  }

  @Test
  void closesTheBatchOfAWorkerThatEndedWhileNoAgentWasThere() {
    drill.start(NodeDrill::keepingProcesses);
    drill.cluster.queueNode().put("a");
    Path go = drill.file("go");
    drill.cluster.central().place(NodeDrill.worker(FIRST, waitFor(go) + "; exit 2"));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    drill.stop();
    drill.touch(go);
    eventually().until(() -> !processLives(FIRST));

    drill.start();

    assertThat(drill.end(FIRST).exitCode()).isEqualTo(2);
    assertThat(drill.cluster.diary()).containsExactly("nack FAILED", "end 1.1 FAILED");
  }

  @Test
  void endsAtItsRegistrationWhatIsNotCurrentAnyMore() {
    drill.start(NodeDrill::keepingProcesses);
    drill.cluster.central().place(NodeDrill.command(FIRST, "sleep", "600"));
    eventually().until(() -> drill.cluster.central().started(FIRST));
    drill.stop();
    drill.cluster.central().supersede(FIRST);

    drill.start();

    eventually().until(() -> !Files.exists(drill.directory(FIRST).path()));
    assertThat(drill.cluster.central().ends(FIRST)).isEmpty();
    assertThat(processLives(FIRST)).isFalse();
  }

  @Test
  void endsARunningAttemptWhoseReportIsRefused() {
    drill.start();
    drill.cluster.central().place(NodeDrill.command(FIRST, "sleep", "600"));
    eventually().until(() -> processLives(FIRST));
    drill.cluster.central().supersede(FIRST);
    drill.cluster.central().forgetNode();

    eventually().until(() -> !processLives(FIRST));
    eventually().until(() -> !Files.exists(drill.directory(FIRST).path()));
  }

  @Test
  void registersAgainWithWhatItHoldsWhenItWasForgotten() {
    drill.start();
    drill.cluster.central().place(NodeDrill.command(FIRST, "sleep", "600"));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    drill.cluster.central().forgetNode();

    eventually().until(() -> drill.cluster.central().registrations().size() == 2);
    assertThat(lastRegistration()).containsExactly(FIRST);
    assertThat(drill.cluster.central().registrations().get(1).id())
        .isEqualTo(drill.cluster.central().registrations().get(0).id());
  }

  @Test
  void pollsWithoutTakingWorkWhileWhatIsNotCurrentEndsAfterARegistration() {
    drill.start();
    FakeCentral central = drill.cluster.central();
    Path ready = drill.file("ready");
    Path go = drill.file("go");
    String slow = "trap '' TERM; touch " + ready + "; " + waitFor(go);
    central.place(NodeDrill.shell(FIRST, slow, Duration.ofSeconds(50)));
    eventually().until(() -> Files.exists(ready));
    central.supersede(FIRST);
    central.forgetNode();
    eventually().until(() -> central.registrations().size() == 2);
    int polls = central.polls().size();

    central.place(NodeDrill.shell(SECOND, "exit 0"));
    eventually().until(() -> central.polls().size() >= polls + 5);

    assertThat(processLives(FIRST)).isTrue();
    assertThat(central.polls().subList(polls, polls + 5)).noneMatch(PollRequest::accepting);
    assertThat(central.end(SECOND)).isEmpty();

    drill.touch(go);

    assertThat(drill.end(SECOND).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(central.registrations()).hasSize(2);
  }

  @Test
  void everyRequestHasAHigherNumberThanTheOneBeforeAlsoAfterARestart() {
    drill.start();
    drill.cluster.central().forgetNode();
    eventually().until(() -> drill.cluster.central().registrations().size() == 2);
    drill.stop();
    drill.start();
    eventually().until(() -> drill.cluster.central().registrations().size() == 3);
    drill.stop();

    List<RequestNumber> numbers = drill.cluster.central().numbers();
    assertThat(numbers).hasSizeGreaterThan(6).isSorted().doesNotHaveDuplicates();
    assertThat(numbers.stream().mapToLong(RequestNumber::incarnation).distinct().count())
        .isEqualTo(2);
  }

  @Test
  void limitsItsPollRateWhileAttemptsToStopDoNotEnd() {
    drill.start();
    Path ready = drill.file("ready");
    String stubborn = "trap '' TERM; touch " + ready + "; sleep 600; sleep 600";
    drill.cluster.central().place(NodeDrill.shell(FIRST, stubborn));
    eventually().until(() -> Files.exists(ready));
    int polls = drill.cluster.central().polls().size();

    drill.cluster.central().stop(FIRST);
    drill.end(FIRST);

    // Its grace is a second, which holds some twenty polls at 50 ms and thousands without a pause.
    assertThat(drill.cluster.central().polls().size() - polls).isLessThan(200);
  }

  @Test
  void neverTakesMoreThanItsSlots() {
    drill.start(NodeDrill.slots(2));
    Path running = drill.file("running");
    for (int job = 1; job <= 6; job++) {
      String note = running + "-" + job;
      drill
          .cluster
          .central()
          .place(
              NodeDrill.shell(
                  new AttemptId(job, 1),
                  "touch " + note + "; ls " + running + "-* | wc -l; sleep 0.3; rm " + note));
    }

    for (int job = 1; job <= 6; job++) {
      assertThat(drill.end(new AttemptId(job, 1)).outcome()).isEqualTo(Outcome.SUCCEEDED);
      String counted = drill.stdout(new AttemptId(job, 1)).strip();
      assertThat(Integer.parseInt(counted)).isBetween(1, 2);
    }
  }

  @Test
  void leavesNothingRunningWhenItIsStoppedAndGivesTheEventsBack() {
    drill.start();
    drill.cluster.queueNode().put("a");
    drill.cluster.central().place(NodeDrill.worker(FIRST, "sleep 600"));
    drill.cluster.central().place(NodeDrill.shell(SECOND, "trap '' TERM; sleep 600; sleep 600"));
    eventually()
        .until(
            () ->
                drill.cluster.central().started(FIRST) && drill.cluster.central().started(SECOND));

    drill.stop();

    assertThat(drill.cluster.diary())
        .containsExactlyInAnyOrder(
            "nack RETURNED", "end 1.1 STOPPED", "end 2.1 STOPPED", "deregister")
        .endsWith("deregister");
    assertThat(processLives(FIRST)).isFalse();
    assertThat(processLives(SECOND)).isFalse();
  }

  @Test
  void keepsASecondNodeOffItsFolder() {
    drill.start();
    NodeDrill second = new NodeDrill(folder);

    assertThatThrownBy(second::start)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("another execution node");
  }

  @Test
  void deletesTheWorkingDirectoryAndKeepsTheLogs() {
    drill.start();
    drill.cluster.central().place(NodeDrill.shell(FIRST, "mkdir -p a/b; touch a/b/c; echo done"));

    drill.end(FIRST);

    assertThat(drill.directory(FIRST).work()).doesNotExist();
    assertThat(drill.stdout(FIRST)).isEqualTo("done\n");
  }

  private List<AttemptId> lastRegistration() {
    var registrations = drill.cluster.central().registrations();
    return registrations.get(registrations.size() - 1).live();
  }

  private boolean processLives(AttemptId attempt) {
    String mark = drill.directory(attempt).path().toString();
    return ProcessHandle.allProcesses()
        .anyMatch(process -> process.info().commandLine().orElse("").contains(mark));
  }

  private static String waitFor(Path file) {
    return "while [ ! -e " + file + " ]; do sleep 0.05; done";
  }
}
