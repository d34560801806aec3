package io.millrace.executor.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.batch.LeasedBatch.BatchRecord;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeasedBatchTest {
  private final Scripted queueNode = new Scripted();
  private final ScheduledExecutorService timer =
      Executors.newScheduledThreadPool(1, Threads.daemons("test-timer"));
  private final ExecutorService pool = Executors.newCachedThreadPool(Threads.daemons("test-pool"));

  @AfterEach
  void endThreads() {
    timer.shutdownNow();
    pool.shutdownNow();
  }

  @Test
  void extendsRepeatedlyUntilItIsClosed() throws Exception {
    LeasedBatch batch = batch(Duration.ofMillis(300));
    batch.keep();
    await().until(() -> queueNode.count("extensions") >= 3);

    close(batch);
    int extensions = queueNode.count("extensions");

    // Longer than the pause between two extensions, which would have come by now.
    await()
        .during(Duration.ofMillis(250))
        .atMost(Duration.ofSeconds(5))
        .until(() -> queueNode.count("extensions") == extensions);
    assertThat(queueNode.count("acks")).isEqualTo(1);
  }

  @Test
  void goesOnExtendingAfterAFailure() {
    queueNode.failWith(new IOException("cut off"));
    batch(Duration.ofMillis(300)).keep();

    await().until(() -> queueNode.count("extensions") >= 3);
  }

  @Test
  void extendsOnlyWhatWasNotDeliveredAgain() {
    queueNode.answerWith(new ReceiptAnswer(1, List.of("r1"), 0));
    batch(Duration.ofMillis(150)).keep();

    await().until(() -> queueNode.count("extensions") >= 2);
    assertThat(queueNode.extended.get(0)).containsExactly("r1", "r2");
    assertThat(queueNode.extended.get(1)).containsExactly("r2");
  }

  @Test
  void repeatsAnAcknowledgementUntilTheQueueNodeAnswers() throws Exception {
    queueNode.failWith(new NothingSentException("nobody there", null));
    queueNode.failWith(new NothingSentException("nobody there", null));

    BatchClosing closing = close(batch(Duration.ofMinutes(1)));

    assertThat(closing.note()).isEmpty();
    assertThat(queueNode.count("acks")).isEqualTo(3);
  }

  @Test
  void givesUpOnceTheLeaseHasExpired() throws Exception {
    for (int i = 0; i < 100; i++) {
      queueNode.failWith(new NothingSentException("nobody there", null));
    }

    BatchClosing closing = close(batch(Duration.ofMillis(400)));

    assertThat(closing.note()).hasValueSatisfying(note -> assertThat(note).contains("again"));
  }

  @Test
  void doesNotRepeatWhatTheQueueNodeRefuses() throws Exception {
    queueNode.refuseWith(ErrorCode.FORBIDDEN);

    BatchClosing closing = close(batch(Duration.ofMinutes(1)));

    assertThat(closing.note()).isPresent();
    assertThat(queueNode.count("acks")).isEqualTo(1);
  }

  @Test
  void tellsHowManyEventsWereDeliveredAgain() throws Exception {
    queueNode.answerWith(new ReceiptAnswer(1, List.of("r2"), 0));

    BatchClosing closing = close(batch(Duration.ofMinutes(1)));

    assertThat(closing.note()).hasValueSatisfying(note -> assertThat(note).contains("1 of 2"));
  }

  @Test
  void findsAQueueNodeThatAnswersAtAnotherAddressNow() throws Exception {
    BatchClosing closing =
        close(batch(Duration.ofMinutes(1), URI.create("http://where-it-was.test")));

    assertThat(closing.note()).isEmpty();
    assertThat(queueNode.count("acks")).isEqualTo(1);
  }

  private LeasedBatch batch(Duration lease) {
    return batch(lease, URI.create("http://q1.test"));
  }

  private LeasedBatch batch(Duration lease, URI address) {
    BatchRecord record =
        new BatchRecord("alerts", "q1", address, "token", List.of("r1", "r2"), lease, null);
    return new LeasedBatch(
        record,
        new BatchCalls(
            queueNode,
            new SystemClock(),
            timer,
            pool,
            pool,
            name -> Optional.of(URI.create("http://" + name + ".test"))));
  }

  private static BatchClosing close(LeasedBatch batch)
      throws InterruptedException, ExecutionException, TimeoutException {
    return batch.close(new BatchVerdict.Acknowledge()).get(20, TimeUnit.SECONDS);
  }

  /** Answers as scripted, and after that as one who has nothing to object. */
  private static final class Scripted implements HttpTransport {
    private final BlockingQueue<Object> script = new LinkedBlockingQueue<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<List<String>> extended = new CopyOnWriteArrayList<>();

    void failWith(IOException failure) {
      script.add(failure);
    }

    void answerWith(ReceiptAnswer answer) {
      script.add(answer);
    }

    void refuseWith(ErrorCode code) {
      script.add(Problem.of(code, "not yours"));
    }

    int count(String kind) {
      return (int) calls.stream().filter(call -> call.endsWith("/" + kind)).count();
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      if (!call.uri().getHost().equals("q1.test")) {
        throw new NothingSentException("no server answers at " + call.uri().getHost(), null);
      }
      calls.add(call.uri().getPath());
      if (call.uri().getPath().endsWith("/extensions")) {
        extended.add(Json.read(call.body(), Extension.class).receipts());
      }
      Object next = script.poll();
      if (next instanceof IOException failure) {
        throw failure;
      }
      if (next instanceof Problem problem) {
        return new HttpAnswer(
            problem.status(), Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(problem));
      }
      Object answer = next == null ? new ReceiptAnswer(2, List.of(), 0) : next;
      return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nobody streams from here");
    }
  }
}
