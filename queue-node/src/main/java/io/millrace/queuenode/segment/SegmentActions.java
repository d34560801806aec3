package io.millrace.queuenode.segment;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Operators' actions on the events of one node's segments. Long actions run in steps, between which
 * the store does other work. Every method blocks until the store has answered and throws a {@link
 * MillraceException}. Thread-safe.
 */
public final class SegmentActions {
  private final String node;
  private final GroupCommitter<SegmentStore> committer;
  private final EventSignals signals;
  private final Consumer<String> requireKnown;
  private final Consumer<String> requireSingleEvents;
  private final Consumer<String> requirePurgeable;
  private final Clock clock;

  SegmentActions(
      String node,
      GroupCommitter<SegmentStore> committer,
      EventSignals signals,
      Consumer<String> requireKnown,
      Consumer<String> requireSingleEvents,
      Consumer<String> requirePurgeable,
      Clock clock) {
    this.node = node;
    this.committer = committer;
    this.signals = signals;
    this.requireKnown = requireKnown;
    this.requireSingleEvents = requireSingleEvents;
    this.requirePurgeable = requirePurgeable;
    this.clock = clock;
  }

  /**
   * Unfinished events of a queue, without leasing them. Data that do not fit into an answer are
   * omitted, and fewer events are returned than requested if they are very large.
   */
  public List<PeekedEvent> peek(String queue, EventState state, int limit) {
    requireSingleEvents.accept(queue);
    long now = clock.now().toEpochMilli();
    AnswerSize size = new AnswerSize();
    return SegmentResponses.of(committer.submit(Change.of(queue, s -> s.peek(queue, state, limit))))
        .stream()
        .map(
            peeked ->
                size.add(peeked.event(), null)
                    ? SegmentResponses.peeked(queue, node, peeked, now)
                    : SegmentResponses.withoutData(queue, node, peeked, now))
        .toList();
  }

  /**
   * Dead letters of a queue, newest first.
   *
   * @param before only those older than the one with this number
   */
  public DeadPage dead(String queue, long before, int limit) {
    requireKnown.accept(queue);
    List<DeadRecord> records =
        SegmentResponses.of(committer.submit(Change.of(queue, s -> s.dead(queue, before, limit))));
    AnswerSize size = new AnswerSize();
    List<DeadEvent> shown = new ArrayList<>();
    for (DeadRecord dead : records) {
      if (!size.add(dead.event(), dead.reason())) {
        return new DeadPage(shown, OptionalLong.of(records.get(shown.size() - 1).seq()));
      }
      shown.add(SegmentResponses.dead(queue, node, dead));
    }
    return new DeadPage(shown, OptionalLong.empty());
  }

  /**
   * Dead letters of one answer.
   *
   * @param events at least one, if there are any
   * @param next the number before which the list continues if the answer had no room for all that
   *     were requested
   */
  public record DeadPage(List<DeadEvent> events, OptionalLong next) {}

  /** Requeues the selected dead letters. */
  public QueueActionAnswer requeue(String queue, DeadSelection selection) {
    requireKnown.accept(queue);
    ChosenDead chosen = ChosenDead.of(node, selection, clock.now());
    return answer(
        swept(
            queue,
            chosen.max(),
            (store, sweep, max) -> store.requeueDead(queue, chosen.choice(), sweep, max),
            step -> signals.ring(queue, step.events())));
  }

