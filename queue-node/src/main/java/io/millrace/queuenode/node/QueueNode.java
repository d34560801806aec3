package io.millrace.queuenode.node;

import io.micrometer.core.instrument.Gauge;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.TopologyFollower;
import io.millrace.platform.membership.TopologyMemory;
import io.millrace.queuenode.agent.BalancingAgent;
import io.millrace.queuenode.agent.CapacityMeter;
import io.millrace.queuenode.agent.Reservations.ReservationClient.HttpReservationClient;
import io.millrace.queuenode.http.SegmentRoutes;
import io.millrace.queuenode.http.StoreRoutes;
import io.millrace.queuenode.load.LoadMeter;
import io.millrace.queuenode.load.LoadMeter.LoadSignals;
import io.millrace.queuenode.load.NodeLoadRule;
import io.millrace.queuenode.load.SegmentLoadMeter;
import io.millrace.queuenode.load.SegmentLoadRule;
import io.millrace.queuenode.load.SegmentLoadRule.SegmentCounters;
import io.millrace.queuenode.node.SegmentMeters.BatchMeters;
import io.millrace.queuenode.segment.SegmentHooks;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.segment.SegmentService;
import io.millrace.queuenode.segment.StoreCopies;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentTotals;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A queue node: holds weighted segments of queues in its store. Used both in a separate process and
 * embedded. Thread-safe.
 */
public final class QueueNode implements Service {
  private static final Duration EXPIRED_EVERY = Duration.ofMillis(100);
  private static final Duration DELETED_EVERY = Duration.ofMillis(250);
  private static final Duration METERED_EVERY = Duration.ofSeconds(1);

  private final QueueNodeSettings settings;
  private final UUID id;
  private final ClusterView view;
  private final SegmentStore store;
  private final NodeSessions sessions;
  private final WebServer web;
  private final LoadMeter load;
  private final DiskReserve disk;
  private final SegmentService segments;
  private final CapacityMeter capacity;
  private final BalancingAgent agent;
  private final ServiceGroup services;

  /**
   * Opens the node's store; {@link #start} or {@link #stop} must follow.
   *
   * @param view the cluster view, which the caller starts and stops
   * @throws io.millrace.api.MillraceException STORE_FAILURE or CONFIGURATION
   */
  public QueueNode(
      QueueNodeSettings settings, Clock clock, HttpTransport transport, ClusterView view) {
    this.settings = settings;
    this.view = view;
    String name = settings.name();
    NodeSettings own = settings.node();
    NodeCalls calls =
        new NodeCalls(
            own.credential(Role.QUEUE_NODE, clock),
            own.clusterKey(),
            own.central(),
            transport,
            clock);
    CentralClient central = calls.central();
    this.id = calls.identity().id();
    this.store = NodeStore.open(settings, clock);
    Metrics metrics = new Metrics("queue-node", name);
    CommitMeters commits = new CommitMeters(metrics.registry(), store);
    GroupCommitter<SegmentStore> committer =
        new GroupCommitter<>(
            name,
            store,
            clock,
            CommitSettings.of(settings.durability()).slowedBy(settings.slowness()),
            commits);
    this.disk = DiskReserve.of(NodeStore.folder(settings), settings.diskReserve(), clock);
    disk.measure(metrics.registry());
    SegmentNotes notes = SegmentHooks.notes(settings.hooks());
    this.sessions = sessions(disk, notes, calls, commits, metrics, clock);
    this.segments =
        new SegmentService(name, store, committer, disk, notes, sessions.service(), clock);
    TopologyFollower topology =
        new TopologyFollower(
            name,
            central,
            TopologyMemory.ofQueueNode(settings.dataDirectory()),
            received -> {
              segments.follow(received);
              sessions.follow(received);
              view.join(received.members());
            });
    this.load =
        new LoadMeter(
            name,
            new NodeLoadRule(settings.load()),
            LoadSignals.of(() -> committer.busyNanos() + sessions.committer().busyNanos()),
            this::holdsSegment,
            clock);
    SegmentLoadMeter segmentLoads =
        new SegmentLoadMeter(
            name,
            new SegmentLoadRule(settings.load().newShare()),
            () ->
                StoreCounters.of(
                    store.totals(),
                    sessions.store().figures(),
                    sessions.storeNanos(committer.storeNanosByQueue())),
            notes::loads,
            clock);
    this.capacity = new CapacityMeter(name, settings.capacity(), view, clock);
    Gauge.builder(
            "millrace.cluster.view.nodes", view, v -> v.entries(ClusterView.QUEUE_NODES).size())
        .description("queue nodes whose reports arrive through the cluster view")
        .register(metrics.registry());
    SegmentMeters meters = new SegmentMeters(metrics.registry(), segments::figures, load::current);
    Gauge.builder(
            "millrace.store.healthy",
            committer,
            one -> one.healthy() && sessions.committer().healthy() ? 1 : 0)
        .description("0 after a failure of the disk, until the node is restarted; otherwise 1")
        .register(metrics.registry());
    BatchMeters.register(metrics.registry(), store, SegmentStore::batches);
    RequestNumbers numbers = RequestNumbers.of(settings.dataDirectory(), clock);
    view.verifyBy(calls.reportVerifier(topology::isWithdrawn));
    view.signBy(calls.reportSigner(numbers::next));
    NodeReporter reporter =
        new NodeReporter(
            name, this::report, view, central, numbers, sessions.lease(), topology::refresh);
    NodeBalancing balancing =
        NodeBalancing.of(
            settings,
            new NodeBalancing.Sight(id, this::report, topology::current, reporter::heard, view),
            new HttpReservationClient(calls),
            sessions.seals(),
            central,
            metrics.registry(),
            clock);
    this.agent = balancing.agent();
    List<Route> routes =
        new ArrayList<>(new SegmentRoutes(segments, sessions.service(), clock).routes());
    routes.addAll(sessions.routes());
    routes.addAll(new StoreRoutes(new StoreCopies(name, id, store, committer)).routes());
    routes.addAll(balancing.routes());
    this.web =
        new WebServer(
            settings.web(),
            Callers.of(calls.verifier(), topology::requireValid),
            new Health(Map.of("topology", topology::problem, "store", segments::trouble)),
            metrics,
            routes);
    List<Service> parts = new ArrayList<>(List.of(committer, sessions.committer()));
    parts.addAll(
        List.of(
            new Loop(name + "-expiry", EXPIRED_EVERY, segments::expire),
            new Loop(name + "-deletions", DELETED_EVERY, segments.deletions()::carryOut),
            load,
            segmentLoads,
            new SegmentHooks(name, settings.hooks(), segments::figures, notes, clock),
            new Loop(name + "-meters", METERED_EVERY, meters::refresh),
            topology,
            web,
            reporter,
            capacity,
            agent));
    parts.addAll(sessions.services());
    this.services = new ServiceGroup(parts);
  }

