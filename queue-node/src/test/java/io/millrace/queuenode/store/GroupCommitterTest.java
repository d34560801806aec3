package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.store.CommitSettings.WriteDelay;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupCommitterTest {
  private static final CommitSettings SMALL_ROOM =
      new CommitSettings(
          CommitSettings.Durability.DISK, 100, 4_096, Duration.ofMillis(50), WriteDelay.NONE);

  private final SystemClock clock = new SystemClock();
  private final WatchedStore store = new WatchedStore(new MemorySegmentStore().open(clock));
  private GroupCommitter<SegmentStore> committer;

  @BeforeEach
  void begin() {
    committer = new GroupCommitter<>("test", store, clock, SMALL_ROOM);
    committer.start();
  }

  @AfterEach
  void end() {
    committer.stop();
  }

  @Test
  void requestsThatArriveWhileAGroupIsWrittenShareOneCommitAndOneForce() {
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
  void aPutDoesNotWaitForTheDiskIfDurabilityIsProcess() {
    committer.stop();
    CommitSettings settings = CommitSettings.of(CommitSettings.Durability.PROCESS);
    committer = new GroupCommitter<>("test", store, clock, settings);
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
        committer.submit(Change.put(new PutOrder("q", "b2", order("b2", 2).events(), 2)));
    CompletableFuture<PutOutcome> after = committer.submit(put("b3", 1));
    gate.countDown();

    assertThat(before.join().accepted()).isEqualTo(1);
    assertThat(after.join().accepted()).isEqualTo(1);
    assertThat(failure(tooMany).code()).isEqualTo(ErrorCode.QUEUE_FULL);
  }

  @Test
  void aRequestThatBreaksTheTransactionDoesNotAffectOthers() {
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
  void afterAFailedForceNothingIsAccepted() {
    store.failForces();
    assertThat(failure(committer.submit(put("b1", 1))).code()).isEqualTo(ErrorCode.STORE_FAILURE);
    assertThat(committer.healthy()).isFalse();
    assertThatThrownBy(() -> committer.submit(put("b2", 1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("restart this node");
  }

  @Test
  void aProducerFasterThanTheStoreIsSlowedDownButAcknowledgementsAreNot() {
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
  void requestsWithoutBytesDoNotWaitBehindThoseThatNeedSpace() {
    committer.stop();
    Duration longPatience = Duration.ofMinutes(1);
    committer =
        new GroupCommitter<>(
            "test",
            store,
            clock,
            new CommitSettings(
                CommitSettings.Durability.DISK, 100, 4_096, longPatience, WriteDelay.NONE));
    committer.start();
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> first = committer.submit(put("b1", 40));
    Thread held = new Thread(() -> committer.submit(put("b2", 40)).join(), "test-held-producer");
    held.start();
    Awaitility.await().until(() -> held.getState() == Thread.State.TIMED_WAITING);

    AtomicReference<CompletableFuture<List<LeasedEvent>>> lease = new AtomicReference<>();
    new Thread(() -> lease.set(committer.submit(lease())), "test-taker").start();
    Awaitility.await().until(() -> lease.get() != null);
    assertThat(lease.get()).isNotDone();
    gate.countDown();
    assertThat(first.join().accepted()).isEqualTo(40);
    assertThat(lease.get().join()).hasSize(40);
    Awaitility.await().until(() -> !held.isAlive());
  }

  @Test
  void anInterruptedProducerIsNotToldThatTheStoreIsTooSlow() {
    CountDownLatch gate = occupied();
    CompletableFuture<PutOutcome> first = committer.submit(put("b1", 40));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> committer.submit(put("b2", 40)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageStartingWith("interrupted");
    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    gate.countDown();
    assertThat(first.join().accepted()).isEqualTo(40);
  }

  @Test
  void aStopAnswersEarlierRequestsAndRefusesLaterOnes() {
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
  void itReportsItsBusyTime() {
    long before = committer.busyNanos();
    committer.submit(put("b1", 1)).join();
    committer.stop();
    assertThat(committer.busyNanos()).isGreaterThan(before);
  }

  @Test
  void itReportsItsBusyTimeByQueue() {
    committer.submit(put("b1", 20)).join();
    committer.submit(Change.of("other", s -> s.peek("other", EventState.READY, 1))).join();
    committer.submit(Change.of(s -> s.totals())).join();
    committer.stop();
    Map<String, Long> nanos = committer.storeNanosByQueue();
    assertThat(nanos).containsOnlyKeys("q", "other");
    assertThat(nanos.get("q")).isPositive();
    long sum = nanos.values().stream().mapToLong(Long::longValue).sum();
    assertThat(sum).isLessThanOrEqualTo(committer.busyNanos());
  }

  @Test
  void theForceIsChargedToTheQueuesWhoseEventsNeededIt() {
    StoreTime time = new StoreTime();
    time.ran(new Change<>("puts", 3_000, true, s -> 0), 10);
    time.ran(new Change<>("more", 1_000, true, s -> 0), 10);
    time.ran(new Change<>("leases", 0, false, s -> 0), 20);
    time.ran(Change.of(s -> 0), 100);
    time.ended(40, 400);
    assertThat(time.nanosByQueue())
        .containsOnly(
            Map.entry("puts", 10L + 10 + 300),
            Map.entry("more", 10L + 10 + 100),
            Map.entry("leases", 20L + 20));
  }

  @Test
  void aWriteDelaySlowsTheWriterAndCountsAsItsWork() {
    committer.stop();
    Duration delay = Duration.ofMillis(30);
    committer =
        new GroupCommitter<>("test", store, clock, SMALL_ROOM.slowedBy(WriteDelay.always(delay)));
    committer.start();
    long begun = clock.nanoTime();
    committer.submit(put("b1", 1)).join();
    assertThat(clock.nanoTime() - begun).isGreaterThanOrEqualTo(delay.toNanos());
    committer.stop();
    assertThat(committer.storeNanosByQueue().get("q")).isGreaterThanOrEqualTo(delay.toNanos());
  }

  @Test
  void aDelayThatNamesAFileAppliesWhileThatFileExists(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("slow");
    WriteDelay delay = new WriteDelay(Duration.ofMillis(30), Optional.of(file));
    assertThat(delay.now()).isZero();
    Files.createFile(file);
    assertThat(delay.now()).isEqualTo(Duration.ofMillis(30));
    Files.delete(file);
    assertThat(delay.now()).isZero();
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

  private static Change<SegmentStore, PutOutcome> put(String batch, int count) {
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

  private static Change<SegmentStore, List<LeasedEvent>> lease() {
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
