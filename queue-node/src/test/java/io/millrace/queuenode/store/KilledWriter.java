package io.millrace.queuenode.store;

import io.millrace.platform.time.Clock;
import io.millrace.platform.time.SystemClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own that puts, leases and acknowledges until it is killed; prints {@code put ID}
 * and {@code done ID} once the store has answered.
 */
final class KilledWriter {
  private static final int BATCH = 5;

  private KilledWriter() {}

  public static void main(String[] arguments) {
    Clock clock = new SystemClock();
    SegmentStore store = H2SegmentStore.open(Path.of(arguments[0]), clock);
    GroupCommitter committer =
        new GroupCommitter("killed", store, clock, CommitSettings.defaults());
    committer.start();
    for (int batch = 0; ; batch++) {
      List<NewEvent> events = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        byte[] data = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);
        events.add(new NewEvent("e" + batch + "-" + i, data, null));
      }
      committer.submit(Change.put(new PutOrder("q", "b" + batch, events, Long.MAX_VALUE))).join();
      events.forEach(event -> System.out.println("put " + event.id()));
      if (batch % 3 == 0) {
        work(committer);
      }
    }
  }

  private static void work(GroupCommitter committer) {
    LeaseOrder order = new LeaseOrder("q", BATCH, 1 << 20, Duration.ofSeconds(60));
    List<LeasedEvent> leased = committer.submit(Change.of(s -> s.lease(order))).join();
    List<Receipt> receipts = leased.stream().map(LeasedEvent::receipt).toList();
    // Begun before, so that an event whose end was not heard of counts as neither lost nor kept.
    leased.forEach(event -> System.out.println("begun " + event.event().id()));
    committer.submit(Change.of(s -> s.acknowledge("q", receipts))).join();
    leased.forEach(event -> System.out.println("done " + event.event().id()));
  }
}
