package io.millrace.manager.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.manager.job.JobBench;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole central manager over HTTP, with the test in the place of an execution node. */
class CentralManagerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir private Path folder;
  private CentralManager manager;

  @BeforeEach
  void start() {
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder, WebSettings.loopback(0)), new SystemClock());
    manager.start();
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  @Test
  void itCompactsTheFileOfItsDatabaseUntilItStops() {
    String compaction = "compact-database-file";
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .contains(compaction);
    manager.stop();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain(compaction);
  }

  @Test
  void aSubmittedJobReachesThePollingNodeAndItsEndReachesTheWaitingClient() {
    CentralClient node = e1();
    CentralClient operator = client(Role.OPERATOR);
    node.register(JobBench.registration(JobBench.E1, "e1", 2), JobBench.number());
    JobView job = operator.submit(JobBench.command());
    assertThat(job.owner()).isEqualTo("operator");

    Assignment assignment = poll(node).start().get(0);
    assertThat(assignment.attempt()).isEqualTo(new AttemptId(job.id(), 1));
    assertThat(assignment.spec()).isEqualTo(JobBench.command());
    node.report(
        JobBench.E1,
        new ReportRequest(
            List.of(
                JobBench.started(assignment.attempt()),
                JobBench.ended(assignment.attempt(), Outcome.FAILED, 3, 40))));

    JobView ended = operator.await(job.id(), TIMEOUT);
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
    assertThat(ended.exitCode()).isEqualTo(3);
    assertThat(operator.job(job.id()).history()).hasSize(3);
    assertThat(operator.jobs("state=failed").jobs()).extracting(JobView::id).contains(job.id());
  }

  @Test
  void aCancelledJobIsStoppedByTheNodeThatHoldsIt() {
    CentralClient node = e1();
    CentralClient operator = client(Role.OPERATOR);
    node.register(JobBench.registration(JobBench.E1, "e1", 2), JobBench.number());
    JobView job = operator.submit(JobBench.command());
    AttemptId attempt = poll(node).start().get(0).attempt();
    node.report(JobBench.E1, new ReportRequest(List.of(JobBench.started(attempt))));
    operator.cancel(job.id());
    assertThat(poll(node, attempt).stop()).containsExactly(attempt);
    node.report(
        JobBench.E1,
        new ReportRequest(List.of(JobBench.ended(attempt, Outcome.STOPPED, null, 40))));
    assertThat(operator.await(job.id(), TIMEOUT).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aLogOnANodeThatDoesNotAnswerNamesTheNode() {
    CentralClient node = e1();
    CentralClient operator = client(Role.OPERATOR);
    node.register(JobBench.registration(JobBench.E1, "e1", 2), JobBench.number());
    JobView job = operator.submit(JobBench.command());
    poll(node);
    assertThatThrownBy(() -> operator.logs(job.id(), 0, "stdout", 0, false))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining("the log is on node e1, which does not answer");
  }

  @Test
  void anUnknownNodeIsToldToRegister() {
    assertThatThrownBy(() -> poll(e1()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_NODE));
  }

  @Test
  void viewersAndNodesCannotSubmit() {
    for (CentralClient client : List.of(client(Role.VIEWER), e1(), client(Role.PRODUCER))) {
      assertThatThrownBy(() -> client.submit(JobBench.command()))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    }
    assertThat(client(Role.VIEWER).jobs("").jobs()).isEmpty();
  }

  @Test
  void submittedJobsSurviveARestart() {
    JobView job = client(Role.OPERATOR).submit(JobBench.command());
    manager.stop();
    start();
    assertThat(client(Role.OPERATOR).job(job.id()).job().state()).isEqualTo(JobState.WAITING);
  }

  private PollAnswer poll(CentralClient node, AttemptId... held) {
    PollAnswer answer = new PollAnswer(List.of(), List.of());
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (answer.start().isEmpty() && answer.stop().isEmpty() && System.nanoTime() < end) {
      answer =
          node.poll(
              JobBench.E1, new PollRequest(List.of(held), TIMEOUT, true, null), JobBench.number());
    }
    return answer;
  }

  private CentralClient e1() {
    return new ManagerClients(manager, new UrlTransport())
        .of(Role.EXECUTION_NODE, "e1", JobBench.E1);
  }

  private CentralClient client(Role role) {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), role));
    return new CentralClient(
        new ApiClient(new UrlTransport(), new Endpoints(List.of(manager.address())), () -> token));
  }
}
