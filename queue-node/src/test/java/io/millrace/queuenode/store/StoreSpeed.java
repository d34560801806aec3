package io.millrace.queuenode.store;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Measures the log store and the store in memory in the same run, through the committer and with
 * every put forced: {@code StoreSpeed FOLDER [EVENTS] [PRODUCERS]}. Each event is put, leased and
 * acknowledged once.
 */
final class StoreSpeed {
  private static final byte[] DATA = "x".repeat(200).getBytes(StandardCharsets.UTF_8);
  private static final Duration LEASE = Duration.ofMinutes(5);

  private final Clock clock = new SystemClock();
  private final Path folder;
  private final int producers;

  private StoreSpeed(Path folder, int producers) {
    this.folder = folder;
    this.producers = producers;
  }

  public static void main(String[] arguments) throws Exception {
    int events = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    int producers = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 8;
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    StoreSpeed speed = new StoreSpeed(folder, producers);
    for (int round = 0; round < 2; round++) {
      speed.measure("log", 100, events);
      speed.measure("memory", 100, events);
      speed.measure("log", 1, events / 50);
      speed.measure("memory", 1, events / 50);
    }
  }

  private SegmentStore open(String kind, Path place) {
    return kind.equals("memory")
        ? new MemorySegmentStore().open(clock)
        : LogSegmentStore.open(place, clock);
  }

  private void measure(String kind, int batch, int events) throws Exception {
    Path place = Files.createTempDirectory(folder, kind);
    ExecutorService threads = Executors.newFixedThreadPool(2 * producers);
    try (SegmentStore store = open(kind, place)) {
      GroupCommitter<SegmentStore> committer =
          new GroupCommitter<>("speed", store, clock, CommitSettings.defaults());
      committer.start();
      long begun = clock.nanoTime();
      AtomicLong left = new AtomicLong(events);
      AtomicLong batches = new AtomicLong();
      List<Future<?>> puts = new ArrayList<>();
      for (int i = 0; i < producers; i++) {
        puts.add(threads.submit(() -> produce(committer, batch, left, batches)));
      }
      AtomicLong open = new AtomicLong(events);
      List<Future<?>> works = new ArrayList<>();
      for (int i = 0; i < producers; i++) {
        works.add(threads.submit(() -> work(committer, batch, open)));
      }
      join(puts);
      long put = clock.nanoTime() - begun;
      join(works);
      long all = clock.nanoTime() - begun;
      System.out.printf(
          Locale.ROOT,
          "%-4s batch %3d, %d producers and workers: put %,9.0f/s, put+lease+ack %,9.0f/s%n",
          kind,
          batch,
          producers,
          events / (put / 1e9),
          events / (all / 1e9));
      committer.stop();
    } finally {
      threads.shutdown();
    }
    delete(place);
  }

  private static void join(List<Future<?>> futures)
      throws ExecutionException, InterruptedException {
    for (Future<?> future : futures) {
      future.get();
    }
  }

  private static void produce(
      GroupCommitter<SegmentStore> committer, int batch, AtomicLong left, AtomicLong batches) {
    while (left.addAndGet(-batch) >= 0) {
      String name = "b" + batches.incrementAndGet();
      List<NewEvent> events =
          IntStream.range(0, batch).mapToObj(i -> new NewEvent(name + i, DATA, null)).toList();
      committer.submit(Change.put(new PutOrder("q", name, events, Long.MAX_VALUE))).join();
    }
  }

  private static void work(GroupCommitter<SegmentStore> committer, int batch, AtomicLong open) {
    LeaseOrder order = new LeaseOrder("q", batch, 1 << 20, LEASE);
    while (open.get() > 0) {
      List<LeasedEvent> leased = committer.submit(Change.of(store -> store.lease(order))).join();
      List<Receipt> receipts = leased.stream().map(LeasedEvent::receipt).toList();
      if (!receipts.isEmpty()) {
        committer.submit(Change.of(store -> store.acknowledge("q", receipts))).join();
        open.addAndGet(-receipts.size());
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
