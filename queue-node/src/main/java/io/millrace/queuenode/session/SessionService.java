package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.segment.SessionSegments;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.Effects;
import io.millrace.queuenode.session.store.SessionStore.Left;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.NewEvent;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The sessions of one node (M-01..M-16): stores events by their keys, and gives them to session
 * workers. Nothing is stored, delivered or accepted outside the node's lease. Every method blocks
 * until the store has answered and throws a {@link MillraceException}, except where it says
 * otherwise. Thread-safe.
 */
public final class SessionService implements SessionSegments {
  private static final int LONGEST_REASON = 1_000;

  private final String node;
  private final SessionStore store;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final KeyedIntake intake;
  private final WorkerPolls polls;
  private final WorkerSignals signals = new WorkerSignals();
  private volatile boolean open = true;
  private volatile Consumer<String> removed = queue -> {};

  /**
   * Sessions over an open store.
   *
   * @param node the node's name
   * @param committer the store's one writer
   * @param notes what is known about the node's segments
   */
  public SessionService(
      String node,
      SessionStore store,
      GroupCommitter<SessionStore> committer,
      NodeLease lease,
      DiskReserve disk,
      SegmentNotes notes,
      Clock clock) {
    this.node = node;
    this.store = store;
    this.rules = new SessionRules(node, clock);
    this.commits = new SessionCommits(committer, lease, signals);
    this.intake = new KeyedIntake(node, rules, commits, disk, notes, clock);
    this.polls = new WorkerPolls(node, rules, commits, signals, clock);
  }

  /** Uses these definitions and weights from now on; never blocks. */
  public void follow(Topology next) {
    rules.follow(next).forEach(signals::ringAll);
    intake.retain(rules.topology()::ofSessions);
  }

  @Override
  public boolean ofSessions(String queue) {
    return rules.topology().ofSessions(queue);
  }

  /** Waits for events in the name of workers. */
  public WorkerPolls polls() {
    return polls;
  }

  /** Who is told of the queues of which something was removed; must not block. */
  void onRemoved(Consumer<String> listener) {
    removed = listener;
  }

  SessionRules rules() {
    return rules;
  }

  SessionCommits commits() {
    return commits;
  }

  /** Events of a queue received since the node was started; never blocks. */
  public long received(String queue) {
    return intake.received(queue);
  }

  @Override
  public SendAnswer put(String queue, String batch, List<NewEvent> events, List<Long> epochs) {
    return intake.put(queue, batch, events, epochs);
  }

  /** Registers a worker (M-05, M-06); a repetition changes only the cap. */
  public WorkerRegistered register(String queue, UUID worker, WorkerRegistration registration) {
    QueueDefinition definition = rules.require(queue);
    int version = rules.topology().versions(queue).inForce();
    RegistrationOutcome outcome =
        commits.within(
            Change.lasting(
                queue,
                s -> s.register(queue, version, worker, registration, definition.sessions())),
            done -> Effects.NONE);
    if (outcome == RegistrationOutcome.REPLACED) {
      // A poll of the process before must not take what is for this one.
      signals.ring(queue, worker);
      commits.carryOut(Effects.MORE);
    }
    DeliveryRules delivery = rules.delivery(definition);
    return new WorkerRegistered(outcome, delivery.sessions().heartbeat(), delivery.deadline());
  }

  /**
   * A worker leaves by itself (M-12).
   *
   * @throws MillraceException UNKNOWN_WORKER if this process is not registered
   */
  public void leave(String queue, UUID worker, UUID incarnation) {
    rules.require(queue);
    Left left =
        commits.within(
            Change.lasting(queue, s -> s.leave(queue, worker, incarnation)), Left::effects);
    if (!left.left()) {
      throw unknown(queue, worker);
    }
    signals.ring(queue, worker);
  }

  /**
   * Retires a worker as if it were lost, or only asks it to leave.
   *
   * @param by the operator, for the histories of its sessions
   * @throws MillraceException UNKNOWN_WORKER if it is not registered
   */
  public void retire(String queue, UUID worker, RetirementRequest request, String by) {
    rules.require(queue);
    String reason = because(by, request.reason());
    boolean known =
        request.ask()
            ? commits.within(
                Change.lasting(queue, s -> s.askToLeave(queue, worker, reason)),
                done -> Effects.NONE)
            : commits
                .within(
                    Change.lasting(queue, s -> s.retire(queue, worker, reason)),
                    done -> done.orElse(Effects.NONE))
                .isPresent();
    if (!known) {
      throw unknown(queue, worker);
    }
    // A waiting poll learns of it.
    signals.ring(queue, worker);
  }

