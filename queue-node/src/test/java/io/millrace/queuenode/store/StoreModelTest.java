package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is done to a store, it does what the plain model does. */
class StoreModelTest {
  private static final String QUEUE = "q";
  private static final DeliveryLimits LIMITS = new DeliveryLimits(2, 3);

  private enum Verb {
    PUT,
    LEASE,
    ACKNOWLEDGE,
    FAIL,
    RETURN,
    EXTEND,
    ADVANCE,
    REQUEUE,
    UNDONE
  }

  /** A step; what the numbers mean depends on the verb. */
  private record Step(Verb verb, int amount, int priority, long millis) {}

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final SegmentStore store = new MemorySegmentStore().open(clock);
  private final StoreModel model = new StoreModel(LIMITS);
  private final Map<String, Receipt> receipts = new HashMap<>();
  private int batches;

  @Property(tries = 400)
  void aStoreDoesWhatTheModelDoes(@ForAll("steps") List<Step> steps) {
    StoreModelTest run = new StoreModelTest();
    for (Step step : steps) {
      run.take(step);
      run.compare();
    }
  }

  private void take(Step step) {
    switch (step.verb()) {
      case PUT -> put(step);
      case LEASE -> lease(step);
      case ACKNOWLEDGE -> {
        List<String> ids = some(step);
        ReceiptOutcome outcome = store.acknowledge(QUEUE, receipts(ids));
        assertThat(outcome.done()).isEqualTo(living(ids).size());
        model.acknowledge(living(ids));
      }
      case FAIL -> refuse(step, RefusalKind.FAILED);
      case RETURN -> refuse(step, RefusalKind.RETURNED);
      case EXTEND -> {
        List<String> ids = some(step);
        store.extend(QUEUE, receipts(ids), Duration.ofMillis(1 + step.millis()));
        model.extend(living(ids), 1 + step.millis(), now());
      }
      case ADVANCE -> {
        clock.advance(Duration.ofMillis(step.millis()));
        store.expire(queue -> QueueRules.of(LIMITS));
        model.expire(now());
      }
      case REQUEUE -> {
        store.requeueDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, Long.MAX_VALUE);
        model.requeueDead();
      }
      case UNDONE -> {
        store.lease(new LeaseOrder(QUEUE, step.amount(), Long.MAX_VALUE, Duration.ofSeconds(1)));
        store.acknowledge(QUEUE, receipts(some(step)));
        store.put(new PutOrder(QUEUE, "undone", List.of(event("undone", 9, 0)), 1_000_000));
        store.rollback();
      }
    }
    store.commit();
  }

  private void put(Step step) {
    String batch = "b" + ++batches;
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < step.amount(); i++) {
      // Half of the events are delayed.
      long delay = i % 2 == 0 ? 0 : step.millis();
      events.add(event(batch + "-" + i, step.priority(), delay));
      model.put(batch + "-" + i, step.priority(), delay, now());
    }
    store.put(new PutOrder(QUEUE, batch, events, 1_000_000));
  }

  private void lease(Step step) {
    LeaseOrder order =
        new LeaseOrder(QUEUE, step.amount(), Long.MAX_VALUE, Duration.ofMillis(1 + step.millis()));
    List<LeasedEvent> leased = store.lease(order);
    leased.forEach(event -> receipts.put(event.event().id(), event.receipt()));
    assertThat(leased.stream().map(event -> event.event().id()))
        .containsExactlyElementsOf(model.lease(step.amount(), 1 + step.millis(), now()));
  }

  private void refuse(Step step, RefusalKind kind) {
    List<String> ids = some(step);
    // Half of the refusals are delayed.
    long delay = step.priority() % 2 == 0 ? 0 : step.millis();
    store.refuse(
        new RefuseOrder(QUEUE, receipts(ids), kind, Duration.ofMillis(delay), "words", LIMITS));
    model.refuse(living(ids), kind, delay, now());
  }

  /** Some of the deliveries ever made, of which some have ended. */
  private List<String> some(Step step) {
    return receipts.keySet().stream().sorted().skip(step.priority()).limit(step.amount()).toList();
  }

  private List<String> living(List<String> ids) {
    return ids.stream().filter(model::leased).toList();
  }

  private List<Receipt> receipts(List<String> ids) {
    return ids.stream().map(receipts::get).toList();
  }

  private void compare() {
    SegmentTotals totals = store.totals().getOrDefault(QUEUE, SegmentTotals.NONE);
    assertThat(totals.waiting()).isEqualTo(model.in(EventState.READY));
    assertThat(totals.delayed()).isEqualTo(model.in(EventState.DELAYED));
    assertThat(totals.leased()).isEqualTo(model.in(EventState.LEASED));
    assertThat(totals.dead()).isEqualTo(model.in(EventState.DEAD));
    assertThat(totals.acknowledged()).isEqualTo(model.acknowledged());
    assertThat(store.dead(QUEUE, Long.MAX_VALUE, 1_000).stream().map(dead -> dead.event().id()))
        .containsExactlyElementsOf(model.dead());
  }

  private long now() {
    return clock.now().toEpochMilli();
  }

  private static NewEvent event(String id, int priority, long delay) {
    return new NewEvent(id, "{}".getBytes(StandardCharsets.UTF_8), null, priority, delay);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.of(Verb.class),
            Arbitraries.integers().between(1, 6),
            Arbitraries.integers().between(0, 9),
            Arbitraries.longs().between(0, 50))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(80);
  }
}
