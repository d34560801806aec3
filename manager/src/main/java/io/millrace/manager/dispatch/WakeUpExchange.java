package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.WakeUpDao.Sent;
import io.millrace.manager.job.WakeUps;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Exchanges wake-ups with other central managers, through the shared database. One that has not
 * received anything from others for a while only sends a heartbeat now and then. Thread-safe.
 */
public final class WakeUpExchange implements Service {
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);
  private static final Duration OTHERS_KNOWN_FOR = Duration.ofSeconds(10);
  private static final Duration READ = Duration.ofMillis(15);
  private static final Duration READ_ALONE = Duration.ofMillis(500);
  private static final Duration CLEAN = Duration.ofSeconds(30);
  // Rows of others may become visible in a different order than that of their ids.
  private static final int LATE = 50;

  private final Database database;
  private final WakeUpDao store;
  private final WakeUps wakeUps;
  private final String self;
  private final Clock clock;
  private final PendingWakeUps pending = new PendingWakeUps();
  private final Loop sender;
  private final Loop receiver;
  // Times are of the monotonic clock.
  private volatile long othersHeardAt;
  private long sentAt;
  private long cleanedAt;
  private long readAt;
  // Only touched by the receiver's thread; null before its first read.
  private Long last;
  private final TreeSet<Long> taken = new TreeSet<>();

  /**
   * Creates an exchange that is not started yet.
   *
   * @param self unique for each start of this central manager
   */
  public WakeUpExchange(Database database, WakeUps wakeUps, String self, Clock clock) {
    this.database = database;
    this.store = new WakeUpDao(database.dialect());
    this.wakeUps = wakeUps;
    this.self = self;
    this.clock = clock;
    long past = clock.nanoTime() - Duration.ofHours(1).toNanos();
    this.othersHeardAt = past;
    this.sentAt = past;
    this.cleanedAt = clock.nanoTime();
    this.readAt = past;
    this.sender = new Loop("hint-sender", HEARTBEAT, this::send);
    this.receiver = new Loop("hint-listener", READ, this::receive);
  }

  @Override
  public void start() {
    wakeUps.relayTo(this::relay);
    sender.start();
    receiver.start();
  }

  @Override
  public void stop() {
    sender.stop();
    receiver.stop();
  }

  private void relay(String wakeUp) {
    if (othersKnown()) {
      pending.add(wakeUp);
      sender.wake();
    }
  }

  private boolean othersKnown() {
    return clock.nanoTime() - othersHeardAt < OTHERS_KNOWN_FOR.toNanos();
  }

  private void send() {
    String pendingText = pending.take();
    long now = clock.nanoTime();
    if (!pendingText.isEmpty() || now - sentAt >= HEARTBEAT.toNanos()) {
      sentAt = now;
      database.transaction(
          handle -> {
            store.insert(handle, self, pendingText);
            return null;
          });
    }
    if (now - cleanedAt >= CLEAN.toNanos()) {
      cleanedAt = now;
      database.transaction(
          handle -> {
            store.deleteOld(handle);
            return null;
          });
    }
  }

  private void receive() {
    long now = clock.nanoTime();
    if (!othersKnown() && now - readAt < READ_ALONE.toNanos()) {
      return;
    }
    readAt = now;
    if (last == null) {
      last = database.read(store::last);
      return;
    }
    List<Sent> rows = database.read(handle -> store.after(handle, last - LATE, self));
    for (Sent row : rows) {
      if (taken.add(row.id())) {
        wake(row);
      }
    }
    taken.headSet(last - LATE, true).clear();
  }

  private void wake(Sent row) {
    last = Math.max(last, row.id());
    othersHeardAt = clock.nanoTime();
    for (String wakeUp : row.words().split(",", -1)) {
      wakeUps.receive(wakeUp);
    }
  }

  /** Wake-ups to be sent, each once. Thread-safe. */
  private static final class PendingWakeUps {
    // What the table's column holds; more are dropped, because polling makes up for them.
    private static final int LONGEST = 8000;
    private static final int MAX = 2000;

    private final Set<String> wakeUps = new LinkedHashSet<>();

    synchronized void add(String wakeUp) {
      if (wakeUps.size() < MAX) {
        wakeUps.add(wakeUp);
      }
    }

    /**
     * Takes all, the most general first, because these are kept if there are many; empty for none.
     */
    synchronized String take() {
      List<String> all = new ArrayList<>(wakeUps);
      wakeUps.clear();
      all.sort((left, right) -> Boolean.compare(left.contains(":"), right.contains(":")));
      StringBuilder text = new StringBuilder();
      for (String wakeUp : all) {
        if (text.length() + wakeUp.length() + 1 > LONGEST) {
          break;
        }
        text.append(text.length() == 0 ? "" : ",").append(wakeUp);
      }
      return text.toString();
    }
  }
}
