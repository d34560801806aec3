package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.queuenode.session.SessionNode.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When streams to session workers end. */
class WorkerStreamsTest {
  private static final int OF_CALLER = 48;
  // A quarter of it is far longer than the tests wait.
  private static final SessionDefinition RULES =
      SessionDefinition.of("/jobId").withHeartbeat(Duration.ofHours(1));

  @TempDir private Path folder;
  private SessionNode node;

  @BeforeEach
  void start() {
    node = new SessionNode(folder, RULES);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void aNewerStreamOfAWorkerEndsTheOlderOne() throws Exception {
    Worker worker = node.worker("w").employed();
    OpenStream older = open(worker);
    OpenStream newer = open(worker);
    older.untilEnd().get(20, TimeUnit.SECONDS);
    node.event("1", "a");
    PollAnswered answer = newer.line();
    assertThat(Worker.ids(answer)).containsExactly("a");
    worker.learns(answer);
    assertThat(worker.done("1", 1).answers()).hasSize(1);
  }

  /** The answer to a report was lost with the stream: the report comes again on the next one. */
  @Test
  void aFailureThatIsReportedAgainOnANewStreamIsCountedOnce() throws Exception {
    Worker worker = node.worker("w").employed();
    OpenStream older = open(worker);
    node.event("1", "a");
    worker.learns(older.line());
    SessionResult failed = worker.result("1", 0, ResultKind.FAILED);
    List<ResultAnswer> answers = worker.repeated(7, 0, Duration.ZERO, failed).answers();
    assertThat(attempt(older.line())).isEqualTo(2);
    OpenStream newer = new OpenStream(worker);
    assertThat(attempt(newer.line())).isEqualTo(2);
    PollAnswered again = worker.repeated(7, 0, Duration.ZERO, failed);
    assertThat(again.answers()).isEqualTo(answers).hasSize(1);
    assertThat(again.poll()).isEqualTo(7);
    assertThat(attemptOnANewStream(worker)).isEqualTo(2);
    worker.repeated(8, 0, Duration.ZERO, failed);
    assertThat(attemptOnANewStream(worker)).as("another report").isEqualTo(3);
  }

  @Test
  void aFailureThatIsReportedAgainAfterTheStreamHasEndedIsCountedOnce() throws Exception {
    Worker worker = node.worker("w").employed();
    OpenStream stream = open(worker);
    node.event("1", "a");
    worker.learns(stream.line());
    SessionResult failed = worker.result("1", 0, ResultKind.FAILED);
    worker.repeated(7, 0, Duration.ZERO, failed);
    node.sessions.polls().stream(SessionNode.QUEUE, worker.id, worker.incarnation).close();
    worker.repeated(7, 0, Duration.ZERO, failed);
    assertThat(attemptOnANewStream(worker)).isEqualTo(2);
  }

  private int attemptOnANewStream(Worker worker) {
    return attempt(new OpenStream(worker).line());
  }

  private static int attempt(PollAnswered line) {
    return line.sessions().get(0).events().get(0).attempt();
  }

  @Test
  void aSilentStreamLeavesItsPlaceToANewOne() throws Exception {
    List<OpenStream> older = new ArrayList<>();
    for (int i = 0; i < OF_CALLER; i++) {
      older.add(open(node.worker("w" + i).employed()));
    }
    silent();
    open(node.worker("one more").employed());
    older.get(0).untilEnd().get(20, TimeUnit.SECONDS);
    assertThat(older.get(1).untilEnd()).isNotDone();
  }

  @Test
  void aSilentStreamEndsWithTheNode() throws Exception {
    OpenStream stream = open(node.worker("w").employed());
    silent();
    node.sessions.close();
    stream.untilEnd().get(20, TimeUnit.SECONDS);
  }

  @Test
  void aSilentStreamGoesOnSoonAfterItsWorkerHasReported() throws Exception {
    Worker worker = node.worker("w").employed();
    OpenStream stream = open(worker);
    silent();
    node.event("1", "a");
    worker.heartbeat();
    CompletableFuture<PollAnswered> next = CompletableFuture.supplyAsync(stream::line);
    assertThat(Worker.ids(next.get(20, TimeUnit.SECONDS))).containsExactly("a");
  }

  /** Lets all workers be silent for so long that nothing more goes to them. */
  private void silent() {
    node.clock.advance(Duration.ofMinutes(80));
    node.renewLease();
    // Streams that wait look again, and find that their time is over.
    node.follow(RULES, true);
    node.follow(RULES, false);
    Awaitility.await().until(() -> node.sessions.waitingPolls() == 0);
  }

  private OpenStream open(Worker worker) throws IOException {
    OpenStream stream = new OpenStream(worker);
    // The first line, and that it waits for more.
    assertThat(stream.lines.readLine()).isEmpty();
    return stream;
  }

  private final class OpenStream {
    private final BufferedReader lines;

    OpenStream(Worker worker) {
      URI path = URI.create(worker.path() + "/stream?incarnation=" + worker.incarnation);
      lines =
          new BufferedReader(
              new InputStreamReader(
                  node.operator().stream(HttpCall.get(path)), StandardCharsets.UTF_8));
    }

    /** The next line that is not blank. */
    PollAnswered line() {
      try {
        String line = lines.readLine();
        while (line.isBlank()) {
          line = lines.readLine();
        }
        return Json.read(line, PollAnswered.class);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    CompletableFuture<Void> untilEnd() {
      return CompletableFuture.runAsync(this::readAll, task -> new Thread(task).start());
    }

    private void readAll() {
      try {
        String line = lines.readLine();
        while (line != null) {
          line = lines.readLine();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
