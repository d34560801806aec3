package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A queue whose events cannot be read is refused; the others go on. */
class UnreadableQueueTest {
  private static final String DAMAGE = "file 7 is damaged at 4096";

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final DamagedRows rows = new DamagedRows();
  private final SegmentStore store = new RowSegmentStore(rows, clock);

  /** Rows of which one queue's cannot be read. */
  private static final class DamagedRows extends MemoryRows {
    DamagedRows() {
      super(100);
    }

    private int damaged = -1;

    void damage(String queue) {
      damaged = queues().get(queue);
    }

    @Override
    public Optional<String> unreadable(int queue) {
      return queue == damaged ? Optional.of(DAMAGE) : Optional.empty();
    }
  }

  @Test
  void onlyOperationsOnADamagedQueueAreRefused() {
    put("bad", "b1");
    put("good", "b1");
    List<LeasedEvent> leased = lease("bad");
    rows.damage("bad");

    refused(() -> put("bad", "b2"));
    refused(() -> lease("bad"));
    refused(() -> store.acknowledge("bad", leased.stream().map(LeasedEvent::receipt).toList()));
    refused(() -> store.dead("bad", Long.MAX_VALUE, 1));
    refused(() -> store.peek("bad", EventState.READY, 1));
    assertThat(store.troubles()).containsExactly(Map.entry("bad", DAMAGE));
    assertThat(lease("good")).hasSize(1);
  }

  @Test
  void itsLeasesExpireWithoutDisturbingOthers() {
    put("bad", "b1");
    put("good", "b1");
    lease("bad");
    lease("good");
    rows.damage("bad");
    clock.advance(Duration.ofSeconds(10));
    assertThat(store.expire(queue -> QueueRules.of(new DeliveryLimits(5, 5))))
        .containsExactly(Map.entry("good", 1));
    store.commit();
    assertThat(store.due(queue -> QueueRules.of(new DeliveryLimits(5, 5)))).isFalse();
  }

  @Test
  void damagePresentAtTheOpeningIsReportedImmediately() {
    put("bad", "b1");
    rows.damage("bad");
    assertThat(new RowSegmentStore(rows, clock).troubles()).containsKey("bad");
  }

  private void put(String queue, String batch) {
    NewEvent event = new NewEvent("e", "{}".getBytes(StandardCharsets.UTF_8), null);
    store.put(new PutOrder(queue, batch, List.of(event), 100));
    store.commit();
  }

  private List<LeasedEvent> lease(String queue) {
    List<LeasedEvent> leased =
        store.lease(new LeaseOrder(queue, 1, Long.MAX_VALUE, Duration.ofSeconds(5)));
    store.commit();
    return leased;
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining(DAMAGE)
        .hasMessageContaining("restore the store");
  }
}
