package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.Pure;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentTotals;
import io.millrace.queuenode.store.TransactionalStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * The sessions of one node (M-01..M-18). All changes belong to a transaction of the one writer; a
 * refusal is a {@link io.millrace.api.MillraceException} thrown before anything is changed. Used by
 * the writer's thread, except where a method says otherwise.
 */
public interface SessionStore extends TransactionalStore, AutoCloseable {

  /** Rises each time the store is opened. */
  long term();

  // Slots.

  /** The slots that the node has of a queue, or whose sessions it still holds, ascending. */
  List<HeldSlot> slots(String queue);

  /**
   * Takes slots that the weight row gives to this node, under their epochs; a slot that is held
   * under this epoch already only gets its earlier owners from the row.
   *
   * @param holdUntil monotonic nanoseconds before which nothing of them is assigned: the end of the
   *     earlier owner's lease and of its workers' deadline
   */
  void take(String queue, int version, List<GrantedSlot> slots, long holdUntil);

  /** Refuses puts from now on and revokes the sessions of slots, which are to be given away. */
  Effects seal(String queue, List<Integer> slots);

  /** Serves sealed slots again, as they were not given away. */
  Effects unseal(String queue, List<Integer> slots);

  /**
   * Ends the arrival of what earlier owners held of a sealed slot that has another owner now: what
   * has arrived as a whole is merged, and so are the parts of those from whom no more comes. Parts
   * of others are not sent on, because these send all of it to the new owner themselves.
   *
   * @param undrained the earlier owners that the weight row names
   */
  void endArrivals(String queue, int slot, List<String> undrained);

  /**
   * A part of what a sealed slot holds, from a place on.
   *
   * @param sending the attempt, the same for all parts
   * @param after the {@code next} of the part before; null for the first part
   * @throws io.millrace.api.MillraceException CONFLICT while a worker has a session of it and its
   *     deadline has not passed
   */
  SlotPage export(String queue, int slot, Sending sending, String after);

  /** Removes what a slot holds, which its new owner has stored, if it is still held so. */
  void exported(String queue, int slot, long epoch);

  /**
   * Stores a part of what an earlier owner held; a part that was stored already is ignored. With
   * the last part, the earlier owner is noted as drained: repeated events and completed keys are
   * judged, and its events come before those that were stored here meanwhile.
   */
  Effects take(String queue, SlotPage page);

  // Intake.

  /** Stores events, each for itself. */
  PutAnswer put(SessionPut put);

  // Workers.

  /**
   * Registers a worker. A process that is registered only gets another cap, if it names one.
   *
   * @param version of the queue's definition
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKER for a change of a process that is not
   *     registered; SESSIONS_FULL
   */
  RegistrationOutcome register(
      String queue,
      int version,
      UUID worker,
      WorkerRegistration registration,
      SessionDefinition rules);

  /**
   * Notes what a worker reports, counts as a heartbeat, and delivers events to it. Results of a
   * poll are noted once, however often it is repeated; and whichever of its answers arrives, all of
   * them bring the same events, as its next poll says that they have arrived.
   *
   * @param poll with the number 0 for what goes to a stream, which reports nothing
   * @param number of the answer: what was delivered in the one before has arrived if it is one
   *     more, and is delivered again otherwise. That of the poll, unless the worker has a stream:
   *     then what goes to it and the answers of its polls are counted together
   * @param request that is to be answered, from 1: one that waits for events looks again under its
   *     own
   * @param maxBytes of the data delivered, at least one event
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKER if this process is not registered;
   *     STALE_REQUEST if a later poll of it was answered; INVALID_REQUEST for results that cannot
   *     be true
   */
  Polled poll(
      String queue,
      UUID worker,
      SessionPoll poll,
      long number,
      long request,
      DeliveryRules rules,
      long maxBytes);

  /** Retires a worker that leaves by itself (M-12); false if this process is not registered. */
  Left leave(String queue, UUID worker, UUID incarnation);

  /**
   * Asks a worker to give back its sessions and to end; false if it is not registered.
   *
   * @param by who asks and why, as in {@link #retire}; kept until the store is closed
   */
  boolean askToLeave(String queue, UUID worker, String by);

  /**
   * Retires a worker, as if it were lost; empty if it is not registered.
   *
   * @param by who retires it and why, such as "by ann: it hangs", for its sessions' histories
   */
  Optional<Effects> retire(String queue, UUID worker, String by);

  /**
   * Retires workers that are silent, ends idle sessions, forgets keys, and assigns what waits; to
   * be called several times in each heartbeat, and again at once while {@link Effects#more}.
   *
   * @param rules by queue; empty for a queue that is to be left alone now
   */
  Effects look(Function<String, Optional<DeliveryRules>> rules);

  // Operators.

  /** Does with a session what an operator asks for; UNKNOWN_SESSION if there is none. */
  Effects act(String queue, String key, SessionAction action, String reason);

