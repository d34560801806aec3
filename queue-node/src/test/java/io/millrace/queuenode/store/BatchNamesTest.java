package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a log store remembers of batch names; {@link NamedBatches} does the same with millions. */
class BatchNamesTest {
  private static final byte[] DATA = "1".getBytes(StandardCharsets.UTF_8);
  private static final int BATCHES = 300_000;
  private static final long OTHER = 12L << 20;

  @TempDir Path folder;
  @TempDir Path other;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));

  /** Before names were bounded, each took more than 200 bytes. */
  @Test
  void aRememberedNameTakesSomeDozenBytesOfHeap() {
    try (SegmentStore first = LogSegmentStore.open(other, 1_000, clock)) {
      // What the first store of a process needs is not counted.
      putAndFinish(first, 0, 1_000);
    }
    long before = LogMemory.used();
    try (SegmentStore store = LogSegmentStore.open(folder, BATCHES, clock)) {
      putAndFinish(store, 0, BATCHES);
      assertThat(LogMemory.used() - before).isLessThan(40L * BATCHES + OTHER);
    }
    try (SegmentStore store = LogSegmentStore.open(folder, BATCHES, clock)) {
      assertThat(LogMemory.used() - before).isLessThan(40L * BATCHES + OTHER);
      assertThat(store.put(order(BATCHES - 1)).repeated()).isTrue();
    }
  }

  @Test
  void afterAKillOnlyTheNewestNamesAreRemembered() throws IOException {
    SegmentStore killed = LogSegmentStore.open(folder, 1_000, clock);
    putAndFinish(killed, 0, 5_000);
    assertThat(killed.batches()).isEqualTo(new BatchFigures(1_000, 1_000, 4_000));
    Path copy = copy();
    killed.close();

    try (SegmentStore store = LogSegmentStore.open(copy, 100, clock)) {
      assertThat(store.batches()).isEqualTo(new BatchFigures(100, 100, 0));
      assertThat(store.put(order(4_999)).repeated()).isTrue();
      assertThat(store.put(order(4_900)).repeated()).isTrue();
      assertThat(store.put(order(4_899)).repeated()).isFalse();
    }
  }

  @Test
  void namesForgottenByTheirAgeStayForgottenAfterAReopening() throws IOException {
    SegmentStore killed = LogSegmentStore.open(folder, 100_000, clock);
    putAndFinish(killed, 0, 12_000);
    clock.advance(Duration.ofMinutes(9));
    putAndFinish(killed, 12_000, 12_010);
    clock.advance(Duration.ofMinutes(1));
    while (killed.due(queue -> QueueRules.of(new DeliveryLimits(5, 25)))) {
      killed.expire(queue -> QueueRules.of(new DeliveryLimits(5, 25)));
      killed.commit();
    }
    assertThat(killed.batches().remembered()).isEqualTo(10);
    assertThat(killed.batches().forgottenEarly()).isZero();
    Path copy = copy();
    killed.close();

    try (SegmentStore store = LogSegmentStore.open(copy, 100_000, clock)) {
      assertThat(store.batches().remembered()).isEqualTo(10);
      assertThat(store.put(order(12_000)).repeated()).isTrue();
      assertThat(store.put(order(11_999)).repeated()).isFalse();
    }
  }

  private Path copy() throws IOException {
    return LogFolderFixture.copy(folder, other.resolve("as-after-a-kill"));
  }

  private static void putAndFinish(SegmentStore store, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(store.put(order(i)).repeated()).isFalse();
      if (i % 500 == 499 || i == to - 1) {
        store.commit();
        finish(store);
      }
    }
    store.force();
  }

  private static void finish(SegmentStore store) {
    LeaseOrder lease = new LeaseOrder("q", 500, 1 << 20, Duration.ofMinutes(5));
    List<Receipt> receipts = store.lease(lease).stream().map(LeasedEvent::receipt).toList();
    store.acknowledge("q", receipts);
    store.commit();
  }

  private static PutOrder order(int number) {
    String name = "batch-with-a-name-of-usual-length-" + number;
    NewEvent event = new NewEvent(name + "-0", DATA, null);
    return new PutOrder("q", name, List.of(event), Long.MAX_VALUE);
  }
}
