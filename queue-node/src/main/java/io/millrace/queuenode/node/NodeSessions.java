package io.millrace.queuenode.node;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.BootClock;
import io.millrace.api.client.CentralClient;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.Route;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.http.NodeSessionRoutes;
import io.millrace.queuenode.http.SlotRoutes;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.session.NodeLease;
import io.millrace.queuenode.session.SessionLook;
import io.millrace.queuenode.session.SessionService;
import io.millrace.queuenode.session.SessionWatch;
import io.millrace.queuenode.session.SlotKeeper;
import io.millrace.queuenode.session.SlotReceivers.HttpSlotReceivers;
import io.millrace.queuenode.session.SlotReception;
import io.millrace.queuenode.session.SlotSeals;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.GroupCommitter.CommitWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of a node that serve queues of sessions: a store and a writer of their own, the node's
 * lease, and the slots. Thread-safe.
 */
final class NodeSessions {
  private static final Duration METERED_EVERY = Duration.ofSeconds(2);

  private final SessionStore store;
  private final GroupCommitter<SessionStore> committer;
  private final NodeLease lease;
  private final SessionService service;
  private final SlotSeals seals;
  private final SlotKeeper keeper;
  private final List<Service> services;
  private final List<Route> routes;

  /**
   * Opens the store.
   *
   * @param watch is told of the writer's work
   * @throws io.millrace.api.MillraceException STORE_FAILURE
   */
  NodeSessions(
      QueueNodeSettings settings,
      DiskReserve disk,
      SegmentNotes notes,
      NodeCalls calls,
      CommitWatch watch,
      MeterRegistry registry,
      Clock clock) {
    String name = settings.name();
    CentralClient central = calls.central();
    this.store = LogSessionStore.open(settings.dataDirectory().resolve("sessions"), name, clock);
    this.committer =
        new GroupCommitter<>(
            name + "-sessions",
            store,
            clock,
            CommitSettings.of(settings.durability()).slowedBy(settings.slowness()),
            watch);
    this.lease = new NodeLease(name, BootClock.of(clock::nanoTime));
    this.service = new SessionService(name, store, committer, lease, disk, notes, clock);
    this.seals = new SlotSeals(name, service, central);
    this.keeper =
        new SlotKeeper(name, service, central, new HttpSlotReceivers(calls), lease, seals, clock);
    SlotReception reception = new SlotReception(name, service, keeper);
    SessionMeters meters = new SessionMeters(registry, service);
    Gauge.builder("millrace.session.store.bytes", store, SessionStore::diskBytes)
        .description("size of the sessions' store on disk")
        .baseUnit("bytes")
        .register(registry);
    this.services =
        List.of(
            new SessionLook(name, service, store, lease, clock),
            keeper,
            new SessionWatch(name, service, clock),
            new Loop(name + "-session-meters", METERED_EVERY, meters::refresh));
    this.routes = new ArrayList<>(new NodeSessionRoutes(service).routes());
    routes.addAll(new SlotRoutes(reception, seals).routes());
  }

  void follow(Topology next) {
    service.follow(next);
    keeper.wake();
  }

  NodeLease lease() {
    return lease;
  }

  SessionService service() {
    return service;
  }

  SlotSeals seals() {
    return seals;
  }

  SessionStore store() {
    return store;
  }

  /** The writer, which is started before and stopped after all others. */
  GroupCommitter<SessionStore> committer() {
    return committer;
  }

  /** What needs the writer. */
  List<Service> services() {
    return services;
  }

  List<Route> routes() {
    return routes;
  }

  /** Nanoseconds of the writer's work by queue, with those of the other writer. */
  Map<String, Long> storeNanos(Map<String, Long> others) {
    Map<String, Long> all = new HashMap<>(others);
    committer.storeNanosByQueue().forEach((queue, nanos) -> all.merge(queue, nanos, Long::sum));
    return all;
  }
}
