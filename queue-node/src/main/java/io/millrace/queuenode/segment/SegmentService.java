package io.millrace.queuenode.segment;

import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.Lease;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.platform.disk.DiskReserve;
import io.millrace.platform.time.Clock;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.DeliveryLimits;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.LeaseOrder;
import io.millrace.queuenode.store.LeasedEvent;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOutcome;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.ReceiptOutcome;
import io.millrace.queuenode.store.RefuseOrder;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentTotals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The segments of one node: takes events, leases them, hears of their end. Every method blocks
 * until the store has answered and throws a {@link MillraceException}. Thread-safe.
 */
public final class SegmentService {
  /** The longest wait for a first event. */
  public static final Duration LONGEST_PATIENCE = Duration.ofSeconds(20);

  private static final long LEASE_BYTES = 8L << 20;
  private static final int KEPT_REASON = 2_000;
  // For a queue that was deleted while it still held events.
  private static final DeliveryLimits LIMITS_WITHOUT_DEFINITION = new DeliveryLimits(5, 25);
  private static final Duration LEASE_WITHOUT_DEFINITION = Duration.ofSeconds(30);

  private final String node;
  private final SegmentStore store;
  private final GroupCommitter committer;
  private final DiskReserve disk;
  private final Clock clock;
  private final Bells bells = new Bells();
  private volatile FollowedTopology topology;

  /**
   * Segments over an open store.
   *
   * @param node the node's name
   * @param committer the store's one writer
   */
  public SegmentService(
      String node, SegmentStore store, GroupCommitter committer, DiskReserve disk, Clock clock) {
    this.node = node;
    this.store = store;
    this.committer = committer;
    this.disk = disk;
    this.clock = clock;
    this.topology = FollowedTopology.none(node);
  }

  /** Follows these definitions and weights from now on; never blocks. */
  public void follow(Topology next) {
    topology = FollowedTopology.of(node, next);
  }

  /**
   * Stores a batch, once however often it is sent.
   *
   * @throws MillraceException also NO_SEGMENT, QUEUE_FULL, DISK_FULL, CONFLICT
   */
  public SendAnswer put(String queue, String batch, List<NewEvent> events) {
    QueueDefinition definition = topology.require(queue);
    topology.requireWeight(queue);
    PutOrder order = new PutOrder(queue, batch, events, definition.maxEvents());
    disk.require(order.bytes());
    PutOutcome outcome =
        answer(
            committer
                .submit(Change.put(order))
                .whenComplete((done, failure) -> ringFor(queue, done)));
    return new SendAnswer(queue, batch, outcome.accepted(), outcome.repeated(), node);
  }

  private void ringFor(String queue, PutOutcome outcome) {
    if (outcome != null && !outcome.repeated()) {
      bells.ring(queue, outcome.accepted());
    }
  }

  /** Leases events, waiting for a first one as long as the request has patience. */
  public Lease lease(String queue, LeaseRequest request) {
    requireKnown(queue);
    Duration lease = leaseOf(queue, request.lease());
    LeaseOrder order = new LeaseOrder(queue, request.max(), LEASE_BYTES, lease);
    long deadline = clock.nanoTime() + patience(request).toNanos();
    Bell bell = bells.of(queue);
    while (true) {
      long seen = bell.rings();
      List<LeasedEvent> events = answer(committer.submit(Change.of(s -> s.lease(order))));
      boolean tryAgain =
          events.isEmpty() && waited(bell, seen, Duration.ofNanos(deadline - clock.nanoTime()));
      if (!tryAgain) {
        return new Lease(
            events.stream().map(event -> Answers.delivered(queue, event)).toList(), lease);
      }
    }
  }

  private Duration leaseOf(String queue, Duration asked) {
    return asked != null
        ? asked
        : topology.definition(queue).map(QueueDefinition::lease).orElse(LEASE_WITHOUT_DEFINITION);
  }

  /** A queue that was deleted while it held events is still worked off. */
  private void requireKnown(String queue) {
    if (!store.totals().containsKey(queue)) {
      topology.require(queue);
    }
  }

  private static Duration patience(LeaseRequest request) {
    if (request.patience() == null) {
      return Duration.ZERO;
    }
    return request.patience().compareTo(LONGEST_PATIENCE) < 0
        ? request.patience()
        : LONGEST_PATIENCE;
  }

