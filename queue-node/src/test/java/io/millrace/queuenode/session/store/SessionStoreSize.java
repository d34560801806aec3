package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.NewEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Measures what open sessions cost: memory of each, time of an assignment, time of an opening, at
 * 1,000 to 1,000,000 sessions of some events. Arguments: a folder, the most sessions, events of
 * each, the fewest sessions.
 */
public final class SessionStoreSize {
  private static final String QUEUE = "orders";
  private static final byte[] DATA =
      ("{\"text\":\"" + "x".repeat(180) + "\"}").getBytes(StandardCharsets.UTF_8);
  private static final UUID WORKER = new UUID(1, 1);
  private static final SessionDefinition RULES =
      SessionDefinition.of("key").withMaxPerWorker(1_000_000_000).withMaxUnassigned(1_000_000_000);

  private final SessionStore store;

  private SessionStoreSize(SessionStore store) {
    this.store = store;
  }

  public static void main(String[] arguments) throws Exception {
    int most = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    int events = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 14;
    int least = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 1_000;
    for (int sessions = least; sessions <= most; sessions *= 10) {
      Path folder = Files.createTempDirectory(Path.of(arguments[0]), "size");
      measure(folder, sessions, events);
    }
  }

  private static void measure(Path folder, int sessions, int events) {
    long before = used();
    SystemClock clock = new SystemClock();
    long begun = System.nanoTime();
    double put;
    long bytes;
    double assign;
    try (SessionStore store = LogSessionStore.open(folder, "n", clock)) {
      SessionStoreSize size = new SessionStoreSize(store);
      size.fill(sessions, events);
      put = (System.nanoTime() - begun) / 1e9;
      bytes = (used() - before) / sessions;
      begun = System.nanoTime();
      long assigned = size.assign(sessions);
      assign = (System.nanoTime() - begun) / 1e3 / assigned;
      begun = System.nanoTime();
    }
    final double closed = (System.nanoTime() - begun) / 1e9;
    begun = System.nanoTime();
    try (SessionStore again = LogSessionStore.open(folder, "n", clock)) {
      System.out.printf(
          Locale.ROOT,
          "%,9d sessions of %d events: %,d bytes each, put %,.0f events/s, assignment %.2f us,"
              + " close %.1f s, open %.1f s (term %d)%n",
          sessions,
          events,
          bytes,
          (double) sessions * events / put,
          assign,
          closed,
          (System.nanoTime() - begun) / 1e9,
          again.term());
    }
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void fill(int sessions, int events) {
    List<GrantedSlot> slots =
        IntStream.range(0, SlotTable.SLOTS)
            .mapToObj(slot -> new GrantedSlot(slot, 1, List.of(), false))
            .toList();
    store.take(QUEUE, 1, slots, System.nanoTime());
    store.commit();
    int id = 0;
    // All first events, then all second ones: nothing of a session is together.
    for (int round = 0; round < events; round++) {
      for (int first = 0; first < sessions; first += 100) {
        List<KeyedEvent> batch = new ArrayList<>();
        for (int i = first; i < Math.min(sessions, first + 100); i++) {
          String key = "order-" + i;
          batch.add(
              new KeyedEvent(
                  new NewEvent("event-" + id++, DATA, null), key, SessionKey.slot(key), 1));
        }
        store.put(new SessionPut(QUEUE, RULES, batch, Long.MAX_VALUE, 0, SlotTable.SLOTS));
        store.commit();
        if (first % 100_000 == 0) {
          store.force();
        }
      }
    }
  }

  // The first thousand are assigned by the poll; the rest in steps as large.
  private long assign(int sessions) {
    DeliveryRules rules =
        new DeliveryRules(RULES, 100, 3, Duration.ofSeconds(30), Duration.ofSeconds(30));
    store.register(QUEUE, 1, WORKER, new WorkerRegistration(WORKER, null, null, null), RULES);
    int steps = Math.max(1, Math.min(100, sessions / 1_000));
    for (int step = 1; step <= steps; step++) {
      store.poll(
          QUEUE, WORKER, new SessionPoll(WORKER, step, 0, null, null), step, step, rules, 1 << 20);
      store.commit();
    }
    return steps * 1_000L;
  }
}