  /**
   * Sessions in the order of their keys' slots.
   *
   * @param state null for any but COMPLETED
   * @param worker null for any
   * @param after the {@code next} of the page before; null for the first page
   */
  SessionView.SessionPage list(
      String queue, SessionState state, UUID worker, String after, int limit);

  /** A session without its events; UNKNOWN_SESSION if there is none. */
  SessionView view(String queue, String key);

  /**
   * A session with as many of its events as are read with little memory; UNKNOWN_SESSION if there
   * is none.
   */
  SessionDetails show(String queue, String key);

  List<SessionWorkerView> workers(String queue);

  /** Figures of each queue, as of the last commit. Any thread; never blocks. */
  Map<String, QueueFigures> figures();

  /** The queues of which anything is stored. Any thread; never blocks. */
  Set<String> queues();

  /** Removes a queue with all that is stored of it, in steps; whether more is left. */
  boolean remove(String queue, int version);

  /** Bytes on disk. Any thread. */
  long diskBytes();

  @Override
  void close();

  /**
   * Assigns nothing of slots of the node until a time, as workers of an earlier owner may still be
   * at work.
   *
   * @param until nanoseconds of the store's clock
   */
  void hold(String queue, List<Integer> slots, long until);

  /**
   * A slot as the weight row gives it.
   *
   * @param undrained earlier owners that have not said that all of theirs has arrived
   * @param waitForThem whether nothing is assigned until they have
   */
  @Pure
  record GrantedSlot(int slot, long epoch, List<String> undrained, boolean waitForThem) {}

  /**
   * A slot that the node has, or whose sessions it still holds.
   *
   * @param epoch under which it holds it
   * @param sealed whether it is to be given away
   * @param waiting whether nothing is assigned until the events of earlier owners have arrived
   * @param holding whether nothing is assigned as an earlier owner's workers may still be at work
   * @param undrained earlier owners whose events have not arrived
   * @param sessions that are open
   * @param remembered completed keys
   * @param withWorkers sessions of which a worker has not given back or passed its deadline
   */
  @Pure
  record HeldSlot(
      int slot,
      long epoch,
      boolean sealed,
      boolean waiting,
      boolean holding,
      List<String> undrained,
      int sessions,
      int remembered,
      int withWorkers) {}

  /**
   * Events to store.
   *
   * @param events with their keys, in order
   * @param maxEvents the most unfinished events of this node's share of the queue
   * @param maxBytes above so many bytes of kept events no session is opened; 0 for no limit
   * @param slots of the queue's 1000 that this node has, for its share of maxUnassigned
   */
  record SessionPut(
      String queue,
      SessionDefinition rules,
      List<KeyedEvent> events,
      long maxEvents,
      long maxBytes,
      int slots) {}

  /**
   * An event with its key.
   *
   * @param epoch of the key's slot as the sender knows it; 0 for unknown, which is the present one
   */
  record KeyedEvent(NewEvent event, String key, int slot, long epoch) {}

  /**
   * What has become of each event, in order.
   *
   * @param effects to be carried out after the commit
   */
  record PutAnswer(List<PutResult> results, Effects effects) {}

  /**
   * What has become of one event.
   *
   * @param repeated whether it was stored before
   * @param code null if it is stored
   * @param message null if it is stored
   */
  record PutResult(boolean repeated, ErrorCode code, String message) {
    /** Stored now. */
    public static final PutResult STORED = new PutResult(false, null, null);

    /** Stored before. */
    public static final PutResult REPEATED = new PutResult(true, null, null);
  }

  /**
   * How events are delivered.
   *
   * @param deadline how long after its last call a worker may work on, as it is told
   * @param stopped how long after its last call a worker certainly no longer works: the deadline,
   *     or a longer one that it was told under an earlier definition
   * @param maxAttempts failures after which an event is dead
   */
  record DeliveryRules(
      SessionDefinition sessions,
      int batch,
      int maxAttempts,
      Duration deadline,
      Duration stopped) {}

  /**
   * The answer of a poll.
   *
   * @param repeats whether it must not wait for more, as the poll may have been answered before
   * @param effects what is to be done after the commit
   */
  record Polled(PollAnswered answer, boolean repeats, Effects effects) {}

  /** Whether a worker has left, and what is to be done after the commit. */
  record Left(boolean left, Effects effects) {}

  /**
   * What follows from a change.
   *
   * @param wake workers that have something to fetch now, by queue
   * @param retired workers that are registered no more, by queue
   * @param more whether {@link #look} has more to do at once
   */
  record Effects(Map<String, Set<UUID>> wake, Map<String, Set<UUID>> retired, boolean more) {
    /** Nothing. */
    public static final Effects NONE = new Effects(Map.of(), Map.of(), false);

    /** Only that {@link #look} has more to do at once. */
    public static final Effects MORE = new Effects(Map.of(), Map.of(), true);
  }

  /**
   * The figures of one queue.
   *
   * @param totals in the terms of other queues: waiting are those without worker, leased those of
   *     workers' sessions that are not acknowledged
   */
  record QueueFigures(SegmentTotals totals, SessionFigures sessions) {}
}
