package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.session.store.SessionAssignment.End;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionWorker.Employment;
import io.millrace.queuenode.store.StoreFolder;
import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Sessions in an append-only log with an index in memory (M-13): some hundred bytes for each open
 * session and twelve for each of its events, whatever their size. A commit is one write, a force
 * one fsync.
 */
public final class LogSessionStore implements SessionStore {
  private final String node;
  private final SessionLog log;
  private final SessionBook book;
  private final SessionChanges changes;
  private final SlotChanges slots;
  private final SlotMoves moves;
  private final SlotImports imports;
  private final Assigning assigning;
  private final RememberedKeys keys;
  private final SessionIntake intake;
  private final SessionPolls polls;
  private final SessionUpkeep upkeep;
  private final SessionViews views;

  private LogSessionStore(SessionLog log, String node) {
    this.node = node;
    this.log = log;
    this.changes = log.changes();
    this.slots = log.slots();
    this.book = changes.book();
    this.assigning = new Assigning(changes);
    this.keys = new RememberedKeys(changes, log.rows());
    this.imports = new SlotImports(changes, slots, log.rows(), keys, node);
    this.moves = new SlotMoves(changes, slots, imports, keys);
    this.intake = new SessionIntake(changes, keys, assigning);
    this.polls =
        new SessionPolls(
            changes, log.rows(), new SessionResults(changes, keys, assigning), assigning);
    this.upkeep = new SessionUpkeep(changes, moves, imports, keys, assigning);
    this.views = new SessionViews(changes, log.rows(), keys, node);
  }

  /**
   * Opens the store in the folder, or creates an empty one. Blocks.
   *
   * @param node this node's name, under which it gives slots away
   * @throws MillraceException STORE_FAILURE if another process has it open, or if it cannot be read
   *     or is damaged; its files are not changed
   */
  public static SessionStore open(Path folder, String node, Clock clock) {
    Path absolute = folder.toAbsolutePath();
    return open(new ChannelDisk(), LogSettings.in(absolute), node, clock);
  }

  static LogSessionStore open(Disk disk, LogSettings settings, String node, Clock clock) {
    StoreFolder held = StoreFolder.lock(settings.folder());
    try {
      SessionLog log = SessionLog.open(held, disk, settings, clock);
      return new LogSessionStore(log, node);
    } catch (IOException e) {
      MillraceException failure =
          new MillraceException(
              ErrorCode.STORE_FAILURE,
              "the sessions in " + settings.folder() + " cannot be read: " + e + "; check the disk",
              e);
      held.close();
      throw failure;
    } catch (RuntimeException e) {
      held.close();
      throw e;
    }
  }

  SessionBook book() {
    return book;
  }

  @Override
  public long term() {
    return book.term();
  }

  private QueueSessions queueOrNew(String name, int version) {
    QueueSessions queue = book.queue(name);
    if (queue == null) {
      queue = changes.addQueue(name, book.lastNumber() + 1, version);
    }
    book.touch(queue);
    return queue;
  }

