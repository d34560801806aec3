package io.millrace.queuenode.store;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A separate process that puts, leases, acknowledges and gives up events in a log of small files
 * until it is killed; prints {@code put ID}, {@code begun ID}, {@code done ID} and {@code dead ID}
 * once the store has answered. Its arguments: the folder, a prefix for ids.
 */
final class LogKilledWriter {
  private static final int BATCH = 5;
  private static final int FILE_BYTES = 32 << 10;
  private static final int REMEMBERED = 100_000;
  private static final byte[] DATA = "x".repeat(200).getBytes(StandardCharsets.UTF_8);

  private LogKilledWriter() {}

  static SegmentStore open(Path folder, Clock clock) {
    LogSettings settings = LogSettings.in(folder).withFiles(FILE_BYTES);
    return LogSegmentStore.open(new ChannelDisk(), settings, REMEMBERED, clock);
  }

  public static void main(String[] arguments) {
    Clock clock = new SystemClock();
    SegmentStore store = open(Path.of(arguments[0]), clock);
    GroupCommitter<SegmentStore> committer =
        new GroupCommitter<>("killed", store, clock, CommitSettings.defaults());
    committer.start();
    for (int batch = 0; ; batch++) {
      String name = arguments[1] + batch;
      List<NewEvent> events = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        events.add(new NewEvent(name + "-" + i, DATA, null));
      }
      committer.submit(Change.put(new PutOrder("q", name, events, Long.MAX_VALUE))).join();
      say("put", events);
      // Most are acknowledged, so that files are continuously finished, compacted and reclaimed.
      if (batch % 10 != 0) {
        work(committer, batch);
      }
    }
  }

  private static void work(GroupCommitter<SegmentStore> committer, int batch) {
    LeaseOrder order = new LeaseOrder("q", BATCH, 1 << 20, Duration.ofSeconds(60));
    List<LeasedEvent> leased = committer.submit(Change.of(s -> s.lease(order))).join();
    List<NewEvent> events = leased.stream().map(LeasedEvent::event).toList();
    List<Receipt> receipts = leased.stream().map(LeasedEvent::receipt).toList();
    // Recorded before, so that an event of unknown outcome counts as neither lost nor kept.
    say("begun", events);
    if (batch % 25 == 1) {
      RefuseOrder refusal =
          new RefuseOrder(
              "q",
              receipts,
              RefusalKind.RETURNED,
              Duration.ZERO,
              "given up",
              new DeliveryLimits(1, 1));
      committer.submit(Change.of(s -> s.refuse(refusal))).join();
      say("dead", events);
    } else {
      committer.submit(Change.of(s -> s.acknowledge("q", receipts))).join();
      say("done", events);
    }
  }

  private static void say(String verb, List<NewEvent> events) {
    StringBuilder lines = new StringBuilder();
    events.forEach(event -> lines.append(verb).append(' ').append(event.id()).append('\n'));
    System.out.print(lines);
  }
}
