package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.BatchCall;
import io.millrace.loadbalancer.forward.ForwardMeters;
import io.millrace.loadbalancer.session.NodeTurn.TurnCalls;
import io.millrace.loadbalancer.session.SessionBodies.ReadBody;
import io.millrace.loadbalancer.session.SessionSettlement.SettlementLimits;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends batches of queues of sessions: each event to the node that has the slot of its key, those
 * of one key in the producer's order (M-01). What a node is not known to have stored is sent to the
 * slot's present owner again, under the same ids, so that nothing is stored twice; for at most 5
 * seconds while the owner is changing or not reached, and at most 25 seconds in all. Thread-safe;
 * blocks.
 */
public final class SessionForwarder implements Service {
  private static final int MAX_THREADS = 64;
  private static final long BYTES_OF_EVENT = 400;
  private static final long MOST_EVENTS = 10_000;

  private final SlotDirectory directory;
  private final TurnCalls calls;
  private final SettlementLimits limits;
  private final ThreadPoolExecutor senders;
  private final Semaphore places;

  /** A forwarder whose threads are named after the balancer. */
  public SessionForwarder(
      String balancer, SlotDirectory directory, BatchCall call, ForwardMeters meters, Clock clock) {
    this(balancer, directory, new TurnCalls(call, meters, clock), SettlementLimits.USUAL);
  }

  SessionForwarder(
      String balancer, SlotDirectory directory, TurnCalls calls, SettlementLimits limits) {
    this.directory = directory;
    this.calls = calls;
    this.limits = limits;
    this.places = new Semaphore(limits.mostWaiting());
    // If all threads are busy, a request sends on its own thread.
    this.senders =
        new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Threads.daemons(balancer + "-sessions"),
            (turn, pool) -> turn.run());
  }

  @Override
  public void start() {
    // Threads are started on demand.
  }

  @Override
  public void stop() {
    senders.shutdownNow();
  }

  /** Whether batches of this queue are to be sent here. Never blocks. */
  public boolean serves(String queue) {
    return directory.ofSessions(queue);
  }

  /** Throws what {@link #forward} would throw before it reads the body. Never blocks. */
  public void check(String queue) {
    directory.of(queue);
  }

  /** Bytes of memory that a body takes beside itself: its events as they are read and sent. */
  public static long memory(long length) {
    return 2 * length + BYTES_OF_EVENT * Math.min(MOST_EVENTS, length / 2 + 1);
  }

  /**
   * Sends a batch.
   *
   * @return what is stored and what is refused
   * @throws MillraceException if the body is refused as a whole, or all of its events for one
   *     reason; NO_SEGMENT if no node has the queue's slots
   */
  public SendAnswer forward(Batch batch) {
    SessionOutcome outcome = new SessionOutcome(batch.queue(), batch.name());
    try {
      settle(batch, 0, outcome);
    } finally {
      count(outcome);
    }
    return outcome.answer();
  }

  /**
   * Sends a part of what a producer sends under one name.
   *
   * @param first the place of the part's first event in the whole
   * @param outcome of the parts before, to which this one's is added
   * @return events of the part
   */
  int settle(Batch part, long first, SessionOutcome outcome) {
    ReadBody body = SessionBodies.read(part, first, directory.of(part.queue()).keyPlace());
    body.refused().forEach(outcome::refuse);
    new SessionSettlement(directory, calls, this::run, places, limits, part, outcome)
        .settle(body.events());
    return body.size();
  }

  /** Counts the refusals of a request, at its end. */
  void count(SessionOutcome outcome) {
    outcome
        .codes()
        .forEach((code, events) -> calls.meters().refused(outcome.queue(), code, events));
  }

  /** Runs the last turn on the caller's thread, and returns when all are over. */
  private void run(Collection<NodeTurn> turns) {
    List<Future<?>> others = new ArrayList<>();
    Iterator<NodeTurn> rest = turns.iterator();
    while (rest.hasNext()) {
      NodeTurn turn = rest.next();
      if (rest.hasNext()) {
        others.add(senders.submit(turn));
      } else {
        turn.run();
      }
    }
    ExecutionException failure = null;
    for (Future<?> other : others) {
      try {
        other.get();
      } catch (ExecutionException e) {
        failure = e;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "this load balancer is stopping, and events may be stored; send the same batch to"
                + " another one",
            e);
      }
    }
    if (failure != null) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "sending failed: " + failure.getCause(), failure);
    }
  }
}
