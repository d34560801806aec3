package io.millrace.manager.central;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.manager.dispatch.Dispatcher;
import io.millrace.manager.dispatch.PollDesk;
import io.millrace.manager.dispatch.PoolDispatch;
import io.millrace.manager.dispatch.WorkerTokens;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.Placing;
import io.millrace.manager.job.Retention;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeExpiry;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.web.ExecutionNodeRoutes;
import io.millrace.manager.web.JobRoutes;
import io.millrace.manager.web.LogRoutes;
import io.millrace.manager.web.LongPoll;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.claim.store.ClaimStore;
import io.millrace.platform.database.Database;
import io.millrace.platform.http.Route;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.time.Clock;
import io.millrace.platform.token.Principal;
import io.millrace.platform.token.Role;
import io.millrace.platform.token.TokenIssuer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The parts of a central manager that store, place and report jobs, put together. */
final class JobSide {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  private static final Duration EXPIRING = Duration.ofMillis(500);
  private static final Duration DELETING = Duration.ofMinutes(1);
  private static final Duration DELETING_CLAIM = Duration.ofMinutes(5);
  private static final Duration TOKEN = Duration.ofMinutes(5);

  private final WakeUps wakeUps = new WakeUps();
  private final JobLedger ledger;
  private final NodeRegistry registry;
  private final ExecutionNodes nodes;
  private final JobQueries queries;
  private final PollDesk desk;
  private final LongPoll longPoll;
  private final Heartbeat heartbeat;
  private final LogRoutes logs;
  private final List<Service> duties;

  JobSide(
      CentralSettings settings,
      Database database,
      ClaimStore claims,
      String claimant,
      TokenIssuer issuer,
      HttpTransport transport,
      Clock clock) {
    this.heartbeat = settings.heartbeat();
    this.ledger = new JobLedger(database, wakeUps);
    NodeAttempts attempts = ledger.nodeAttempts();
    this.registry = new NodeRegistry(database, attempts);
    this.nodes = new ExecutionNodes(database, registry, attempts, heartbeat);
    this.queries = new JobQueries(database, wakeUps);
    this.desk = new PollDesk(database, attempts, new WorkerTokens(issuer), heartbeat);
    this.longPoll = new LongPoll(clock);
    Principal self = Principal.of(Role.MANAGER, settings.name());
    this.logs =
        new LogRoutes(queries, nodes, transport, () -> issuer.issue(self, Optional.of(TOKEN)));
    PoolDispatch dispatch = new PoolDispatch(database, claims, attempts, new Placing(wakeUps));
    NodeExpiry expiry = new NodeExpiry(database, claims, attempts, clock, heartbeat);
    Retention retention =
        new Retention(database, claims, settings.keepJobs(), settings.keepSuccessfulWorkers());
    this.duties =
        List.of(
            new Dispatcher(dispatch, claims, claimant, wakeUps),
            new ClaimedDuty("expire-nodes", claimant, CLAIM, EXPIRING, claims, expiry::run),
            new ClaimedDuty(
                "delete-old-jobs", claimant, DELETING_CLAIM, DELETING, claims, retention::run));
  }

  JobLedger ledger() {
    return ledger;
  }

  NodeRegistry registry() {
    return registry;
  }

  List<ExecutionNodeView> executionNodes() {
    return nodes.list();
  }

  /** What runs, in the order in which it is to be started. */
  List<Service> services() {
    return duties;
  }

  /** What holds callers back until there is an answer; it lets them go when it stops. */
  LongPoll longPoll() {
    return longPoll;
  }

  List<Route> routes() {
    return Stream.of(
            new JobRoutes(ledger, queries, longPoll).routes(),
            logs.routes(),
            new ExecutionNodeRoutes(nodes, desk, ledger.reports(), wakeUps, longPoll, heartbeat)
                .routes())
        .flatMap(List::stream)
        .toList();
  }
}
