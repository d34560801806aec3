package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.time.SystemClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupCommitterTest {
  private static final CommitSettings SMALL_ROOM =
      new CommitSettings(CommitSettings.Durability.DISK, 100, 4_096, Duration.ofMillis(50));

  private final SystemClock clock = new SystemClock();
  private final WatchedStore store = new WatchedStore(new MemorySegmentStore().open(clock));
  private GroupCommitter committer;

  @BeforeEach
  void begin() {
    committer = new GroupCommitter("test", store, clock, SMALL_ROOM);
    committer.start();
  }

  @AfterEach
  void end() {
    committer.stop();
  }

  @Test
  void whatComesInWhileAGroupIsWrittenSharesOneCommitAndOneForce() {
    CountDownLatch gate = occupied();
    List<CompletableFuture<PutOutcome>> puts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      puts.add(committer.submit(put("b" + i, 1)));
    }
    gate.countDown();

    puts.forEach(future -> assertThat(future.join().accepted()).isEqualTo(1));
    assertThat(store.commits()).isEqualTo(2);
    assertThat(store.forces()).isEqualTo(1);
  }

  @Test
  void aPutIsAnsweredOnlyAfterTheForceAndALeaseNeedsNone() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> put = committer.submit(put("b", 1));
    CompletableFuture<List<LeasedEvent>> lease = committer.submit(lease());
    CountDownLatch force = store.holdForce();
    gate.countDown();

    assertThat(lease.join()).hasSize(1);
    assertThat(put).isNotDone();
    force.countDown();
    assertThat(put.join().accepted()).isEqualTo(1);
  }

  @Test
  void aPutWaitsForNoDiskWhenDurabilityIsProcess() {
    committer.stop();
    CommitSettings settings = CommitSettings.of(CommitSettings.Durability.PROCESS);
    committer = new GroupCommitter("test", store, clock, settings);
    committer.start();
    CountDownLatch force = store.holdForce();
    assertThat(committer.submit(put("b", 1)).join().accepted()).isEqualTo(1);
    force.countDown();
  }

  @Test
  void aRefusedRequestDoesNotFailItsGroup() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> before = committer.submit(put("b1", 1));
    CompletableFuture<PutOutcome> tooMany =
        committer.submit(Change.put(new PutOrder("q", "b2", order("b2", 2).events(), 1)));
    CompletableFuture<PutOutcome> after = committer.submit(put("b3", 1));
    gate.countDown();

    assertThat(before.join().accepted()).isEqualTo(1);
    assertThat(after.join().accepted()).isEqualTo(1);
    assertThat(failure(tooMany).code()).isEqualTo(ErrorCode.QUEUE_FULL);
  }

  @Test
  void aRequestThatBreaksTheTransactionHarmsNobodyElse() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> before = committer.submit(put("b1", 1));
    CompletableFuture<Object> bad =
        committer.submit(
            Change.of(
                s -> {
                  s.put(order("half-done", 1));
                  throw new IllegalStateException("spoilt");
                }));
    CompletableFuture<PutOutcome> after = committer.submit(put("b3", 1));
    gate.countDown();

    assertThat(before.join().repeated()).isFalse();
    assertThat(after.join().repeated()).isFalse();
    assertThat(failure(bad).code()).isEqualTo(ErrorCode.STORE_FAILURE);
    assertThat(store.totals().get("q").waiting()).isEqualTo(2);
  }

  @Test
  void afterAFailedForceNothingIsTakenAnyMore() {
    store.failForces();
    assertThat(failure(committer.submit(put("b1", 1))).code()).isEqualTo(ErrorCode.STORE_FAILURE);
    assertThat(committer.healthy()).isFalse();
    assertThatThrownBy(() -> committer.submit(put("b2", 1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("restart this node");
  }

  @Test
  void aProducerFasterThanTheStoreIsHeldBackButAcknowledgementsAreNot() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> first = committer.submit(put("b1", 40));
    assertThatThrownBy(() -> committer.submit(put("b2", 40)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    CompletableFuture<List<LeasedEvent>> lease = committer.submit(lease());
    gate.countDown();
    assertThat(first.join().accepted()).isEqualTo(40);
    assertThat(lease.join()).hasSize(40);
    assertThat(committer.submit(put("b2", 40)).join().accepted()).isEqualTo(40);
  }

  @Test
  void aStopAnswersWhatWasAskedAndRefusesTheRest() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> asked = committer.submit(put("b1", 1));
    gate.countDown();
    committer.stop();
    assertThat(asked.join().accepted()).isEqualTo(1);
    assertThatThrownBy(() -> committer.submit(put("b2", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }

  @Test
  void itTellsHowLongItHasWorked() {
    long before = committer.busyNanos();
    committer.submit(put("b1", 1)).join();
    committer.stop();
    assertThat(committer.busyNanos()).isGreaterThan(before);
  }

  /** Keeps the committer busy with a group of one until the latch opens. */
  private CountDownLatch occupied() {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    CompletableFuture<Boolean> occupation =
        committer.submit(
            Change.of(
                s -> {
                  busy.countDown();
                  return opened(gate);
                }));
    assertThat(opened(busy)).isTrue();
    assertThat(occupation).isNotDone();
    return gate;
  }

  static boolean opened(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Change<PutOutcome> put(String batch, int count) {
    return Change.put(order(batch, count));
  }

  private static PutOrder order(String batch, int count) {
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] data = "x".repeat(80).getBytes(StandardCharsets.UTF_8);
      events.add(new NewEvent(batch + "-" + i, data, null));
    }
    return new PutOrder("q", batch, events, 500);
  }

  private static Change<List<LeasedEvent>> lease() {
    return Change.of(s -> s.lease(new LeaseOrder("q", 100, 1 << 20, Duration.ofSeconds(9))));
  }

  private static MillraceException failure(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      return (MillraceException) e.getCause();
    }
    throw new AssertionError("no failure");
  }
}
