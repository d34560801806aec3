package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.WakeUpDao.Hint;
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
 * Tells other central managers of wake-ups and takes theirs, through the database that they share.
 * One that has heard of no other for a while only gives a sign of life now and then. Thread-safe.
 */
public final class WakeUpExchange implements Service {
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(2);
  private static final Duration COMPANY = Duration.ofSeconds(10);
  private static final Duration LISTENING = Duration.ofMillis(15);
  private static final Duration LISTENING_ALONE = Duration.ofMillis(500);
  private static final Duration CLEANING = Duration.ofSeconds(30);
  // Rows of others may become visible in another order than that of their ids.
  private static final int LATE = 50;

  private final Database database;
  private final WakeUpDao store;
  private final WakeUps wakeUps;
  private final String self;
  private final Clock clock;
  private final PendingWakeUps whispers = new PendingWakeUps();
  private final Loop sender;
  private final Loop listener;
  // Times are of the monotonic clock.
  private volatile long othersHeardAt;
  private long saidAt;
  private long cleanedAt;
  private long listenedAt;
  // Only touched by the listener's thread; null before its first look.
  private Long last;
  private final TreeSet<Long> taken = new TreeSet<>();

  /**
   * Not started yet.
   *
   * @param self unique for the life of this central manager
   */
  public WakeUpExchange(Database database, WakeUps wakeUps, String self, Clock clock) {
    this.database = database;
    this.store = new WakeUpDao(database.dialect());
    this.wakeUps = wakeUps;
    this.self = self;
    this.clock = clock;
    long past = clock.nanoTime() - Duration.ofHours(1).toNanos();
    this.othersHeardAt = past;
    this.saidAt = past;
    this.cleanedAt = clock.nanoTime();
    this.listenedAt = past;
    this.sender = new Loop("hint-sender", SIGN_OF_LIFE, this::send);
    this.listener = new Loop("hint-listener", LISTENING, this::listen);
  }

  @Override
  public void start() {
    wakeUps.relayTo(this::passOn);
    sender.start();
    listener.start();
  }

  @Override
  public void stop() {
    sender.stop();
    listener.stop();
  }

  private void passOn(String word) {
    if (company()) {
      whispers.add(word);
      sender.wake();
    }
  }

  private boolean company() {
    return clock.nanoTime() - othersHeardAt < COMPANY.toNanos();
  }

  private void send() {
    String words = whispers.take();
    long now = clock.nanoTime();
    if (!words.isEmpty() || now - saidAt >= SIGN_OF_LIFE.toNanos()) {
      saidAt = now;
      database.transaction(
          handle -> {
            store.insert(handle, self, words);
            return null;
          });
    }
    if (now - cleanedAt >= CLEANING.toNanos()) {
      cleanedAt = now;
      database.transaction(
          handle -> {
            store.deleteOld(handle);
            return null;
          });
    }
  }

  private void listen() {
    long now = clock.nanoTime();
    if (!company() && now - listenedAt < LISTENING_ALONE.toNanos()) {
      return;
    }
    listenedAt = now;
    if (last == null) {
      last = database.read(store::last);
      return;
    }
    List<Hint> hints = database.read(handle -> store.after(handle, last - LATE, self));
    for (Hint hint : hints) {
      if (taken.add(hint.id())) {
        hear(hint);
      }
    }
    taken.headSet(last - LATE, true).clear();
  }

  private void hear(Hint hint) {
    last = Math.max(last, hint.id());
    othersHeardAt = clock.nanoTime();
    for (String word : hint.words().split(",", -1)) {
      wakeUps.heard(word);
    }
  }

  /** Words that wait to be passed on, each once. Thread-safe. */
  private static final class PendingWakeUps {
    // What the table's column holds; more are left out, for they are only hints.
    private static final int LONGEST = 8000;
    private static final int MOST = 2000;

    private final Set<String> words = new LinkedHashSet<>();

    synchronized void add(String word) {
      if (words.size() < MOST) {
        words.add(word);
      }
    }

    /** Takes all, short ones first, so that the most general are kept; empty text for none. */
    synchronized String take() {
      List<String> all = new ArrayList<>(words);
      words.clear();
      all.sort((left, right) -> Boolean.compare(left.contains(":"), right.contains(":")));
      StringBuilder text = new StringBuilder();
      for (String word : all) {
        if (text.length() + word.length() + 1 > LONGEST) {
          break;
        }
        text.append(text.length() == 0 ? "" : ",").append(word);
      }
      return text.toString();
    }
  }
}