  /**
   * Requeues a dead letter with the data of another event.
   *
   * @throws MillraceException UNKNOWN_DEAD_LETTER if this node has none of that handle
   */
  public ChangedDeadEvent requeueChanged(String queue, String handle, NewEvent changed) {
    requireKnown.accept(queue);
    if (!ChosenDead.named(handle).equals(node)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_DEAD_LETTER, "dead letter " + handle + " is not on node " + node);
    }
    long seq = ChosenDead.number(handle);
    byte[] data = changed.data();
    DeadRecord original;
    try {
      original =
          SegmentResponses.of(
              committer.submit(
                  new Change<>(
                      queue,
                      changed.bytes(),
                      true,
                      store -> store.requeueChanged(queue, seq, data))));
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.UNKNOWN_DEAD_LETTER ? requeuedOrDropped(queue, handle, e) : e;
    }
    signals.ring(queue, 1);
    return new ChangedDeadEvent(
        SegmentResponses.dead(queue, node, original), SegmentResponses.data(changed));
  }

  /** The store knows no handles. */
  private static MillraceException requeuedOrDropped(
      String queue, String handle, MillraceException cause) {
    return new MillraceException(
        cause.code(),
        "queue %s has no dead letter %s; it was requeued or dropped".formatted(queue, handle),
        cause);
  }

  /** Deletes the selected dead letters. */
  public QueueActionAnswer drop(String queue, DeadSelection selection) {
    requireKnown.accept(queue);
    ChosenDead chosen = ChosenDead.of(node, selection, clock.now());
    return answer(
        swept(
            queue,
            chosen.max(),
            (store, sweep, max) -> store.dropDead(queue, chosen.choice(), sweep, max),
            step -> {}));
  }

  /** Deletes events that are not leased. */
  public QueueActionAnswer purge(String queue, PurgeRequest request) {
    requirePurgeable.accept(queue);
    if (!queue.equals(request.confirm())) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "purging deletes events permanently: give the queue's name '" + queue + "' as confirm");
    }
    if (!request.waiting() && !request.delayed() && !request.dead()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "nothing to purge: set waiting, delayed or dead to true");
    }
    // Delayed ones first: those that become ready in the meantime are then purged with the waiting
    // ones.
    long events = request.delayed() ? purge(queue, EventState.DELAYED) : 0;
    events += request.waiting() ? purge(queue, EventState.READY) : 0;
    events += request.dead() ? purge(queue, EventState.DEAD) : 0;
    return answer(events);
  }

  private long purge(String queue, EventState state) {
    return swept(
        queue, Long.MAX_VALUE, (store, sweep, max) -> store.purge(queue, state, sweep), step -> {});
  }

  private interface Action {
    SweepStep step(SegmentStore store, SegmentSweep sweep, long max);
  }

  private long swept(String queue, long max, Action action, Consumer<SweepStep> afterwards) {
    long events = 0;
    Optional<SegmentSweep> rest = Optional.of(SegmentSweep.ALL);
    while (rest.isPresent() && events < max) {
      SegmentSweep sweep = rest.get();
      long left = max - events;
      SweepStep step =
          SegmentResponses.of(
              committer.submit(Change.lasting(queue, store -> action.step(store, sweep, left))));
      afterwards.accept(step);
      events += step.events();
      rest = step.rest();
    }
    return events;
  }

  private static QueueActionAnswer answer(long events) {
    return new QueueActionAnswer(events, List.of());
  }

  /**
   * A selection of dead letters for one node's store. Pure.
   *
   * @param choice which of this node's
   * @param max the maximum number to select
   */
  private record ChosenDead(DeadChoice choice, long max) {
    /**
     * Reads a selection; handles of other nodes select nothing.
     *
     * @throws MillraceException INVALID_REQUEST for one without a condition and without {@code all}
     */
    static ChosenDead of(String node, DeadSelection selection, Instant now) {
      if (selection.unbounded() && !selection.all()) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "no condition given: set handles, ids, reasonContains or olderThan, or all=true"
                + " for every dead letter of the queue");
      }
      if (selection.max() != null && selection.max() < 1) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "max must be at least 1; omit it for all");
      }
      return new ChosenDead(
          new DeadChoice(
              selection.handles() == null ? null : numbers(node, selection.handles()),
              selection.ids() == null ? null : Set.copyOf(selection.ids()),
              selection.reasonContains(),
              selection.olderThan() == null ? null : now.minus(selection.olderThan())),
          selection.max() == null ? Long.MAX_VALUE : selection.max());
    }

    private static Set<Long> numbers(String node, List<String> handles) {
      return handles.stream()
          .filter(handle -> named(handle).equals(node))
          .map(handle -> number(handle))
          .collect(Collectors.toUnmodifiableSet());
    }

    private static String named(String handle) {
      int mark = handle.lastIndexOf(SegmentResponses.HANDLE_MARK);
      if (mark < 1) {
        throw notAHandle(handle, null);
      }
      return handle.substring(0, mark);
    }

    private static long number(String handle) {
      try {
        return Long.parseLong(
            handle.substring(handle.lastIndexOf(SegmentResponses.HANDLE_MARK) + 1));
      } catch (NumberFormatException e) {
        throw notAHandle(handle, e);
      }
    }

    private static MillraceException notAHandle(String handle, Exception cause) {
      return new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "'"
              + handle
              + "' is not the handle of a dead letter; use a handle from the list of dead letters",
          cause);
    }
  }
}
