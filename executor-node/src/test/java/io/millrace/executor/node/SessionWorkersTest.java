package io.millrace.executor.node;

import static io.millrace.executor.node.NodeDrill.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.executor.session.SessionServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers with a process for each session, whose host is the attempt's command. */
@Timeout(120)
class SessionWorkersTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);
  private static final String ANSWER =
      "read -r session; echo \"began $MILLRACE_SESSION_KEY\"; while read -r event; do"
          + " n=${event#*\\\"n\\\":}; echo \"{\\\"n\\\":${n%%,*},\\\"ok\\\":true}\"; done";

  @TempDir private Path folder;
  private NodeDrill drill;
  private SessionServer queueNode;

  @BeforeEach
  void prepare() {
    drill = new NodeDrill(folder);
    queueNode = new SessionServer();
  }

  @AfterEach
  void cleanUp() {
    drill.close();
    queueNode.close();
  }

  @Test
  void aWorkerOutlivesTheAgentAndEndsWhenItIsAskedToLeave() throws Exception {
    drill.start(NodeDrill::keepingProcesses);
    place(ANSWER);
    queueNode.deliver("a", "1.1", 1);
    queueNode.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);

    drill.stop();
    queueNode.deliver("b", "1.1", 1);
    queueNode.awaitResult("b", ResultKind.ACKNOWLEDGED, 1);

    drill.start(NodeDrill::keepingProcesses);
    queueNode.askToLeave();
    AttemptResult end = drill.end(FIRST);
    assertThat(end.outcome()).as(end.reason()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.stdout(FIRST)).isEqualTo("began a\nbegan b\n");
    assertThat(queueNode.calls())
        .containsExactly(
            "PUT /v1/queues/alerts/session-workers/WORKER with Bearer worker-token",
            "DELETE /v1/queues/alerts/session-workers/WORKER with Bearer worker-token");
  }

  @Test
  void aStoppedWorkerLeavesNoProcess() throws Exception {
    drill.start();
    Path pid = drill.file("pid");
    place("echo $$ > '%s'; %s".formatted(pid, ANSWER));
    queueNode.deliver("a", "1.1", 1);
    queueNode.awaitResult("a", ResultKind.ACKNOWLEDGED, 1);

    drill.cluster.central().stop(FIRST);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
    eventually().until(() -> !isAlive(pid));
  }

  private static boolean isAlive(Path pid) throws IOException {
    long number = Long.parseLong(Files.readString(pid).strip());
    return ProcessHandle.of(number).filter(ProcessHandle::isAlive).isPresent();
  }

  private void place(String script) {
    Assignment one = NodeDrill.worker(FIRST, WorkerInput.SESSION, script);
    drill
        .cluster
        .central()
        .place(
            new Assignment(
                one.attempt(),
                one.kind(),
                one.spec(),
                queueNode.address(),
                one.workerToken(),
                one.secret()));
  }
}
