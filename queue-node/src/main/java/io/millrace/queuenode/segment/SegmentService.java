package io.millrace.queuenode.segment;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.segment.EventSignals.EventSignal;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentTotals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * The segments of one node: stores events, leases them and records their end. Every method blocks
 * until the store has answered and throws a {@link MillraceException}. Thread-safe.
 */
public final class SegmentService {
  /** The longest wait for a first event. */
  public static final Duration LONGEST_PATIENCE = Duration.ofSeconds(20);

  /** Threads that write the answers of waiting callers. */
  private static final int ANSWERERS = 2;

  private static final long LEASE_BYTES = 8L << 20;
  private static final int KEPT_REASON = 2_000;
  // For a queue that was deleted while it contained events.
  private static final QueueRules RULES_WITHOUT_DEFINITION =
      QueueRules.of(new DeliveryLimits(5, 25));
  private static final Duration LEASE_WITHOUT_DEFINITION = Duration.ofSeconds(30);

  private final String node;
  private final SegmentStore store;
  private final GroupCommitter<SegmentStore> committer;
  private final DiskReserve disk;
  private final Clock clock;
  private final SegmentNotes notes;
  private final SessionSegments sessions;
  private final EventSignals signals = new EventSignals();
  private final SegmentActions actions;
  private final SegmentDeletions deletions;
  private final ExecutorService answerers;
  private volatile FollowedTopology topology;

  /**
   * Segments over an open store.
   *
   * @param node the node's name
   * @param committer the store's one writer
   * @param notes what is known about its segments
   */
  public SegmentService(
      String node,
      SegmentStore store,
      GroupCommitter<SegmentStore> committer,
      DiskReserve disk,
      SegmentNotes notes,
      Clock clock) {
    this(node, store, committer, disk, notes, SessionSegments.NONE, clock);
  }

  /** The same on a node with queues of sessions, whose events are stored elsewhere. */
  public SegmentService(
      String node,
      SegmentStore store,
      GroupCommitter<SegmentStore> committer,
      DiskReserve disk,
      SegmentNotes notes,
      SessionSegments sessions,
      Clock clock) {
    this.sessions = sessions;
    this.node = node;
    this.store = store;
    this.committer = committer;
    this.disk = disk;
    this.notes = notes;
    this.clock = clock;
    this.topology = FollowedTopology.none(node);
    this.answerers = Executors.newFixedThreadPool(ANSWERERS, Threads.daemons(node + "-answerer"));
    this.actions =
        new SegmentActions(
            node,
            committer,
            signals,
            this::requireKnown,
            this::requireSingleEvents,
            this::requirePurgeable,
            clock);
    this.deletions = new SegmentDeletions(node, committer, this::held, sessions);
  }

  /** Removes the segments of deleted queues. */
  public SegmentDeletions deletions() {
    return deletions;
  }

  /** Operators' actions on the events of these segments. */
  public SegmentActions actions() {
    return actions;
  }

  /** Uses these definitions and weights from now on; never blocks. */
  public void follow(Topology next) {
    FollowedTopology before = topology;
    topology = FollowedTopology.of(node, next);
    deletions.follow(next.deletions());
    // Callers waiting for a resumed queue check again.
    before.resumedIn(topology).forEach(signals::ringAll);
  }

  /**
   * Stores a batch once, however often it is sent. Its name is looked up before anything else: a
   * batch that is stored is answered as stored, whatever the state of the segment, so that a
   * repetition is neither refused nor stored at another node as well.
   *
   * @throws MillraceException also NO_SEGMENT, QUEUE_PAUSED, QUEUE_DELETING, QUEUE_FULL,
   *     RATE_LIMITED, DISK_FULL and UNKNOWN_QUEUE, which all say that the name is not known here,
   *     CONFLICT, and UNAVAILABLE, which says that nothing of this request was stored, but not that
   *     the name is not known
   */
  public SendAnswer put(String queue, String batch, List<NewEvent> events) {
    PutOutcome outcome = storedOrPut(queue, batch, events);
    return new SendAnswer(queue, batch, outcome.accepted(), outcome.repeated(), node);
  }

