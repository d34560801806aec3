package io.millrace.api.client;

import io.millrace.api.BootClock;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A session worker (M-05..M-12): a program's part in the sessions of a queue. It registers at every
 * queue node that has sessions of the queue, with its cap divided among them, and has each
 * session's events handled in order, one at a time, and several sessions at the same time.
 *
 * <p>{@link #start()} finds the nodes and begins its daemon threads: one that looks for nodes every
 * ten seconds, one that watches the deadlines, one for each node, and those of the handlers. {@link
 * #close()} has the events in work finished and reported, and leaves, so that the sessions go to
 * others; so does the worker by itself when it is asked to leave, after which {@link #awaitEnd()}
 * returns. What is in work when a queue node could not be reached for too long is not reported,
 * because another worker may have the session then. Thread-safe.
 *
 * @param <S> what the program keeps of one session
 */
public final class SessionConsumer<S> implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long WATCH_MILLIS = 100;

  private final SessionWorkerOptions options;
  private final SessionNodes nodes;
  private final SessionHandler<S> handler;
  final LongSupplier nanoTime;
  private final KeyedThreads threads;
  // All guarded by this.
  private final Map<String, Attached<S>> attached = new HashMap<>();
  private Set<String> listed = Set.of();
  private Thread finder;
  private boolean ending;
  private boolean over;

  /** A worker that has not started. */
  public SessionConsumer(
      SessionWorkerOptions options, SessionNodes nodes, SessionHandler<S> handler) {
    // A suspended machine's time counts: meanwhile others may have got the sessions.
    this(options, nodes, handler, BootClock.of(System::nanoTime));
  }

  /**
   * The same with another clock.
   *
   * @param nanoTime nanoseconds that never go back and count suspended time, by which the deadlines
   *     of queue nodes are observed
   */
  public SessionConsumer(
      SessionWorkerOptions options,
      SessionNodes nodes,
      SessionHandler<S> handler,
      LongSupplier nanoTime) {
    this.options = options;
    this.nodes = nodes;
    this.handler = handler;
    this.nanoTime = nanoTime;
    this.threads = new KeyedThreads("session-work-" + options.queue(), options.threads());
  }

  /**
   * Finds the queue nodes and begins to work.
   *
   * @throws MillraceException when they cannot be found out; nothing was started then
   */
  public void start() {
    List<NodePlace> found = nodes.current();
    synchronized (this) {
      if (finder != null || ending) {
        throw new IllegalStateException("the worker of " + options.queue() + " was started");
      }
      attach(found);
      finder = daemon("session-nodes-" + options.queue(), this::lookAndEnd);
      finder.start();
      daemon("session-watch-" + options.queue(), this::watch).start();
    }
  }

  /** Blocks until the worker has ended: it was closed, or asked to leave. */
  public synchronized void awaitEnd() throws InterruptedException {
    while (!over) {
      wait();
    }
  }

  /** Names of the queue nodes at which it is, or is about to be, registered. */
  public synchronized Set<String> attachedTo() {
    return new TreeSet<>(attached.keySet());
  }

  /** Begins with no more events; does not wait for those in work. */
  public synchronized void leave() {
    ending = true;
    attached.values().forEach(one -> one.book().end());
    notifyAll();
  }

  /**
   * Finishes and reports what is in work, and leaves. Handlers that are still busy after the time
   * of the options are interrupted.
   */
  @Override
  public void close() {
    leave();
    boolean interrupted = false;
    try {
      synchronized (this) {
        if (finder == null) {
          over = true;
        }
        long end = System.nanoTime() + options.leaveWithin().toNanos();
        while (!over) {
          long left = end - System.nanoTime();
          if (left <= 0) {
            break;
          }
          TimeUnit.NANOSECONDS.timedWait(this, left);
        }
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    stop();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop() {
    synchronized (this) {
      attached.values().forEach(one -> one.thread().interrupt());
      if (finder != null) {
        finder.interrupt();
      }
    }
    threads.interrupt();
  }

  // ---- the thread that looks for nodes

  private void lookAndEnd() {
    try {
      while (!awaitEnding()) {
        look();
      }
      for (Attached<S> one : all()) {
        one.thread().join();
      }
      threads.end(options.leaveWithin().toNanos());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      threads.interrupt();
      synchronized (this) {
        over = true;
        notifyAll();
      }
    }
  }

  /** Looks for nodes: registers at new ones, and those known before get their share of the cap. */
  void look() {
    try {
      List<NodePlace> found = nodes.current();
      synchronized (this) {
        attach(found);
      }
    } catch (MillraceException e) {
      // Those known before remain.
      HeldSession.guarded(() -> handler.onProblem("central manager", e));
    }
  }

  /** Waits until it is time to look again, or the end; whether it is the end. */
  private synchronized boolean awaitEnding() throws InterruptedException {
    long end = System.nanoTime() + LOOK_NANOS;
    while (!ending) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  // ---- the thread that watches the deadlines, while others wait for answers

  private void watch() {
    try {
      while (!isOver()) {
        all().forEach(one -> one.book().endOverdue());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the next look is due; whether the worker is over. */
  private synchronized boolean isOver() throws InterruptedException {
    long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS);
    for (long left = WATCH_MILLIS; !over && left > 0; left = millisUntil(due)) {
      wait(left);
    }
    return over;
  }

  private static long millisUntil(long due) {
    return TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime());
  }

  private synchronized List<Attached<S>> all() {
    return new ArrayList<>(attached.values());
  }

  /** Registers at nodes that are new, and follows the others to their addresses. */
  private void attach(List<NodePlace> found) {
    if (ending) {
      return;
    }
    Set<String> names = new TreeSet<>();
    found.forEach(place -> names.add(place.name()));
    listed = names;
    attached.values().removeIf(one -> !one.thread().isAlive());
    for (NodePlace place : found) {
      Attached<S> known = attached.get(place.name());
      if (known != null) {
        known.attachment().at(place);
        continue;
      }
      HeldSessions<S> book =
          new HeldSessions<>(
              handler, threads, nanoTime, options.maxBuffered(), options.grace().toNanos());
      SessionAttachment<S> attachment =
          new SessionAttachment<>(
              options,
              place,
              book,
              nodes,
              nanoTime,
              this::share,
              () -> isListed(place.name()),
              this::leave);
      Thread thread = daemon("session-poll-" + options.queue() + "-" + place.name(), attachment);
      attached.put(place.name(), new Attached<>(attachment, book, thread));
      thread.start();
    }
  }

  private synchronized boolean isListed(String node) {
    return listed.contains(node);
  }

  /** The most sessions of one node, as far as is known now; null for no limit. */
  private synchronized Integer share() {
    return options.cap() == null ? null : Math.max(1, options.cap() / Math.max(1, listed.size()));
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** A registration and what belongs to it. */
  private record Attached<S>(
      SessionAttachment<S> attachment, HeldSessions<S> book, Thread thread) {}
}
