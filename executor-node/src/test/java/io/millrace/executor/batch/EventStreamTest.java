package io.millrace.executor.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.batch.EventStream.StreamLimits;
import io.millrace.executor.batch.EventStream.StreamPlan;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.lifecycle.Threads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stream with a queue node of cardboard, and a worker whose output the test writes. */
@Timeout(60)
class EventStreamTest {
  private static final AttemptId ATTEMPT = new AttemptId(1, 1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir private Path folder;
  private final FakeSegment segment = new FakeSegment();
  private final Worker worker = new Worker();
  private final List<StreamRecord> kept = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newScheduledThreadPool(1, Threads.daemons("test-timer"));
  private ExecutorService agent = pool();
  private Clock clock = new ManualClock(Instant.EPOCH);
  private AttemptDirectory directory;

  @BeforeEach
  void prepare() throws IOException {
    directory = new AttemptDirectory(folder, ATTEMPT);
    directory.create();
  }

  @AfterEach
  void endThreads() {
    timer.shutdownNow();
    agent.shutdownNow();
  }

  private static ExecutorService pool() {
    return Executors.newCachedThreadPool(Threads.daemons("test-agent"));
  }

  @Test
  void anAnswerFromBeforeTheAgentsDeathDoesNotCountForALaterEventOfItsId() throws Exception {
    EventStream stream = begin(MINUTE, "x:1.1.1", "a:2.1.1", "b:3.1.1");
    stream.started(worker);
    answer("x");
    await().until(() -> segment.acknowledged.contains("1.1.1"));
    answer("a");
    await().until(() -> segment.acknowledged.contains("2.1.1"));
    // From now on the queue node takes no results, so how far was read is not kept.
    segment.refusing = true;
    answer("b");
    await().until(() -> segment.refused.contains("3.1.1"));
    segment.leases.add(List.of(event("a:9.1.1"), event("c:10.1.1")));
    await().until(() -> worker.input.toString().contains("\"c\""));

    // kill -9 of the agent; the next one continues from what is on the disk.
    agent.shutdownNow();
    assertThat(agent.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    agent = pool();
    segment.refusing = false;
    EventStream next = EventStream.continued(last(), plan(MINUTE), calls());
    next.recovered(worker);
    BatchClosing closing = closed(next);

    assertThat(segment.acknowledged)
        .as("the second event of the id a was never answered")
        .containsOnlyOnce("3.1.1")
        .doesNotContain("9.1.1", "10.1.1");
    assertThat(segment.returned).contains("9.1.1", "10.1.1");
    assertThat(closing.note()).hasValueSatisfying(note -> assertThat(note).contains("2 of"));
  }

  @Test
  void anEventWhoseIdTheWorkerHasIsNotReturnedAndGetsItsTurn() throws Exception {
    EventStream stream = begin(MINUTE, "a:1.1.1", "b:2.1.1");
    stream.started(worker);
    segment.leases.add(List.of(event("a:3.1.1"), event("b:4.1.1"), event("c:5.1.1")));
    await().until(() -> worker.input.toString().contains("\"c\""));
    answer("a");
    await("the second one")
        .until(() -> worker.input.toString().split("\"id\":\"a\"", -1).length == 3);
    assertThat(last().open()).as("on the disk").containsEntry("a", "3.1.1");
    answer("a");
    await().until(() -> segment.acknowledged.contains("3.1.1"));
    assertThat(segment.returned).isEmpty();

    closed(stream);
    assertThat(segment.returned).as("not given to the worker").contains("4.1.1");
    assertThat(segment.acknowledged).containsExactlyInAnyOrder("1.1.1", "3.1.1");
  }

  private StreamRecord last() {
    return Json.read(Json.writeBytes(kept.get(kept.size() - 1)), StreamRecord.class);
  }

  private static BatchClosing closed(EventStream stream) throws Exception {
    return stream
        .close(new BatchVerdict.Refuse(RefusalKind.RETURNED, "lost"))
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void aWorkerWhoseResultsCannotBeProcessedGetsNothingMoreAndIsEndedInATime() throws Exception {
    clock = new SystemClock();
    EventStream stream = begin(Duration.ofMillis(200), "a:1.1.1", "b:2.1.1");
    segment.broken = true;
    answer("a");
    stream.started(worker);

    await().until(() -> !worker.timeOuts.isEmpty());
    assertThat(worker.timeOuts.get(0)).contains("could not be processed", "broken");
    await("its input ends").until(() -> worker.closed);
    assertThat(closed(stream).note())
        .hasValueSatisfying(note -> assertThat(note).contains("broken"));
  }

  @Test
  void resultsAreReportedForAWholeLeaseHoweverLongTheWorkerWasIdleBefore() throws Exception {
    ManualClock manual = (ManualClock) clock;
    EventStream stream = begin(Duration.ZERO, "a:1.1.1", "b:2.1.1");
    stream.started(worker);
    answer("a", "b");
    await().until(() -> segment.acknowledged.size() == 2);
    long before = segment.asked.size();
    manual.advance(Duration.ofMinutes(10));
    await("looks meanwhile").until(() -> segment.asked.size() > before + 2);

    segment.refusing = true;
    segment.leases.add(List.of(event("c:3.1.1"), event("d:4.1.1")));
    await().until(() -> worker.input.toString().contains("\"d\""));
    answer("c", "d");
    await().until(() -> segment.refused.contains("4.1.1"));
    CompletableFuture<BatchClosing> closing = stream.close(new BatchVerdict.Acknowledge());
    int refused = segment.refused.size();
    await("it is tried again").until(() -> segment.refused.size() > refused + 2);
    segment.refusing = false;

    assertThat(closing.get(30, TimeUnit.SECONDS).note()).isEmpty();
    assertThat(segment.acknowledged).contains("3.1.1", "4.1.1");
  }

  private EventStream begin(Duration timeout, String... events) throws IOException {
    StreamRecord record =
        new StreamRecord(
            "alerts",
            "q1",
            URI.create("http://q1.test"),
            "token",
            MINUTE,
            0,
            0,
            Map.of(),
            Map.of());
    return EventStream.begin(
        record,
        List.of(events).stream().map(EventStreamTest::event).toList(),
        plan(timeout),
        calls());
  }

  private StreamPlan plan(Duration timeout) {
    Duration day = Duration.ofDays(1);
    return new StreamPlan(directory, kept::add, new StreamLimits(8, 1_000, day, day, timeout));
  }

  private BatchCalls calls() {
    return new BatchCalls(segment, clock, timer, agent, agent, node -> Optional.empty());
  }

  /** From {@code ID:RECEIPT}. */
  private static DeliveredEvent event(String text) {
    String[] parts = text.split(":");
    return new DeliveredEvent(parts[1], parts[0], "alerts", 1, null, null);
  }

  private void answer(String... ids) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String id : ids) {
      lines.append("{\"id\":\"%s\",\"ok\":true}\n".formatted(id));
    }
    Files.writeString(
        directory.output(LogStream.STDOUT),
        lines,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** The queue node that holds the segment. */
  private static final class FakeSegment implements HttpTransport {
    final BlockingQueue<List<DeliveredEvent>> leases = new LinkedBlockingQueue<>();
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<String> acknowledged = new CopyOnWriteArrayList<>();
    final List<String> returned = new CopyOnWriteArrayList<>();
    final List<String> refused = new CopyOnWriteArrayList<>();
    volatile boolean refusing;
    volatile boolean broken;

    @Override
    public HttpAnswer send(HttpCall call) {
      String path = call.uri().getPath();
      asked.add(path);
      if (path.endsWith("/leases")) {
        List<DeliveredEvent> events = leases.poll();
        return answer(new Lease(events == null ? List.of() : events, MINUTE));
      }
      if (broken) {
        throw new IllegalStateException("broken");
      }
      if (path.endsWith("/acks")) {
        List<String> receipts = Json.read(call.body(), Acknowledgement.class).receipts();
        (refusing ? refused : acknowledged).addAll(receipts);
      }
      if (refusing) {
        Problem problem = Problem.of(ErrorCode.UNAVAILABLE, "not now");
        return new HttpAnswer(
            problem.status(), Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(problem));
      }
      if (path.endsWith("/nacks")) {
        returned.addAll(Json.read(call.body(), Refusal.class).receipts());
      }
      return answer(new ReceiptAnswer(1, List.of(), 0));
    }

    private static HttpAnswer answer(Object body) {
      return new HttpAnswer(200, Map.of(), Json.writeBytes(body));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nobody streams from here");
    }
  }

  /** A worker that reads everything. */
  private static final class Worker implements RunningCommand {
    final List<String> timeOuts = new CopyOnWriteArrayList<>();
    volatile boolean closed;
    final ByteArrayOutputStream input =
        new ByteArrayOutputStream() {
          @Override
          public void close() {
            closed = true;
          }
        };

    @Override
    public AttemptId id() {
      return ATTEMPT;
    }

    @Override
    public CompletableFuture<Instant> started() {
      return CompletableFuture.completedFuture(Instant.EPOCH);
    }

    @Override
    public CompletableFuture<CommandEnd> ending() {
      return new CompletableFuture<>();
    }

    @Override
    public void stop(StopReason reason) {
      throw new UnsupportedOperationException("nobody stops it");
    }

    @Override
    public void timeOut(StopReason reason) {
      timeOuts.add(reason.text());
    }

    @Override
    public Optional<OutputStream> input() {
      return Optional.of(input);
    }
  }
}
