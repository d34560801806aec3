package io.millrace.queuenode.node;

import io.millrace.api.MillraceException;
import io.millrace.api.event.StoredEvent;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.FolderLock;
import io.millrace.queuenode.node.QueueNodeSettings.StoreSettings;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Fills the store of a stopped queue node with the events of a backup. A store in files is written
 * beside the old one and takes its place in {@link #finish}; one on a server is emptied and filled
 * as it is. Used by one thread; blocks on the disk or the server.
 *
 * <p>From its beginning to its end no queue node opens a store in files: what a node accepted
 * meanwhile would be out of service with the store that is replaced.
 */
public final class StoreRestore implements AutoCloseable {
  /**
   * The term of a restored store is the number of seconds since then, so that two restorations of
   * one backup differ, also of one that was taken after a restoration and where nothing is
   * replaced. A node that is started less than once per second stays below it.
   */
  private static final Instant TERMS_SINCE = Instant.parse("2026-01-01T00:00:00Z");

  private static final String UNFINISHED = "store.restoring";

  private final QueueNodeSettings settings;
  private final Clock clock;
  private final SegmentStore store;
  private final Optional<FolderLock> lock;
  private boolean closed;

  private StoreRestore(
      QueueNodeSettings settings, Clock clock, SegmentStore store, Optional<FolderLock> lock) {
    this.settings = settings;
    this.clock = clock;
    this.store = store;
    this.lock = lock;
  }

  /**
   * The number of events in the node's store; 0 if there is none. Opens it, if there is one, and
   * changes nothing: a restored store that is to replace it at the next opening is counted where it
   * is.
   *
   * @throws MillraceException STORE_FAILURE if a queue node uses it
   */
  public static long present(QueueNodeSettings settings, Clock clock) {
    if (!inFiles(settings)) {
      try (SegmentStore store = NodeStore.open(settings, clock)) {
        return events(store);
      }
    }
    if (!Files.exists(settings.dataDirectory())) {
      return 0;
    }
    StoreReplacement replacement = new StoreReplacement(settings, clock);
    FolderLock lock = replacement.lock();
    try {
      // Not before the lock: a node that starts puts a restored store in its place.
      Path next = replacement.next();
      replacement.requireUnused();
      return read(next, settings, clock, StoreRestore::events);
    } finally {
      StoreReplacement.release(lock);
    }
  }

  /** A figure of the store in a folder; 0 if there is none. */
  private static long read(
      Path folder, QueueNodeSettings settings, Clock clock, ToLongFunction<SegmentStore> figure) {
    if (!Files.exists(folder.resolve("opened"))) {
      return 0;
    }
    try (SegmentStore store =
        LogSegmentStore.open(folder, settings.store().batchesRemembered(), clock)) {
      return figure.applyAsLong(store);
    }
  }

  private static long events(SegmentStore store) {
    return store.totals().values().stream()
        .mapToLong(totals -> totals.unfinished() + totals.dead())
        .sum();
  }

  /**
   * Begins with an empty store.
   *
   * @param term of the store when it was copied
   * @throws MillraceException STORE_FAILURE if a queue node uses the store
   */
  public static StoreRestore begin(QueueNodeSettings settings, long term, Clock clock) {
    if (!inFiles(settings)) {
      SegmentStore emptied = emptied(settings, clock);
      return begun(settings, clock, emptied, Optional.empty(), Math.max(term, emptied.term()));
    }
    StoreReplacement replacement = new StoreReplacement(settings, clock);
    FolderLock lock = replacement.lock();
    try {
      replacement.requireUnused();
      replacement.finishEarlier();
      long replaced = read(NodeStore.folder(settings), settings, clock, SegmentStore::term);
      SegmentStore store = LogSegmentStore.open(fresh(settings), clock);
      return begun(settings, clock, store, Optional.of(lock), Math.max(term, replaced));
    } catch (RuntimeException e) {
      StoreReplacement.release(lock);
      throw e;
    }
  }

  private static StoreRestore begun(
      QueueNodeSettings settings,
      Clock clock,
      SegmentStore store,
      Optional<FolderLock> lock,
      long reached) {
    try {
      store.raiseTermTo(termAfter(reached, clock.now()));
      return new StoreRestore(settings, clock, store, lock);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /**
   * Above the terms of the copied store and of the one that is replaced, so that receipts and
   * handles of their time are refused; if the clock does not say more, by more than anybody starts
   * a node between a backup and its restoration. Pure.
   */
  private static long termAfter(long reached, Instant now) {
    long seconds = Duration.between(TERMS_SINCE, now).toSeconds();
    return seconds > Math.max(reached, SegmentStore.RESTORED)
        ? seconds
        : reached + SegmentStore.RESTORED;
  }

  private static Path fresh(QueueNodeSettings settings) {
    Path beside = settings.dataDirectory().resolve(UNFINISHED);
    try {
      // What an earlier restoration left that was interrupted.
      if (Files.exists(beside)) {
        try (var files = Files.list(beside)) {
          for (Path file : files.toList()) {
            Files.delete(file);
          }
        }
      }
      Files.createDirectories(beside);
      return beside;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SegmentStore emptied(QueueNodeSettings settings, Clock clock) {
    SegmentStore store = NodeStore.open(settings, clock);
    try {
      empty(store);
      return store;
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /**
   * Removes all segments with everything that they remember: a segment that was only emptied would
   * still answer for batches whose events are gone, and keep the version under which it began.
   */
  static void empty(SegmentStore store) {
    for (String queue : List.copyOf(store.totals().keySet())) {
      SegmentRemoval everything = new SegmentRemoval(queue, Integer.MAX_VALUE, true);
      boolean more = true;
      while (more) {
        more = store.remove(everything).more();
        store.commit();
      }
    }
  }

  /**
   * Adds events of a queue.
   *
   * @param version of the queue's definition under which its segment began
   */
  public void add(String queue, int version, List<StoredEvent> events) {
    store.restore(queue, version, events);
    store.commit();
  }

  /**
   * Puts the store in its place; a store that was there remains beside it, under another name.
   *
   * @throws MillraceException STORE_FAILURE if a queue node uses the store that it replaces; then
   *     nothing is changed, also not by a later opening
   */
  public void finish() {
    try {
      store.force();
      closeStore();
      if (inFiles(settings)) {
        new StoreReplacement(settings, clock).by(settings.dataDirectory().resolve(UNFINISHED));
      } else {
        StoreReplacement.forgetDeletions(settings);
      }
    } finally {
      close();
    }
  }

  private static boolean inFiles(QueueNodeSettings settings) {
    return settings.store().kind() != StoreSettings.Kind.MYSQL;
  }

  private void closeStore() {
    if (!closed) {
      closed = true;
      store.close();
    }
  }

  @Override
  public void close() {
    try {
      closeStore();
    } finally {
      lock.ifPresent(StoreReplacement::release);
    }
  }
}