  private PutOutcome storedOrPut(String queue, String batch, List<NewEvent> events) {
    CompletableFuture<PutOutcome> put;
    try {
      PutOrder order = admitted(queue, batch, events);
      put = committer.submit(Change.put(order));
    } catch (MillraceException refusal) {
      // The store, which checks the name first, was not called.
      return stored(new BatchLookup(queue, batch, events.size()), refusal)
          .orElseThrow(() -> refusal);
    }
    return SegmentResponses.of(put.whenComplete((done, failure) -> ringFor(queue, done)));
  }

  private PutOrder admitted(String queue, String batch, List<NewEvent> events) {
    FollowedTopology now = topology;
    QueueDefinition definition = now.require(queue);
    now.requireKept(queue);
    now.requireWeight(queue);
    now.requireSending(queue);
    requireUntroubled(queue);
    PutOrder order =
        new PutOrder(
            queue, batch, events, PutLimits.of(definition, now.weight(queue)), now.versions(queue));
    disk.require(order.bytes());
    return order;
  }

  /**
   * What was stored under the batch's name and is on disk; empty when the name is not known. The
   * lookup waits behind the puts that came before it, one of which may be of the same name, but at
   * most for the put timeout, so that a stalled store does not hold the caller's thread. Figures do
   * not show that a queue has no names, because its first put may still be pending. Only a queue
   * that has neither a definition nor figures is not looked up.
   *
   * @throws MillraceException UNAVAILABLE if the store has not answered within that time, whatever
   *     the refusal of the put was: any other code would mean that the name is unknown here
   */
  private Optional<PutOutcome> stored(BatchLookup lookup, MillraceException refusal) {
    String queue = lookup.queue();
    if (topology.definition(queue).isEmpty() && !store.totals().containsKey(queue)) {
      return Optional.empty();
    }
    CompletableFuture<Optional<PutOutcome>> known =
        committer
            .submit(Change.of(queue, s -> s.stored(lookup)))
            .thenCompose(
                found ->
                    // Only a known name waits for the disk, like the put that it repeats.
                    found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : committer.submit(Change.lasting(queue, s -> s.stored(lookup))));
    return SegmentResponses.within(
        committer.putTimeout(), known, () -> notLookedUp(lookup, refusal));
  }

  private MillraceException notLookedUp(BatchLookup lookup, MillraceException refusal) {
    return new MillraceException(
        ErrorCode.UNAVAILABLE,
        node
            + " stores no events of this request ("
            + refusal.getMessage()
            + "); whether batch "
            + lookup.batch()
            + " was stored earlier is unknown, as the store did not answer within "
            + Durations.format(committer.putTimeout())
            + ": send it again under the same name",
        refusal);
  }

  private void requireUntroubled(String queue) {
    notes
        .trouble(queue)
        .ifPresent(
            trouble -> {
              throw new MillraceException(
                  ErrorCode.UNAVAILABLE,
                  node
                      + " accepts no events of "
                      + queue
                      + " now: "
                      + trouble
                      + "; send through a load balancer, which knows other nodes");
            });
  }

  private void ringFor(String queue, PutOutcome outcome) {
    if (outcome != null && !outcome.repeated()) {
      signals.ring(queue, outcome.accepted());
    }
  }

  /**
   * Leases events, waiting for a first one up to the request's patience; none while consuming is
   * paused.
   */
  public StoredLease lease(String queue, LeaseRequest request) {
    LeaseOrder order = order(queue, request);
    return new StoredLease(
        queue, SegmentResponses.of(leaseUntil(order, deadline(request))), order.lease());
  }

  /**
   * The same without a waiting thread: the future is completed on one of this node's threads for
   * answers, possibly with a {@link MillraceException}.
   */
  public CompletableFuture<StoredLease> leaseLater(String queue, LeaseRequest request) {
    LeaseOrder order = order(queue, request);
    return leaseUntil(order, deadline(request))
        .thenApplyAsync(events -> new StoredLease(queue, events, order.lease()), this::answer);
  }

