package io.millrace.queuenode.store;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Puts batches of one event, each under its own name, into a log store through the committer, as
 * fast as they go, and counts what is acknowledged; then reopens the store: {@code NamedBatches
 * FOLDER [BATCHES] [disk|process] [close|kill]}. To be run with a small heap (-Xmx256m), it must
 * neither fail nor miss an event. With {@code kill} it ends without closing the store; a second run
 * with 0 batches then opens it.
 */
final class NamedBatches {
  private static final byte[] DATA = "x".repeat(100).getBytes(StandardCharsets.UTF_8);
  private static final int ON_THE_WAY = 2_000;
  private static final int REPORT_EVERY = 1_000_000;

  private final Clock clock = new SystemClock();
  private final Path folder;
  private final Durability durability;

  private NamedBatches(Path folder, Durability durability) {
    this.folder = folder;
    this.durability = durability;
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    int batches = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000_000;
    String durability = arguments.length > 2 ? arguments[2] : "process";
    boolean kill = arguments.length > 3 && arguments[3].equals("kill");
    NamedBatches run =
        new NamedBatches(folder, Durability.valueOf(durability.toUpperCase(Locale.ROOT)));
    run.put(batches, kill);
    run.put(0, false);
  }

  private void put(int batches, boolean kill) throws Exception {
    long begun = clock.nanoTime();
    SegmentStore store = LogSegmentStore.open(folder, clock);
    print("opened in %.1f s: %,d events wait, %s", seconds(begun), waiting(store), store.batches());
    GroupCommitter<SegmentStore> committer =
        new GroupCommitter<>("named", store, clock, CommitSettings.of(durability));
    committer.start();
    begun = clock.nanoTime();
    long acknowledged = 0;
    Deque<CompletableFuture<PutOutcome>> window = new ArrayDeque<>();
    for (int i = 0; i < batches; i++) {
      String name = "batch-" + clock.nanoTime() + "-" + i;
      NewEvent event = new NewEvent(name + "-0", DATA, null);
      PutOrder order = new PutOrder("q", name, List.of(event), Long.MAX_VALUE);
      window.add(committer.submit(Change.put(order)));
      if (window.size() >= ON_THE_WAY) {
        acknowledged += stored(window.remove());
      }
      if ((i + 1) % REPORT_EVERY == 0) {
        print("%,d put, %.1f s, %s", i + 1, seconds(begun), store.batches());
      }
    }
    while (!window.isEmpty()) {
      acknowledged += stored(window.remove());
    }
    print(
        "%,d of %,d acknowledged in %.1f s, durability %s, heap used %,d MB of %,d MB",
        acknowledged,
        batches,
        seconds(begun),
        durability,
        LogMemory.used() >> 20,
        Runtime.getRuntime().maxMemory() >> 20);
    if (kill) {
      print("ends without closing the store");
      Runtime.getRuntime().halt(0);
    }
    committer.stop();
    store.close();
  }

  private static int stored(CompletableFuture<PutOutcome> put) {
    return put.join().repeated() ? 0 : 1;
  }

  private static long waiting(SegmentStore store) {
    return store.totals().values().stream().mapToLong(SegmentTotals::waiting).sum();
  }

  private double seconds(long begun) {
    return (clock.nanoTime() - begun) / 1e9;
  }

  private static void print(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }
}
