package io.millrace.tests.store;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentTotals;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An opened store under test with the steps of its tests; each step commits. */
abstract class OpenedStore {
  static final String QUEUE = "alert";
  static final Duration LEASE = Duration.ofSeconds(30);
  static final int REMEMBERED = 20;
  static final DeliveryLimits LIMITS = new DeliveryLimits(3, 4);
  static final Function<String, QueueRules> RULES = queue -> QueueRules.of(LIMITS);

  /** The clock of the store, also after reopening. */
  protected final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));

  SegmentStore store;

  /**
   * Opens the store under test, which remembers {@link #REMEMBERED} batch names; after a close it
   * reopens the same store.
   */
  protected abstract SegmentStore open();

  @BeforeEach
  void openStore() {
    store = open();
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  final void reopen() {
    store.close();
    store = open();
  }

  final PutOutcome put(String batch, int count) {
    return put(new PutOrder(QUEUE, batch, events(batch, count), 100));
  }

  final PutOutcome put(PutOrder order) {
    PutOutcome outcome = store.put(order);
    store.commit();
    return outcome;
  }

  final List<LeasedEvent> lease(int max) {
    List<LeasedEvent> leased = store.lease(new LeaseOrder(QUEUE, max, Long.MAX_VALUE, LEASE));
    store.commit();
    return leased;
  }

  final ReceiptOutcome acknowledge(List<LeasedEvent> leased) {
    ReceiptOutcome outcome = store.acknowledge(QUEUE, receipts(leased));
    store.commit();
    return outcome;
  }

  final ReceiptOutcome refuse(List<LeasedEvent> leased, RefusalKind kind) {
    return refuse(leased, kind, "exit status 1");
  }

  final ReceiptOutcome refuse(List<LeasedEvent> leased, RefusalKind kind, String reason) {
    ReceiptOutcome outcome =
        store.refuse(new RefuseOrder(QUEUE, receipts(leased), kind, Duration.ZERO, reason, LIMITS));
    store.commit();
    return outcome;
  }

  final Map<String, Integer> expire() {
    return expire(RULES);
  }

  final Map<String, Integer> expire(Function<String, QueueRules> rules) {
    Map<String, Integer> ready = store.expire(rules);
    store.commit();
    return ready;
  }

  final List<DeadRecord> dead(int limit) {
    return store.dead(QUEUE, Long.MAX_VALUE, limit);
  }

  final SegmentTotals totals() {
    return store.totals().get(QUEUE);
  }

  static List<NewEvent> events(String batch, int count) {
    return IntStream.range(0, count).mapToObj(i -> event(batch + "-" + i, 0, 0)).toList();
  }

  static NewEvent event(String id, int priority, long delayMillis) {
    return new NewEvent(id, bytes("{\"n\":\"" + id + "\"}"), null, priority, delayMillis);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static List<Receipt> receipts(List<LeasedEvent> leased) {
    return leased.stream().map(LeasedEvent::receipt).toList();
  }

  static List<String> ids(List<LeasedEvent> leased) {
    return leased.stream().map(event -> event.event().id()).toList();
  }
}