  private QueueSessions known(String name) {
    QueueSessions queue = book.queue(name);
    if (queue == null) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_QUEUE, "this node has no sessions of the queue '" + name + "'");
    }
    book.touch(queue);
    return queue;
  }

  @Override
  public List<HeldSlot> slots(String queue) {
    return book.queue(queue) == null ? List.of() : moves.held(book.queue(queue));
  }

  @Override
  public void take(String queue, int version, List<GrantedSlot> granted, long holdUntil) {
    if (!granted.isEmpty()) {
      Wakes wakes = new Wakes();
      QueueSessions found = queueOrNew(queue, version);
      found.useVersion(version);
      moves.take(found, granted, holdUntil, wakes);
    }
  }

  @Override
  public void hold(String queue, List<Integer> numbers, long until) {
    moves.hold(known(queue), numbers, until);
  }

  @Override
  public Effects seal(String queue, List<Integer> numbers) {
    Wakes wakes = new Wakes();
    moves.seal(known(queue), numbers, wakes);
    return wakes.effects();
  }

  @Override
  public Effects unseal(String queue, List<Integer> numbers) {
    Wakes wakes = new Wakes();
    QueueSessions found = known(queue);
    moves.unseal(found, numbers, wakes);
    assigning.assign(found, wakes);
    return wakes.effects();
  }

  @Override
  public void endArrivals(String queue, int slot, List<String> undrained) {
    moves.endArrivals(known(queue), slot, undrained);
  }

  @Override
  public SlotPage export(String queue, int slot, Sending sending, String after) {
    SlotSessions exported = moves.exportable(known(queue), slot);
    return new SlotExport(log.rows(), exported, node, sending).page(after);
  }

  @Override
  public void exported(String queue, int slot, long epoch) {
    if (book.queue(queue) != null) {
      moves.exported(known(queue), slot, epoch);
    }
  }

  @Override
  public Effects take(String queue, SlotPage page) {
    QueueSessions found = known(queue);
    SlotSessions slot = found.anySlot(page.slot());
    Wakes wakes = new Wakes();
    imports.store(slot, page, wakes);
    assigning.assign(found, wakes);
    return wakes.effects();
  }

  @Override
  public PutAnswer put(SessionPut put) {
    QueueSessions queue = book.queue(put.queue());
    if (queue == null) {
      return SessionIntake.withoutSlots(put);
    }
    book.touch(queue);
    return intake.put(queue, put);
  }

  @Override
  public RegistrationOutcome register(
      String name, int version, UUID id, WorkerRegistration registration, SessionDefinition rules) {
    if (registration.change() && employed(name, id, registration.incarnation()) == null) {
      throw unknown(name, id);
    }
    // What may be of a deleted definition stays so: it is removed with this worker.
    QueueSessions queue = queueOrNew(name, version);
    SessionAssignment assignment = queue.assignment();
    assignment.use(rules);
    SessionWorker known = assignment.worker(id);
    boolean employed = known != null && known.employed();
    int cap = registration.cap() == null ? Integer.MAX_VALUE : Math.max(1, registration.cap());
    if (employed && known.employment().incarnation().equals(registration.incarnation())) {
      if (known.employment().cap() != cap) {
        changes.setCap(queue, known, cap);
      }
      if (known.state() != SessionWorkerState.REGISTERED) {
        // An answered call, after which it works on for the deadline.
        assignment.heartbeat(known, changes.nanos());
      }
      return RegistrationOutcome.REPEATED;
    }
    if (employed) {
      String why = "another process of its worker registered";
      changes.retire(queue, known, End.LOST, why, changes.nanos());
    } else if (assignment.isFull()) {
      throw new MillraceException(
          ErrorCode.SESSIONS_FULL,
          "%d workers are registered for the sessions of %s at %s, which is the most; let fewer take more sessions each"
              .formatted(SessionAssignment.MOST_WORKERS, name, node));
    }
    if (assignment.hasManyRetired()) {
      assignment.retiredLongAgo(changes.nanos()).forEach(retired -> changes.forget(queue, retired));
    }
    Employment employment =
        new Employment(
            id, registration.incarnation(), cap, registration.name(), registration.job());
    changes.register(queue, employment, assignment.nextOrder(), changes.nanos());
    return employed ? RegistrationOutcome.REPLACED : RegistrationOutcome.EMPLOYED;
  }

  private SessionWorker employed(String name, UUID id, UUID incarnation) {
    QueueSessions queue = book.queue(name);
    SessionWorker worker = queue == null ? null : queue.assignment().worker(id);
    boolean present =
        worker != null
            && worker.employed()
            && (incarnation == null || worker.employment().incarnation().equals(incarnation));
    return present ? worker : null;
  }

  private static MillraceException unknown(String name, UUID id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_WORKER,
        "this process of the worker "
            + id
            + " is not registered for sessions of '"
            + name
            + "' on this node; it has lost its sessions, and must register again");
  }

  @Override
  public Polled poll(
      String name,
      UUID id,
      SessionPoll poll,
      long number,
      long request,
      DeliveryRules rules,
      long maxBytes) {
    SessionWorker worker =
        poll.incarnation() == null ? null : employed(name, id, poll.incarnation());
    if (worker == null) {
      throw unknown(name, id);
    }
    return polls.poll(known(name), worker, poll, number, request, rules, maxBytes);
  }

  @Override
  public Left leave(String name, UUID id, UUID incarnation) {
    SessionWorker worker = incarnation == null ? null : employed(name, id, incarnation);
    if (worker == null) {
      return new Left(false, Effects.NONE);
    }
    String why = worker.whyItLeaves("its worker left");
    return new Left(true, retire(known(name), worker, End.LEFT, why));
  }

  private Effects retire(QueueSessions queue, SessionWorker worker, End end, String why) {
    changes.retire(queue, worker, end, why, changes.nanos());
    Wakes wakes = new Wakes();
    wakes.retired(queue, worker);
    if (keys.endDue(queue)) {
      wakes.more();
    }
    assigning.assign(queue, wakes);
    return wakes.effects();
  }

  @Override
  public boolean askToLeave(String name, UUID id, String by) {
    SessionWorker worker = employed(name, id, null);
    if (worker != null && !worker.leaving()) {
      changes.askToLeave(known(name), worker, by);
    }
    return worker != null;
  }

  @Override
  public Optional<Effects> retire(String name, UUID id, String by) {
    SessionWorker worker = employed(name, id, null);
    String why = "its worker was retired " + by;
    return worker == null
        ? Optional.empty()
        : Optional.of(retire(known(name), worker, End.LOST, why));
  }

  @Override
  public Effects look(Function<String, Optional<DeliveryRules>> rules) {
    Wakes wakes = new Wakes();
    for (QueueSessions queue : book.queues()) {
      rules
          .apply(queue.name())
          .ifPresent(
              delivery -> {
                queue.use(delivery);
                upkeep.look(queue, wakes);
              });
    }
    return wakes.effects();
  }

  @Override
  public Effects act(String name, String key, SessionAction action, String reason) {
    QueueSessions queue = book.queue(name);
    SlotSessions slot = views.slot(queue, key);
    if (slot.sealed()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the slot of the session '" + key + "' is being given to another node; try again there");
    }
    Session session = slot.sessions().get(key);
    if (session == null) {
      RememberedRow row = views.remembered(slot, key);
      if (action != SessionAction.DROP) {
        throw views.hasEnded(queue, row);
      }
      keys.forget(slot, key);
      changes.history().noteDropped(queue, row, changes.now(), reason);
      return Effects.NONE;
    }
    book.touch(queue);
    Wakes wakes = new Wakes();
    switch (action) {
      case MOVE -> move(session, reason, wakes);
      case CLOSE -> end(session, SessionEnding.CLOSED, reason, wakes);
      case DROP -> end(session, SessionEnding.DROPPED, reason, wakes);
    }
    assigning.assign(queue, wakes);
    return wakes.effects();
  }

  private void end(Session session, SessionEnding how, String reason, Wakes wakes) {
    changes.history().note(session, changes.now(), how.name(), session.worker(), reason);
    keys.end(session, how, wakes);
  }

  private void move(Session session, String reason, Wakes wakes) {
    SessionWorker worker = session.worker();
    if (session.ending() != null) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the session '" + session.key() + "' ends as soon as its worker has given it back");
    }
    if (session.parked() != null) {
      changes.setAttempts(session, 0, 0);
      changes.park(session, null);
      changes.history().note(session, changes.now(), "RESUMED", null, reason);
    } else if (worker != null && !session.revoked()) {
      changes.history().note(session, changes.now(), "REVOKED", worker, reason);
      changes.revoke(session, "moved by an operator");
      wakes.add(session.queue(), worker);
    }
  }

  @Override
  public SessionPage list(String queue, SessionState state, UUID worker, String after, int limit) {
    QueueSessions found = book.queue(queue);
    return found == null
        ? new SessionPage(List.of(), null)
        : views.list(found, state, worker, after, limit);
  }

  @Override
  public SessionView view(String queue, String key) {
    return views.view(book.queue(queue), key);
  }

  @Override
  public SessionDetails show(String queue, String key) {
    return views.show(book.queue(queue), key);
  }

  @Override
  public List<SessionWorkerView> workers(String queue) {
    QueueSessions found = book.queue(queue);
    return found == null ? List.of() : views.workers(found);
  }

  @Override
  public Map<String, QueueFigures> figures() {
    return log.figures();
  }

  @Override
  public Set<String> queues() {
    return log.figures().keySet();
  }

  @Override
  public boolean remove(String name, int version) {
    QueueSessions queue = book.queue(name);
    if (queue == null || queue.highestVersion() > version) {
      return false;
    }
    book.touch(queue);
    List<SlotSessions> some = new ArrayList<>();
    queue.forEachSlot(
        slot -> {
          if (!slot.isEmpty()) {
            some.add(slot);
          }
        });
    int removed = 0;
    for (SlotSessions slot : some) {
      removed += 1 + slot.sessions().size() + slot.remembered().size();
      slots.empty(slot);
      if (removed > 10_000) {
        return true;
      }
    }
    changes.removeQueue(queue);
    return false;
  }

  @Override
  public long diskBytes() {
    return log.diskBytes();
  }

  @Override
  public void commit() {
    log.commit();
  }

  @Override
  public void rollback() {
    log.rollback();
  }

  @Override
  public void force() {
    log.force();
  }

  @Override
  public void close() {
    log.close();
  }
}