  /** The number of callers that wait for a first event of a queue. */
  public int waiting(String queue) {
    return signals.of(queue).waiting();
  }

  private void answer(Runnable task) {
    try {
      answerers.execute(task);
    } catch (RejectedExecutionException stopped) {
      // The node is stopping: late callers are answered by the completing thread.
      task.run();
    }
  }

  private LeaseOrder order(String queue, LeaseRequest request) {
    requireSingleEvents(queue);
    return new LeaseOrder(queue, request.max(), LEASE_BYTES, leaseOf(queue, request.lease()));
  }

  private long deadline(LeaseRequest request) {
    return clock.nanoTime() + patience(request).toNanos();
  }

  private CompletableFuture<List<LeasedEvent>> leaseUntil(LeaseOrder order, long deadline) {
    EventSignal signal = signals.of(order.queue());
    long seen = signal.rings();
    return leaseNow(order)
        .thenCompose(
            events ->
                events.isEmpty()
                    ? awaitAndLease(order, signal, seen, deadline)
                    : CompletableFuture.completedFuture(events));
  }

  private CompletableFuture<List<LeasedEvent>> awaitAndLease(
      LeaseOrder order, EventSignal signal, long seen, long deadline) {
    return signal
        .await(seen, Duration.ofNanos(deadline - clock.nanoTime()))
        .thenCompose(
            rung ->
                rung ? leaseUntil(order, deadline) : CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<List<LeasedEvent>> leaseNow(LeaseOrder order) {
    return topology.consumingPaused(order.queue())
        ? CompletableFuture.completedFuture(List.of())
        : committer.submit(Change.of(order.queue(), s -> s.lease(order)));
  }

  private Duration leaseOf(String queue, Duration asked) {
    return asked != null
        ? asked
        : topology.definition(queue).map(QueueDefinition::lease).orElse(LEASE_WITHOUT_DEFINITION);
  }

  /** A queue that was deleted while it contained events is still delivered. */
  private void requireKnown(String queue) {
    if (!store.totals().containsKey(queue)) {
      topology.require(queue);
    }
  }

  /** The events of sessions are delivered to session workers only. */
  private void requireSingleEvents(String queue) {
    requireKnown(queue);
    if (topology.ofSessions(queue)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the events of queue "
              + queue
              + " belong to sessions and cannot be taken singly: register a session worker ('PUT"
              + " /v1/queues/"
              + queue
              + "/session-workers/ID'), and look at them with 'millrace session list "
              + queue
              + "'");
    }
  }

  private void requirePurgeable(String queue) {
    requireKnown(queue);
    if (topology.ofSessions(queue)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "queue %1$s has sessions and cannot be purged; 'millrace session drop %1$s KEY' deletes one"
              .formatted(queue));
    }
  }

  private Set<String> held() {
    Set<String> held = new TreeSet<>(store.totals().keySet());
    held.addAll(sessions.queues());
    return held;
  }

  private static Duration patience(LeaseRequest request) {
    if (request.patience() == null) {
      return Duration.ZERO;
    }
    return request.patience().compareTo(LONGEST_PATIENCE) < 0
        ? request.patience()
        : LONGEST_PATIENCE;
  }

  /** Acknowledges the events of these receipts. */
  public ReceiptAnswer acknowledge(String queue, List<Receipt> receipts) {
    requireSingleEvents(queue);
    return SegmentResponses.receipts(
        SegmentResponses.of(
            committer.submit(Change.of(queue, s -> s.acknowledge(queue, receipts)))));
  }

  /** Returns events. */
  public ReceiptAnswer refuse(String queue, List<Receipt> receipts, Refusal refusal) {
    requireSingleEvents(queue);
    RefuseOrder order =
        new RefuseOrder(
            queue,
            receipts,
            charged(queue, refusal.kind()),
            refusal.delay() == null ? Duration.ZERO : refusal.delay(),
            cut(refusal.reason()),
            rules(queue).limits());
    ReceiptOutcome outcome =
        SegmentResponses.of(committer.submit(Change.of(queue, s -> s.refuse(order))));
    signals.ring(queue, outcome.ready());
    return SegmentResponses.receipts(outcome);
  }