  private NodeSessions sessions(
      DiskReserve reserve,
      SegmentNotes notes,
      NodeCalls calls,
      CommitMeters commits,
      Metrics metrics,
      Clock clock) {
    try {
      return new NodeSessions(settings, reserve, notes, calls, commits, metrics.registry(), clock);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** The node's id, which never changes. */
  public UUID id() {
    return id;
  }

  /** The address of its API; only after the start. */
  public URI address() {
    return web.address();
  }

  /** Its server, for tests of the routes. */
  public WebServer web() {
    return web;
  }

  /** The node's current report; only after the start. */
  public QueueNodeReport report() {
    return new QueueNodeReport(
        id,
        settings.name(),
        settings.web().reachedAt(address()),
        load.current(),
        capacity.capacity(),
        settings.capacity(),
        segments.figures(),
        agent.shortage().orElse(null),
        view.address().orElse(null),
        segments.deletions().closures(),
        disk.shortage().orElse(null));
  }

  @Override
  public void start() {
    try {
      services.start();
    } catch (RuntimeException e) {
      closeStores();
      throw e;
    }
  }

  private void closeStores() {
    try {
      sessions.store().close();
    } finally {
      store.close();
    }
  }

  /** Answers pending requests, then closes the store. */
  @Override
  public void stop() {
    // Waiting leases first, or the server would wait for them.
    segments.close();
    sessions.service().close();
    services.stop();
    closeStores();
  }

  private boolean holdsSegment() {
    return segments.figures().stream().anyMatch(SegmentFigures::needsManager);
  }

  /** The counters of each segment for the load meter. */
  private static final class StoreCounters {
    private StoreCounters() {}

    /**
     * The counters by queue.
     *
     * @param totals of every segment that has held events
     * @param ofSessions figures of queues of sessions
     * @param storeNanos time that the writer has worked for each queue
     */
    static Map<String, SegmentCounters> of(
        Map<String, SegmentTotals> totals,
        Map<String, QueueFigures> ofSessions,
        Map<String, Long> storeNanos) {
      Map<String, SegmentCounters> counters = new HashMap<>();
      Map<String, SegmentTotals> all = new HashMap<>(totals);
      ofSessions.forEach((queue, figures) -> all.put(queue, figures.totals()));
      all.forEach(
          (queue, counted) ->
              counters.put(
                  queue,
                  new SegmentCounters(
                      counted.inserted(),
                      counted.delivered(),
                      counted.insertedBytes() + counted.deliveredBytes(),
                      storeNanos.getOrDefault(queue, 0L))));
      return Map.copyOf(counters);
    }
  }
}
