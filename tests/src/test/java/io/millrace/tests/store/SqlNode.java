package io.millrace.tests.store;

import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The store of a queue node with one queue, and one request per transaction. */
record SqlNode(SegmentStore store) implements AutoCloseable {
  static final String QUEUE = "alert";
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** A batch of small events, named after it. */
  static PutOrder batch(String name, int size) {
    List<NewEvent> events =
        IntStream.range(0, size)
            .mapToObj(number -> name + "-" + number)
            .map(id -> new NewEvent(id, id.getBytes(StandardCharsets.UTF_8), null))
            .toList();
    return new PutOrder(QUEUE, name, events, 1_000_000L);
  }

  void put(String name, int size) {
    store.put(batch(name, size));
    store.commit();
  }

  /** Leases and acknowledges. */
  List<String> take(int max) {
    List<LeasedEvent> leased = store.lease(new LeaseOrder(QUEUE, max, Long.MAX_VALUE, LEASE));
    store.acknowledge(QUEUE, leased.stream().map(LeasedEvent::receipt).toList());
    store.commit();
    return leased.stream().map(event -> event.event().id()).toList();
  }

  long inserted() {
    return store.totals().get(QUEUE).inserted();
  }

  @Override
  public void close() {
    store.close();
  }
}
