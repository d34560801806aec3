package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Principal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Bounds the streams that each keep a thread of the server. A reader who went away is noticed only
 * when something is written to it, so that quiet streams would keep their places: the oldest stream
 * is ended for a new one. Thread-safe.
 */
public final class StreamPlaces {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final int max;
  private final int maxOfCaller;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  // Oldest first; those that were ended stay until their thread has left.
  private final Set<StreamPlace> taken = new LinkedHashSet<>();

  /**
   * No place is taken.
   *
   * @param max all streams
   * @param maxOfCaller those of one caller
   */
  public StreamPlaces(int max, int maxOfCaller) {
    this.max = max;
    this.maxOfCaller = maxOfCaller;
  }

  /**
   * Takes a place. If the caller has too many, its oldest stream is ended, and if all places are
   * taken, the oldest stream of the caller who has most. Blocks up to two seconds until that stream
   * has left its place.
   *
   * @throws MillraceException UNAVAILABLE if it has not
   */
  public StreamPlace take(Principal caller) {
    Optional<StreamPlace> ended = Optional.empty();
    lock.lock();
    try {
      if (!hasRoom(caller)) {
        ended = oldest(of(caller) < maxOfCaller ? largest() : caller);
        ended.ifPresent(one -> one.ended = true);
      }
    } finally {
      lock.unlock();
    }
    ended.ifPresent(StreamPlace::runAtEnd);
    return await(caller);
  }

  private StreamPlace await(Principal caller) {
    lock.lock();
    try {
      long left = PATIENCE.toNanos();
      while (!hasRoom(caller)) {
        if (left <= 0) {
          throw full();
        }
        left = released.awaitNanos(left);
      }
      StreamPlace place = new StreamPlace(caller);
      taken.add(place);
      return place;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw full();
    } finally {
      lock.unlock();
    }
  }

  private MillraceException full() {
    return new MillraceException(
        ErrorCode.UNAVAILABLE,
        "this server already streams %d logs, %d of one caller; try again in a moment"
            .formatted(max, maxOfCaller));
  }

  private boolean hasRoom(Principal caller) {
    return taken.size() < max && of(caller) < maxOfCaller;
  }

  private long of(Principal caller) {
    return taken.stream().filter(one -> one.caller.equals(caller)).count();
  }

  private Principal largest() {
    return taken.stream()
        .collect(Collectors.groupingBy(one -> one.caller, Collectors.counting()))
        .entrySet()
        .stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElseThrow();
  }

  private Optional<StreamPlace> oldest(Principal caller) {
    return taken.stream().filter(one -> one.caller.equals(caller) && !one.ended).findFirst();
  }

  /** The place of one stream; closed by the stream's own thread. Thread-safe. */
  public final class StreamPlace implements AutoCloseable {
    private final Principal caller;
    private volatile boolean ended;
    private volatile Runnable atEnd = () -> {};

    private StreamPlace(Principal caller) {
      this.caller = caller;
    }

    /** Whether the stream has to end, because another one needs its place. */
    public boolean ended() {
      return ended;
    }

    /** Interrupts the stream when it has to end; at once if it has to already. Never blocks. */
    public void atEnd(Runnable interruption) {
      atEnd = interruption;
      if (ended) {
        runAtEnd();
      }
    }

    private void runAtEnd() {
      atEnd.run();
    }

    @Override
    public void close() {
      lock.lock();
      try {
        taken.remove(this);
        released.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
