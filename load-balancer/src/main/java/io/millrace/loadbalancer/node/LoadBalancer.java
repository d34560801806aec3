package io.millrace.loadbalancer.node;

import io.micrometer.core.instrument.Gauge;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.node.BalancerReport;
import io.millrace.loadbalancer.forward.BatchCall;
import io.millrace.loadbalancer.forward.Chooser;
import io.millrace.loadbalancer.forward.ForwardMeters;
import io.millrace.loadbalancer.forward.Forwarder;
import io.millrace.loadbalancer.forward.StreamSender;
import io.millrace.loadbalancer.forward.Targets;
import io.millrace.loadbalancer.http.BodyMemory;
import io.millrace.loadbalancer.http.EventRoutes;
import io.millrace.loadbalancer.http.RequestMeters;
import io.millrace.loadbalancer.session.SessionForwarder;
import io.millrace.loadbalancer.session.SlotDirectory;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.http.BatchNames;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.TopologyFollower;
import io.millrace.platform.membership.TopologyMemory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A load balancer: spreads events over segments by weight. */
public final class LoadBalancer implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(LoadBalancer.class);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(2);

  private final LoadBalancerSettings settings;
  private final CentralClient central;
  private final ForwardMeters forwards;
  private final RequestMeters requests;
  private final WebServer web;
  private final ServiceGroup services;
  private final UUID id;
  private final RequestNumbers numbers;

  /** The caller starts and stops the view. */
  public LoadBalancer(
      LoadBalancerSettings settings, Clock clock, HttpTransport transport, ClusterView view) {
    this.settings = settings;
    NodeSettings own = settings.node();
    NodeCalls calls =
        new NodeCalls(
            own.credential(Role.LOAD_BALANCER, clock),
            own.clusterKey(),
            own.central(),
            transport,
            clock);
    this.id = calls.identity().id();
    this.numbers = RequestNumbers.of(settings.dataDirectory(), clock);
    this.central = calls.central();
    Metrics metrics = new Metrics("load-balancer", settings.name());
    Gauge.builder(
            "millrace.cluster.view.nodes", view, v -> v.entries(ClusterView.QUEUE_NODES).size())
        .description("queue nodes whose reports arrive through the cluster view")
        .register(metrics.registry());
    this.forwards = new ForwardMeters(metrics.registry());
    this.requests = new RequestMeters(metrics.registry());
    Chooser chooser = new Chooser(clock, new SplittableRandom(), forwards::skipped);
    Gauge.builder("millrace.balancer.targets", chooser, Chooser::nodes)
        .description("queue nodes with weight in any queue")
        .register(metrics.registry());
    Gauge.builder("millrace.balancer.targets.failing", chooser, Chooser::failing)
        .description("of these, nodes that are skipped because they failed")
        .register(metrics.registry());
    Forwarder forwarder =
        new Forwarder(node -> calls.to(Role.QUEUE_NODE, node), chooser, forwards, clock);
    SlotDirectory slots = new SlotDirectory();
    SessionForwarder sessions =
        new SessionForwarder(
            settings.name(),
            slots,
            new BatchCall(node -> calls.to(Role.QUEUE_NODE, node), forwards, clock),
            forwards,
            clock);
    StreamSender streams = new StreamSender(settings.name(), forwarder);
    BodyMemory memory =
        BodyMemory.of(
            settings.bodyMemory().bytes(), settings.web().maxBody().bytes(), metrics.registry());
    EventRoutes events =
        new EventRoutes(forwarder, streams, sessions, memory, new BatchNames(clock), requests);
    ReturnWatch returns = new ReturnWatch(settings.name(), view, chooser::returned);
    TopologyFollower topology =
        new TopologyFollower(
            settings.name(),
            central,
            TopologyMemory.ofLoadBalancer(settings.dataDirectory()),
            received -> {
              Targets targets = Targets.of(received);
              chooser.follow(targets);
              slots.follow(received, targets);
              view.join(received.members());
            });
    view.verifyBy(calls.reportVerifier(topology::isWithdrawn));
    this.web =
        new WebServer(
            settings.web(),
            Callers.of(calls.verifier(), topology::requireValid),
            new Health(Map.of("topology", topology::problem)),
            metrics,
            events.routes());
    Loop reporter = new Loop(settings.name() + "-report", REPORT_EVERY, this::report);
    this.services = new ServiceGroup(List.of(topology, returns, streams, sessions, web, reporter));
  }

  /** Where producers send events; only after the start. */
  public URI address() {
    return web.address();
  }

  /** Its routes, for tests. */
  public WebServer web() {
    return web;
  }

  @Override
  public void start() {
    services.start();
  }

  /** Stops, and says so: a balancer that was stopped is not reported as lost. */
  @Override
  public void stop() {
    services.stop();
    try {
      central.deregisterBalancer(id, numbers.next());
    } catch (MillraceException e) {
      LOGGER.warn(
          "{} could not tell the central managers that it stops: {}",
          settings.name(),
          e.getMessage());
    }
  }

  private void report() {
    central.report(
        new BalancerReport(
            id,
            settings.name(),
            settings.web().reachedAt(web.address()),
            forwards.accepted(),
            requests.refused()),
        numbers.next());
  }
}