  private static boolean waited(Bell bell, long seen, Duration rest) {
    try {
      return bell.await(seen, rest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Tells that the events of these receipts are done. */
  public ReceiptAnswer acknowledge(String queue, List<Receipt> receipts) {
    requireKnown(queue);
    return Answers.receipts(
        answer(committer.submit(Change.of(s -> s.acknowledge(queue, receipts)))));
  }

  /** Gives events back. */
  public ReceiptAnswer refuse(String queue, List<Receipt> receipts, Refusal refusal) {
    requireKnown(queue);
    RefuseOrder order =
        new RefuseOrder(
            queue,
            receipts,
            refusal.kind(),
            refusal.delay() == null ? Duration.ZERO : refusal.delay(),
            cut(refusal.reason()),
            limits(queue));
    ReceiptOutcome outcome = answer(committer.submit(Change.of(s -> s.refuse(order))));
    bells.ring(queue, outcome.ready());
    return Answers.receipts(outcome);
  }

  private static String cut(String reason) {
    return reason == null || reason.length() <= KEPT_REASON
        ? reason
        : reason.substring(0, KEPT_REASON);
  }

  private DeliveryLimits limits(String queue) {
    return topology
        .definition(queue)
        .map(definition -> new DeliveryLimits(definition.maxAttempts(), definition.maxReturns()))
        .orElse(LIMITS_WITHOUT_DEFINITION);
  }

  /** Keeps leased events for so long from now on; null for the queue's own lease. */
  public ReceiptAnswer extend(String queue, List<Receipt> receipts, Duration asked) {
    requireKnown(queue);
    Duration lease = leaseOf(queue, asked);
    return Answers.receipts(
        answer(committer.submit(Change.of(s -> s.extend(queue, receipts, lease)))));
  }

  /** Ends leases and delays whose time has come; called again and again by the node. */
  public void expire() {
    while (store.due()) {
      Map<String, Integer> ready = answer(committer.submit(Change.of(s -> s.expire(this::limits))));
      ready.forEach(bells::ring);
    }
  }

  /** The newest dead letters of a queue. */
  public List<DeadEvent> dead(String queue, int limit) {
    requireKnown(queue);
    return answer(committer.submit(Change.of(s -> s.dead(queue, limit)))).stream()
        .map(dead -> Answers.dead(queue, node, dead))
        .toList();
  }

  /** Figures of every segment with weight or events, now or once; never blocks. */
  public List<SegmentFigures> figures() {
    FollowedTopology now = topology;
    Map<String, SegmentTotals> totals = store.totals();
    Set<String> queues = new TreeSet<>(totals.keySet());
    queues.addAll(now.weighted());
    return queues.stream()
        .map(queue -> figures(queue, now, totals.getOrDefault(queue, SegmentTotals.NONE)))
        .toList();
  }

  /**
   * Figures of one segment; never blocks.
   *
   * @throws MillraceException UNKNOWN_SEGMENT when this node neither has nor had one of that queue
   */
  public SegmentFigures figures(String queue) {
    FollowedTopology now = topology;
    SegmentTotals totals = store.totals().get(queue);
    if (totals == null && now.weight(queue) == 0) {
      now.require(queue);
      throw new MillraceException(
          ErrorCode.UNKNOWN_SEGMENT, node + " holds no segment of " + queue);
    }
    return figures(queue, now, totals == null ? SegmentTotals.NONE : totals);
  }

  private SegmentFigures figures(String queue, FollowedTopology now, SegmentTotals totals) {
    return Answers.figures(queue, node, now, totals, clock.now().toEpochMilli());
  }

  /** What is wrong with taking events now, for people; empty when nothing is. */
  public Optional<String> trouble() {
    if (!committer.healthy()) {
      return Optional.of("the store failed; see the log and restart this node");
    }
    return disk.hasRoom() ? Optional.empty() : Optional.of("the disk is below its reserve");
  }

  /** Sends home those who wait for events. */
  public void close() {
    bells.close();
  }

  private static <R> R answer(CompletableFuture<R> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException refusal) {
        throw new MillraceException(refusal.code(), refusal.getMessage(), refusal);
      }
      throw e;
    }
  }
}