  private RefusalKind charged(String queue, RefusalKind kind) {
    boolean excused = kind == RefusalKind.FAILED && topology.broken(queue);
    return excused ? RefusalKind.EXCUSED : kind;
  }

  private static String cut(String reason) {
    return reason == null || reason.length() <= KEPT_REASON
        ? reason
        : reason.substring(0, KEPT_REASON);
  }

  private QueueRules rules(String queue) {
    return topology.definition(queue).map(QueueRules::of).orElse(RULES_WITHOUT_DEFINITION);
  }

  /** Extends leases to the given time from now; null for the queue's lease. */
  public ReceiptAnswer extend(String queue, List<Receipt> receipts, Duration asked) {
    requireSingleEvents(queue);
    Duration lease = leaseOf(queue, asked);
    return SegmentResponses.receipts(
        SegmentResponses.of(
            committer.submit(Change.of(queue, s -> s.extend(queue, receipts, lease)))));
  }

  /**
   * Ends leases and delays that are due, and events older than their queue's retention; called
   * periodically by the node.
   */
  public void expire() {
    while (store.due(this::rules)) {
      Map<String, Integer> ready =
          SegmentResponses.of(committer.submit(Change.of(s -> s.expire(this::rules))));
      ready.forEach(signals::ring);
    }
  }

  /** Figures of every segment with weight or events, now or once; never blocks. */
  public List<SegmentFigures> figures() {
    FollowedTopology now = topology;
    Map<String, SegmentTotals> totals = store.totals();
    Map<String, QueueFigures> ofSessions = sessions.figures();
    Set<String> queues = new TreeSet<>(totals.keySet());
    queues.addAll(ofSessions.keySet());
    queues.addAll(now.weighted());
    return queues.stream()
        .map(queue -> figures(queue, now, totals.get(queue), ofSessions.get(queue)))
        .toList();
  }

  /**
   * Figures of one segment; never blocks.
   *
   * @throws MillraceException UNKNOWN_SEGMENT if this node neither has nor had a segment of that
   *     queue
   */
  public SegmentFigures figures(String queue) {
    FollowedTopology now = topology;
    SegmentTotals totals = store.totals().get(queue);
    QueueFigures ofSessions = sessions.figures().get(queue);
    if (totals == null && ofSessions == null && now.weight(queue) == 0) {
      now.require(queue);
      throw new MillraceException(
          ErrorCode.UNKNOWN_SEGMENT, node + " holds no segment of " + queue);
    }
    return figures(queue, now, totals, ofSessions);
  }

  /** Either may be null: a queue of sessions has nothing in the store of single events. */
  private SegmentFigures figures(
      String queue, FollowedTopology now, SegmentTotals singles, QueueFigures ofSessions) {
    SegmentTotals totals = ofSessions == null ? singles : ofSessions.totals();
    SegmentFigures figures =
        SegmentResponses.figures(
                queue,
                node,
                now,
                totals == null ? SegmentTotals.NONE : totals,
                clock.now().toEpochMilli())
            .withSessions(ofSessions == null ? null : ofSessions.sessions());
    // A segment that is closed or not open yet has no problem.
    String unread = store.troubles().get(queue);
    String noted = figures.needsManager() ? notes.trouble(queue).orElse(null) : null;
    String trouble = unread == null ? noted : unread;
    return figures.with(notes.load(queue), trouble);
  }

  /** A readable reason why events cannot be accepted now; empty if they can. */
  public Optional<String> trouble() {
    if (!committer.healthy()) {
      return Optional.of("the store failed; see the log and restart this node");
    }
    return disk.hasSpace()
        ? Optional.empty()
        : Optional.of("the disk has less free space than its reserve");
  }

  /** Ends the waiting of all callers. */
  public void close() {
    signals.close();
    answerers.shutdown();
  }
}