  private MillraceException unknown(String queue, UUID worker) {
    return new MillraceException(
        ErrorCode.UNKNOWN_WORKER,
        "no worker "
            + worker
            + " is registered for the sessions of "
            + queue
            + " at "
            + node
            + "; 'millrace session worker list "
            + queue
            + "' shows those that are");
  }

  /** Workers of a queue at this node. */
  public List<SessionWorkerView> workers(String queue) {
    rules.require(queue);
    return commits.always(Change.of(queue, s -> s.workers(queue)));
  }

  /**
   * Sessions in the order of their keys' slots.
   *
   * @param state null for any but completed ones
   * @param worker null for any
   * @param after where the page before ended; null for the first
   */
  public SessionPage list(String queue, SessionState state, UUID worker, String after, int limit) {
    rules.require(queue);
    SessionPage page =
        commits.always(Change.of(queue, s -> s.list(queue, state, worker, after, limit)));
    return new SessionPage(
        page.sessions().stream().map(one -> shown(queue, one)).toList(), page.next());
  }

  /** One session; UNKNOWN_SESSION if there is none. */
  public SessionDetails show(String queue, String key) {
    rules.require(queue);
    SessionDetails found = commits.always(Change.of(queue, s -> s.show(queue, key)));
    return found.of(shown(queue, found.session()));
  }

  // The store does not know of pauses, during which workers are not started and get nothing.
  private SessionView shown(String queue, SessionView session) {
    boolean forWorker = session.waitsFor() != null && session.waitsFor().startsWith("a worker ");
    return forWorker && rules.topology().consumingPaused(queue)
        ? session.waitingFor("consuming to be resumed")
        : session;
  }

  /**
   * Does with a session what an operator asks for.
   *
   * @param by the operator, for its history
   */
  public SessionActed act(String queue, SessionCommand command, String by) {
    rules.require(queue);
    String reason = because(by, command.reason());
    return commits
        .within(Change.lasting(queue, s -> act(s, queue, command, reason)), Acted::effects)
        .answer();
  }

  private static String because(String by, String reason) {
    return "by " + by + (reason == null ? "" : ": " + recorded(reason));
  }

  private record Acted(SessionActed answer, Effects effects) {}

  private static Acted act(
      SessionStore store, String queue, SessionCommand command, String reason) {
    SessionView before = store.view(queue, command.key());
    if (command.expected() != null && before.state() != command.expected()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the session '%s' is %s, not %s; nothing was changed"
              .formatted(command.key(), name(before.state()), name(command.expected())));
    }
    Effects effects = store.act(queue, command.key(), command.action(), reason);
    SessionView after = null;
    try {
      after = store.view(queue, command.key());
    } catch (MillraceException gone) {
      if (gone.code() != ErrorCode.UNKNOWN_SESSION) {
        throw gone;
      }
    }
    return new Acted(OperatorAnswers.of(command.action(), before, after), effects);
  }

  private static String name(SessionState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** A reason as it is kept and logged: the beginning of a long one. */
  public static String recorded(String reason) {
    return ShownText.of(reason, LONGEST_REASON);
  }

  @Override
  public Map<String, QueueFigures> figures() {
    return store.figures();
  }

  @Override
  public Set<String> queues() {
    return store.queues();
  }

  @Override
  public boolean remove(String queue, int version, boolean discards) {
    // Puts that came before are in the figures after this; later ones are refused by the writer.
    commits.always(Change.lasting(queue, s -> s.queues().contains(queue)));
    boolean more =
        commits.always(
            Change.lasting(queue, s -> isAwaited(s, queue, discards) || s.remove(queue, version)));
    if (!more) {
      polls.forget(queue);
      removed.accept(queue);
    }
    return more;
  }

  private static boolean isAwaited(SessionStore store, String queue, boolean discards) {
    QueueFigures figures = store.figures().get(queue);
    return !discards && figures != null && figures.totals().unfinished() > 0;
  }

  /** How often workers of a queue are to be heard of; never blocks. */
  public Duration heartbeat(String queue) {
    return rules.require(queue).sessions().heartbeat();
  }

  /** Polls in progress that wait, or may wait, for events; never blocks. */
  int waitingPolls() {
    return signals.waiting();
  }

  /** Whether it has not been closed; never blocks. */
  public boolean open() {
    return open;
  }

  /** Ends the waiting of all polls. */
  public void close() {
    open = false;
    signals.close();
    polls.close();
  }
}
