package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotMoveCallsTest {
  private static final SlotMoveRequest REQUEST = new SlotMoveRequest("q2", 300);

  @TempDir Path folder;
  private final SegmentHosts hosts = new SegmentHosts();
  private final BlockingQueue<HttpCall> received = new LinkedBlockingQueue<>();
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private QueueWorld world;
  private SegmentCalls segments;
  private BackgroundCalls background;
  private SlotMoveCalls calls;

  @BeforeEach
  void oneNode() {
    world = new QueueWorld(folder.resolve("database"));
    KeyFiles.ensure(folder.resolve("tokens"));
    CallSigner signer =
        CallSigner.ofCentralManager(KeyFiles.privateKey(folder.resolve("tokens")));
    segments = new SegmentCalls(new SignedCalls(hosts, signer, new SystemClock()));
    background = new BackgroundCalls(clock);
    calls = new SlotMoveCalls(world.nodes, segments, Principal.of(Role.MANAGER, "c1"), background);
    world.reports("q1");
  }

  @AfterEach
  void close() {
    background.stop();
    segments.stop();
    world.close();
  }

  @Test
  void theHolderIsAskedOnceForEachQueueAndAgainLater() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    hosts.answers(
        "q1",
        call -> {
          received.add(call);
          await(answered);
          return Map.of();
        });

    calls.ask("orders", "q1", REQUEST);
    HttpCall first = next();
    assertThat(first.uri().getPath()).isEqualTo("/v1/queues/orders/slot-moves");
    assertThat(Json.read(new String(first.body(), StandardCharsets.UTF_8), SlotMoveRequest.class)).isEqualTo(REQUEST);
    calls.ask("orders", "q1", REQUEST);
    calls.ask("other", "q1", REQUEST);
    assertThat(next().uri().getPath()).contains("other");
    answered.countDown();

    HttpCall again = askUntilReceived();
    assertThat(again.uri().getPath()).contains("orders");
  }

  @Test
  void aRefusalAndAnUnknownNodeAreOnlyLoggedAndAskedForAgain() throws Exception {
    hosts.answers(
        "q1",
        call -> {
          received.add(call);
          return new MillraceException(ErrorCode.CONFLICT, "sealed already");
        });
    calls.ask("other", "q9", REQUEST);

    calls.ask("orders", "q1", REQUEST);
    next();

    assertThat(askUntilReceived()).isNotNull();
  }

  /** The request before may just be ending. */
  private HttpCall askUntilReceived() throws InterruptedException {
    HttpCall call = null;
    for (int tries = 0; call == null && tries < 500; tries++) {
      clock.advance(Duration.ofSeconds(11));
      calls.ask("orders", "q1", REQUEST);
      call = received.poll(20, TimeUnit.MILLISECONDS);
    }
    return call;
  }

  private HttpCall next() throws InterruptedException {
    HttpCall call = received.poll(10, TimeUnit.SECONDS);
    assertThat(call).isNotNull();
    return call;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
