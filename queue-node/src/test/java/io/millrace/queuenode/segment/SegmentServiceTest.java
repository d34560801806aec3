package io.millrace.queuenode.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.CommitSettings.WriteDelay;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentServiceTest {
  // Shorter than the wait of pending leases, which the advanced clock consumes too.
  private static final Duration SHORT_LEASE = Duration.ofSeconds(5);
  private static final Duration PATIENT = Duration.ofSeconds(15);

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final AtomicLong free = new AtomicLong(1 << 20);
  private final SegmentStore store = new MemorySegmentStore().open(clock);
  private final GroupCommitter<SegmentStore> committer =
      new GroupCommitter<>("q1", store, new SystemClock(), CommitSettings.defaults());
  private final DiskReserve disk =
      new DiskReserve("the disk", new DataSize(1_000), free::get, clock);
  private final SegmentNotes notes = new SegmentNotes();
  private final SegmentService segments =
      new SegmentService("q1", store, committer, disk, notes, clock);
  private final ExecutorService callers =
      Executors.newCachedThreadPool(Threads.daemons("test-caller"));

  @BeforeEach
  void begin() {
    committer.start();
  }

  @AfterEach
  void end() {
    segments.close();
    callers.shutdown();
    committer.stop();
  }

  @Test
  void beforeAnyTopologyIsKnownNothingIsAccepted() {
    refused(() -> put(1), ErrorCode.UNAVAILABLE, "not received any queues");
  }

  @Test
  void eventsOfAnUndefinedQueueAreRefused() {
    follow(Map.of("q1", 1000));
    refused(
        () -> segments.put("alertt", "b", events(1)), ErrorCode.UNKNOWN_QUEUE, "millrace apply");
    refused(() -> segments.lease("alertt", request(1)), ErrorCode.UNKNOWN_QUEUE, "alertt");
    refused(() -> segments.acknowledge("alertt", List.of()), ErrorCode.UNKNOWN_QUEUE, "alertt");
  }

  @Test
  void aNodeWithoutWeightRefusesEventsAndNamesTheVersionItFollows() {
    follow(Map.of("q2", 1000));
    refused(() -> put(1), ErrorCode.NO_SEGMENT, "q1 has no weight of alert (weights version 7)");
    refused(() -> segments.figures("alert"), ErrorCode.UNKNOWN_SEGMENT, "q1");
  }

  @Test
  void aSegmentWithoutWeightIsDrainedAndShown() {
    follow(Map.of("q1", 1000));
    put(1);
    follow(Map.of("q2", 1000));

    SegmentFigures draining = segments.figures("alert");
    assertThat(draining.weight()).isZero();
    assertThat(draining.needsManager()).isTrue();
    acknowledge(lease(1));
    assertThat(segments.figures().get(0).needsManager()).isFalse();
  }

  @Test
  void aDeletedQueueWithEventsIsDrained() {
    follow(Map.of("q1", 1000));
    put(1);
    segments.follow(new Topology("9", List.of(), List.of(), List.of(), List.of()));
    acknowledge(lease(1));
    assertThat(segments.figures("alert").acknowledged()).isEqualTo(1);
  }

  @Test
  void figuresShowWeightVersionCountsAndAge() {
    follow(Map.of("q1", 600, "q2", 400));
    put(3);
    lease(1);
    clock.advance(Duration.ofSeconds(4));

    SegmentFigures figures = segments.figures("alert");
    assertThat(figures.node()).isEqualTo("q1");
    assertThat(figures.weight()).isEqualTo(600);
    assertThat(figures.weightsVersion()).isEqualTo(7);
    assertThat(figures.waiting()).isEqualTo(2);
    assertThat(figures.leased()).isEqualTo(1);
    assertThat(figures.oldestSeconds()).isEqualTo(4.0);
    assertThat(segments.figures()).containsExactly(figures);
  }

  @Test
  void belowItsDiskReserveANodeRefusesPutsButAcceptsAcknowledgements() {
    follow(Map.of("q1", 1000));
    put(1);
    List<LeasedEvent> leased = lease(1);
    free.set(1_001);
    clock.advance(Duration.ofSeconds(1));
    refused(() -> put(1), ErrorCode.DISK_FULL, "reserve");
    acknowledge(leased);
    free.set(999);
    clock.advance(Duration.ofSeconds(1));
    assertThat(segments.trouble())
        .hasValueSatisfying(reason -> assertThat(reason).contains("disk"));
    free.set(1 << 20);
    clock.advance(Duration.ofSeconds(1));
    put(1);
    assertThat(segments.trouble()).isEmpty();
  }

  @Test
  void aWaitingLeaseIsWokenByAPut() {
    follow(Map.of("q1", 1000));
    List<CompletableFuture<StoredLease>> waiting =
        IntStream.range(0, 3).mapToObj(i -> leaseSoon()).toList();
    put(2);
    Awaitility.await()
        .untilAsserted(
            () -> assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(2));
    put(1);
    waiting.forEach(
        lease -> assertThat(lease.orTimeout(10, TimeUnit.SECONDS).join().events()).hasSize(1));
  }

  @Test
  void aWaitingLeaseIsWokenByAReturnAndByAnEndedLease() {
    follow(Map.of("q1", 1000));
    put(1);
    List<LeasedEvent> leased = lease(1);
    CompletableFuture<StoredLease> second = leaseSoon();
    segments.refuse(
        "alert", receipts(leased), new Refusal(null, RefusalKind.RETURNED, null, "node drained"));
    assertThat(second.orTimeout(10, TimeUnit.SECONDS).join().events()).hasSize(1);

    CompletableFuture<StoredLease> third = leaseSoon();
    clock.advance(SHORT_LEASE.plusSeconds(1));
    segments.expire();
    assertThat(third.orTimeout(10, TimeUnit.SECONDS).join().events()).hasSize(1);
  }

  @Test
  void aLeaseWithoutEventsInTimeIsEmpty() {
    follow(Map.of("q1", 1000));
    assertThat(lease(1)).isEmpty();
    LeaseRequest brief = new LeaseRequest(1, null, Duration.ofMillis(20), "w");
    assertThat(segments.lease("alert", brief).events()).isEmpty();
  }

  @Test
  void waitingLeasesEndWhenTheNodeStops() {
    follow(Map.of("q1", 1000));
    CompletableFuture<StoredLease> waiting = leaseSoon();
    segments.close();
    assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join().events()).isEmpty();
  }

  @Test
  void deliveredDataIsTheTextThatWasSent() {
    follow(Map.of("q1", 1000));
    byte[] data = "{\"n\":[1e400,1.10]}".getBytes(StandardCharsets.UTF_8);
    segments.put("alert", "b", List.of(new NewEvent("e", data, "{\"k\":\"v\"}")));
    StoredLease lease = segments.lease("alert", request(1));
    assertThat(lease.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(lease.events().get(0).event().text()).isEqualTo("{\"n\":[1e400,1.10]}");
    assertThat(lease.events().get(0).event().attributes()).isEqualTo("{\"k\":\"v\"}");
  }

  @Test
  void theDefinitionsLimitsDecideWhenAnEventBecomesADeadLetter() {
    follow(Map.of("q1", 1000));
    put(1);
    for (int failure = 1; failure <= 2; failure++) {
      segments.refuse(
          "alert",
          receipts(lease(1)),
          new Refusal(null, RefusalKind.FAILED, null, "x".repeat(3_000)));
    }
    assertThat(segments.actions().dead("alert", Long.MAX_VALUE, 10).events())
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.node()).isEqualTo("q1");
              assertThat(dead.failures()).isEqualTo(2);
              assertThat(dead.reason()).hasSize(2_000);
            });
  }

  @Test
  void whileSendingIsPausedEventsAreRefusedWithTheOperatorsReason() {
    follow(Map.of("q1", 1000));
    put(1);
    follow(Map.of("q1", 1000), paused(true, false));
    refused(() -> put(1), ErrorCode.QUEUE_PAUSED, "paused by ada");
    refused(() -> put(1), ErrorCode.QUEUE_PAUSED, "disk swap");
    acknowledge(lease(1));
    follow(Map.of("q1", 1000));
    put(1);
  }

  @Test
  void whileConsumingIsPausedNothingIsLeasedButLeasedEventsMayBeAcknowledged() {
    follow(Map.of("q1", 1000));
    put(3);
    List<LeasedEvent> first = lease(1);
    List<LeasedEvent> second = lease(1);
    follow(Map.of("q1", 1000), paused(false, true));
    assertThat(lease(1)).isEmpty();
    acknowledge(first);
    assertThat(segments.extend("alert", receipts(second), Duration.ofMinutes(1)).done())
        .isEqualTo(1);
    segments.refuse(
        "alert", receipts(second), new Refusal(null, RefusalKind.RETURNED, null, "drained"));
    put(1);

    CompletableFuture<StoredLease> waiting = leaseSoon();
    assertThat(waiting).isNotDone();
    follow(Map.of("q1", 1000));
    assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join().events()).hasSize(1);
  }

  @Test
  void theLimitsOfTheDefinitionHoldByWeight() {
    follow(Map.of("q1", 250, "q2", 750), List.of(), limited(8, 0));
    put(2);
    refused(() -> put(1), ErrorCode.QUEUE_FULL, "maxEvents");
    acknowledge(lease(2));
    follow(Map.of("q1", 250, "q2", 750), List.of(), limited(0, 8));
    put(2);
    refused(() -> put(2), ErrorCode.RATE_LIMITED, "maxRate");
    clock.advance(Duration.ofSeconds(1));
    put(2);
  }

  @Test
  void eventsOlderThanTheRetentionBecomeDeadLetters() {
    follow(Map.of("q1", 1000), List.of(), retaining(Duration.ofHours(1)));
    put(5);
    clock.advance(Duration.ofHours(1));
    segments.expire();
    assertThat(segments.figures("alert").dead()).isEqualTo(5);
    assertThat(segments.actions().dead("alert", Long.MAX_VALUE, 1).events().get(0).reason())
        .contains("retention of 1h");
  }

  @Test
  void aStoredBatchIsAnsweredAsStoredWhateverTheStateOfItsSegment() {
    follow(Map.of("q1", 1000), List.of(), limited(2, 0));
    send("b1", 2);
    SendAnswer stored = new SendAnswer("alert", "b1", 2, true, "q1");

    follow(Map.of("q2", 1000));
    assertThat(send("b1", 2)).as("drained to weight 0").isEqualTo(stored);
    refused(() -> send("b2", 2), ErrorCode.NO_SEGMENT, "no weight");

    follow(Map.of("q1", 1000), paused(true, false));
    assertThat(send("b1", 2)).as("paused").isEqualTo(stored);
    refused(() -> send("b2", 2), ErrorCode.QUEUE_PAUSED, "ada");

    follow(Map.of("q1", 1000), List.of(), limited(2, 0));
    assertThat(send("b1", 2)).as("full").isEqualTo(stored);
    refused(() -> send("b2", 2), ErrorCode.QUEUE_FULL, "maxEvents");

    free.set(1_001);
    clock.advance(Duration.ofSeconds(1));
    assertThat(send("b1", 2)).as("below the disk reserve").isEqualTo(stored);
    refused(() -> send("b2", 2), ErrorCode.DISK_FULL, "reserve");
    refused(() -> send("b1", 3), ErrorCode.CONFLICT, "b1");

    segments.follow(new Topology("9", List.of(), List.of(), List.of(), List.of()));
    assertThat(send("b1", 2)).as("deleted").isEqualTo(stored);
    refused(() -> send("b2", 2), ErrorCode.UNKNOWN_QUEUE, "alert");
  }

  @Test
  void aStoredBatchIsAnsweredAsStoredWhileItsSegmentIsNotServed() {
    follow(Map.of("q1", 1000));
    send("b1", 1);
    notes.trouble("alert", Optional.of("its start hook fails"));
    assertThat(send("b1", 1).repeated()).isTrue();
    refused(() -> send("b2", 1), ErrorCode.UNAVAILABLE, "start hook");
  }

  @Test
  void aStoredBatchIsAnsweredAsStoredBeforeAnyTopologyIsKnown() {
    follow(Map.of("q1", 1000));
    send("b1", 1);
    SegmentService restarted =
        new SegmentService("q1", store, committer, disk, new SegmentNotes(), clock);
    assertThat(restarted.put("alert", "b1", events(1)).repeated()).isTrue();
    refused(
        () -> restarted.put("alert", "b2", events(1)), ErrorCode.UNAVAILABLE, "not received any");
    restarted.close();
  }

  @Test
  void aStalledStoreRefusesWithinThePutTimeoutAndDoesNotReportTheNameAsUnknown() {
    Duration timeout = Duration.ofMillis(100);
    GroupCommitter<SegmentStore> narrow =
        new GroupCommitter<>(
            "q2",
            store,
            new SystemClock(),
            new CommitSettings(Durability.DISK, 500, 1, timeout, WriteDelay.NONE));
    SegmentService behind =
        new SegmentService("q1", store, narrow, disk, new SegmentNotes(), clock);
    follow(Map.of("q1", 1000));
    put(1);
    committer.stop();
    behind.follow(topology(Map.of("q1", 1000), List.of(), limited(0, 0)));
    CountDownLatch mended = new CountDownLatch(1);
    narrow.start();
    narrow.submit(Change.of(any -> await(mended)));
    // It takes all the space, and is not stored before the store continues.
    CompletableFuture<PutOutcome> first =
        narrow.submit(Change.put(new PutOrder("alert", "b2", events(1), 100)));
    try {
      refusedSoon(() -> behind.put("alert", "b2", events(1)), "no space");
      refusedSoon(() -> behind.put("alert", "b3", events(1)), "no space");
      behind.follow(topology(Map.of("q2", 1000), List.of(), limited(0, 0)));
      refusedSoon(() -> behind.put("alert", "b2", events(1)), "no weight");
    } finally {
      mended.countDown();
    }
    assertThat(first.orTimeout(10, TimeUnit.SECONDS).join().repeated()).isFalse();
    assertThat(behind.put("alert", "b2", events(1)).repeated()).isTrue();
    refused(() -> behind.put("alert", "b3", events(1)), ErrorCode.NO_SEGMENT, "no weight");
    behind.close();
    narrow.stop();
  }

  @Test
  void theFirstBatchOfAQueueIsKnownWhileItIsStillPending() {
    follow(Map.of("q2", 1000));
    CountDownLatch mended = new CountDownLatch(1);
    committer.submit(Change.of(any -> await(mended)));
    committer.submit(Change.put(new PutOrder("alert", "b1", events(1), 100)));
    CompletableFuture<SendAnswer> again =
        CompletableFuture.supplyAsync(() -> send("b1", 1), callers);
    mended.countDown();
    assertThat(again.orTimeout(20, TimeUnit.SECONDS).join().repeated()).isTrue();
  }

  /** Refused while the store is stalled, so that a caller that waited for it would hang. */
  private void refusedSoon(Runnable put, String why) {
    assertThat(CompletableFuture.runAsync(put, callers))
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(MillraceException.class);
    refused(put, ErrorCode.UNAVAILABLE, why);
    refused(put, ErrorCode.UNAVAILABLE, "was stored earlier is unknown");
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private SendAnswer send(String batch, int count) {
    return segments.put("alert", batch, events(count));
  }

  private void follow(Map<String, Integer> points) {
    follow(points, List.of());
  }

  private void follow(Map<String, Integer> points, List<QueueControl> controls) {
    follow(points, controls, limited(0, 0));
  }

  private static List<QueueControl> paused(boolean sending, boolean consuming) {
    return List.of(
        new QueueControl("alert", sending, consuming, "ada", Instant.EPOCH, "disk swap"));
  }

  private static QueueDefinition limited(long maxEvents, double maxRate) {
    return new QueueDefinition(
        "alert", 0, 2, 0, null, maxEvents, null, maxRate, null, null, 0, null, null);
  }

  private static QueueDefinition retaining(Duration retention) {
    return new QueueDefinition("alert", 0, 2, 0, null, 0, null, 0, retention, null, 0, null, null);
  }

  private void follow(
      Map<String, Integer> points, List<QueueControl> controls, QueueDefinition definition) {
    segments.follow(topology(points, controls, definition));
  }

  private static Topology topology(
      Map<String, Integer> points, List<QueueControl> controls, QueueDefinition definition) {
    return new Topology(
        "1",
        List.of(new VersionedQueue(definition, 1)),
        List.of(new QueueWeights("alert", 7, points)),
        List.of(),
        controls);
  }

  private CompletableFuture<StoredLease> leaseSoon() {
    LeaseRequest patient = new LeaseRequest(1, SHORT_LEASE, PATIENT, "w");
    return CompletableFuture.supplyAsync(() -> segments.lease("alert", patient), callers);
  }

  private int batches;

  private void put(int count) {
    batches++;
    segments.put("alert", "b" + batches, events(count));
  }

  private static List<NewEvent> events(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new NewEvent("e" + i, "{}".getBytes(StandardCharsets.UTF_8), null))
        .toList();
  }

  private static LeaseRequest request(int max) {
    return new LeaseRequest(max, null, null, "w");
  }

  private List<LeasedEvent> lease(int max) {
    return segments.lease("alert", request(max)).events();
  }

  private void acknowledge(List<LeasedEvent> leased) {
    assertThat(segments.acknowledge("alert", receipts(leased)).done()).isEqualTo(leased.size());
  }

  private static List<Receipt> receipts(List<LeasedEvent> leased) {
    return leased.stream().map(LeasedEvent::receipt).toList();
  }

  private static void refused(Runnable call, ErrorCode code, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }
}
