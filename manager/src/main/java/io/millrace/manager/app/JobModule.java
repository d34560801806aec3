package io.millrace.manager.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.manager.accounting.UsageAccounting;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.Dispatcher;
import io.millrace.manager.dispatch.LicenceService;
import io.millrace.manager.dispatch.PollService;
import io.millrace.manager.dispatch.PollService.WorkerTokens;
import io.millrace.manager.dispatch.PoolDispatch;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.dispatch.ShareService;
import io.millrace.manager.dispatch.WakeUpExchange;
import io.millrace.manager.http.ExecutionNodeRoutes;
import io.millrace.manager.http.JobRoutes;
import io.millrace.manager.http.LogRoutes;
import io.millrace.manager.http.LongPoll;
import io.millrace.manager.http.ShareRoutes;
import io.millrace.manager.http.UsageRoutes;
import io.millrace.manager.http.WorkflowInsightRoutes;
import io.millrace.manager.http.WorkflowRoutes;
import io.millrace.manager.http.WorkflowStateRoutes;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.manager.insight.ProblemService;
import io.millrace.manager.insight.ShapeWaits;
import io.millrace.manager.insight.WaitRetention;
import io.millrace.manager.job.BulkActions;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobRetention;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.PlacementRecorder;
import io.millrace.manager.job.UsageProfiles;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.metrics.DispatchMeters;
import io.millrace.manager.metrics.JobMeters;
import io.millrace.manager.node.ClockSteps;
import io.millrace.manager.node.ClockWatch;
import io.millrace.manager.node.DrainDeadlines;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.ManagerMoves;
import io.millrace.manager.node.NodeExpiry;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.notification.CommandOutcomes;
import io.millrace.manager.notification.NotificationDelivery;
import io.millrace.manager.notification.NotificationOutbox;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.task.LoggedOutput;
import io.millrace.manager.task.RunService.ChunkOutput;
import io.millrace.manager.workflow.StepElements;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.Dialect;
import io.millrace.platform.database.WriteProof;
import io.millrace.platform.http.NameResolver;
import io.millrace.platform.http.OutsideCalls;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Composes the parts of a central manager that store, place and report jobs. */
final class JobModule {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  // Added to the time until a lost node's jobs run elsewhere, if a central manager dies as well.
  private static final Duration SHORT_CLAIM = Duration.ofSeconds(3);
  private static final Duration EXPIRING = Duration.ofMillis(250);
  private static final Duration DRAINING = Duration.ofSeconds(1);
  private static final Duration NOTIFYING_CLAIM = Duration.ofMinutes(1);
  private static final Duration ADDING_UP = Duration.ofSeconds(5);
  private static final Duration DELETING = Duration.ofMinutes(1);
  private static final Duration DELETING_CLAIM = Duration.ofMinutes(5);
  private static final int MAX_EXPRESSIONS = 1000;

  private final WakeUps wakeUps = new WakeUps();
  private final ShapeDao shapes;
  private final Database database;
  private final JobLedger ledger;
  private final NodeRegistry registry;
  private final ExecutionNodeViews views;
  private final ExecutionNodeCommands nodeCommands;
  private final ExecutionNodes nodes;
  private final JobQueries queries;
  private final PollService polls;
  private final LongPoll longPoll;
  private final Heartbeat heartbeat;
  private final ProblemService problems;
  private final Principal self;
  private final SignedCalls calls;
  private final LogRoutes logs;
  private final ShareRoutes shares;
  private final JobExplanations explanations;
  private final DenylistService denylist;
  private final WakeUpExchange wakeUpExchange;
  private final UsageAccounting accounting;
  private final WorkflowModule workflows;
  private final List<Service> duties;

  JobModule(
      CentralSettings settings,
      Database database,
      ClaimDao claims,
      WriteProof proof,
      String claimant,
      TokenIssuer issuer,
      AttemptSecrets secrets,
      SignedCalls calls,
      Clock clock,
      MeterRegistry meters) {
    this.heartbeat = settings.heartbeat();
    this.database = database;
    this.shapes = new ShapeDao(database.dialect(), clock);
    this.ledger = new JobLedger(database, wakeUps, shapes);
    ledger.refuseWebhooks(settings.notifications().webhooks());
    StepElements stepElements = new StepElements();
    JobArrays arrays = new JobArrays(database, ledger, wakeUps, stepElements);
    NodeAttempts attempts = ledger.nodeAttempts();
    this.registry = new NodeRegistry(database, attempts);
    this.denylist = new DenylistService(database);
    UsageProfiles profiles = new UsageProfiles(clock);
    ledger.watch(profiles);
    ledger.watch(new JobMeters(meters));
    ledger.watch(denylist);
    ledger.estimateBy(profiles);
    this.views = new ExecutionNodeViews(database, denylist);
    this.nodes = new ExecutionNodes(database, registry, attempts, heartbeat, views);
    this.nodeCommands = new ExecutionNodeCommands(database, views, wakeUps);
    this.queries = new JobQueries(database, wakeUps, stepElements);
    this.polls = new PollService(database, attempts, new WorkerTokens(issuer), secrets, heartbeat);
    this.longPoll = new LongPoll(clock);
    this.self = Principal.of(Role.MANAGER, settings.name());
    this.calls = calls;
    this.logs = new LogRoutes(queries, nodes, calls);
    PoolReader pools =
        new PoolReader(
            shapes,
            ExpressionTest.compiledBy(new Requirements(MAX_EXPRESSIONS)),
            denylist,
            PlacementSettings.defaults());
    PoolDispatch dispatch =
        new PoolDispatch(
            database,
            claims,
            pools,
            shapes,
            arrays.expander(),
            new PlacementRecorder(wakeUps),
            ShapeWaits.with(clock));
    this.explanations = new JobExplanations(database, pools, shapes, claims, stepElements);
    WaitRetention waits = new WaitRetention(database, claims, settings.keepJobs());
    this.shares =
        new ShareRoutes(
            new ShareService(database, shapes, wakeUps), new LicenceService(database, wakeUps));
    ClockSteps steps = new ClockSteps(database);
    this.problems = new ProblemService(database, views::list, steps, claims, stepElements);
    ledger.watch(new NotificationOutbox(database.dialect()));
    ledger.watch(new CommandOutcomes());
    this.accounting = new UsageAccounting(database, claims);
    ledger.watch(accounting);
    OutsideCalls outside =
        new OutsideCalls(NameResolver.system(), settings.notifications().privateAddresses());
    // Whoever writes the settings of a central manager may let it call any address.
    OutsideCalls ofOperators = new OutsideCalls(NameResolver.system(), true);
    NotificationDelivery notices =
        new NotificationDelivery(database, claims, ledger, outside, ofOperators);
    DrainDeadlines drains = new DrainDeadlines(database, claims, attempts);
    ManagerMoves moves = new ManagerMoves(database, claims, attempts, explanations::taken);
    NodeExpiry expiry = new NodeExpiry(database, claims, attempts, clock, proof, heartbeat);
    JobRetention retention =
        new JobRetention(database, claims, settings.keepJobs(), settings.keepSuccessfulWorkers());
    this.workflows =
        new WorkflowModule(
            database,
            claims,
            claimant,
            ledger,
            arrays,
            stepElements,
            queries,
            wakeUps,
            settings.keepJobs());
    problems.also(workflows::problems);
    this.wakeUpExchange = new WakeUpExchange(database, wakeUps, claimant, clock);
    this.duties =
        List.of(
            outside,
            ofOperators,
            new Dispatcher(dispatch, claims, claimant, clock, wakeUps, new DispatchMeters(meters)),
            arrays.reconciler(),
            new ClaimedDuty("expire-nodes", claimant, SHORT_CLAIM, EXPIRING, claims, expiry),
            new ClaimedDuty(
                "enforce-deadlines",
                claimant,
                CLAIM,
                EXPIRING,
                claims,
                ledger.deadlines(claims)::run),
            new ClockWatch(database, settings.name(), views::clocks, steps, clock),
            new ClaimedDuty(
                "deliver-notices", claimant, NOTIFYING_CLAIM, DRAINING, claims, notices::run),
            new ClaimedDuty(
                "drain-nodes",
                claimant,
                CLAIM,
                DRAINING,
                claims,
                claim -> {
                  drains.run(claim);
                  moves.run(claim);
                }),
            new ClaimedDuty(
                "delete-old-jobs", claimant, DELETING_CLAIM, DELETING, claims, retention::run),
            new ClaimedDuty("add-up-jobs", claimant, CLAIM, ADDING_UP, claims, retention::fold),
            new ClaimedDuty("add-up-usage", claimant, CLAIM, ADDING_UP, claims, accounting::run),
            new ClaimedDuty(
                "delete-old-waits", claimant, DELETING_CLAIM, DELETING, claims, waits::run));
  }

  JobLedger ledger() {
    return ledger;
  }

  WakeUps wakeUps() {
    return wakeUps;
  }

  JobQueries queries() {
    return queries;
  }

  /** The output of jobs that list chunks, read from the nodes that ran them. */
  ChunkOutput outputs() {
    return new LoggedOutput(queries, nodes, calls, self);
  }

  /** The workflows. */
  WorkflowModule workflows() {
    return workflows;
  }

  /** On which nodes which definitions of jobs are denied. */
  DenylistService denylist() {
    return denylist;
  }

  NodeRegistry registry() {
    return registry;
  }

  /** Adds a further source of problems. */
  void alsoProblems(Supplier<List<Alert>> source) {
    problems.also(source);
  }

  List<Alert> problems() {
    return problems.all();
  }

  List<ExecutionNodeView> executionNodes() {
    return views.list();
  }

  /** Throws UNKNOWN_NODE if there is no execution node of that name. */
  void requireExecutionNode(String name) {
    views.require(name);
  }

  /** The services, in the order in which they are to be started. */
  List<Service> services() {
    Stream<Service> all = Stream.concat(duties.stream(), workflows.services().stream());
    // With an embedded database there is only one central manager.
    return database.dialect() == Dialect.H2
        ? all.toList()
        : Stream.concat(Stream.of(wakeUpExchange), all).toList();
  }

  /** Holds requests until there is an answer; answers all of them when it stops. */
  LongPoll longPoll() {
    return longPoll;
  }

  List<Route> routes() {
    return Stream.of(
            new JobRoutes(
                    ledger,
                    new BulkActions(database, ledger.actions()),
                    queries,
                    explanations,
                    longPoll)
                .routes(),
            logs.routes(),
            shares.routes(),
            new WorkflowRoutes(
                    workflows.binding(),
                    workflows.control(),
                    workflows.views(),
                    workflows.steps(),
                    workflows.resources(),
                    longPoll)
                .routes(),
            new WorkflowInsightRoutes(workflows).routes(),
            new WorkflowStateRoutes(workflows).routes(),
            new UsageRoutes(accounting).routes(),
            new ExecutionNodeRoutes(
                    nodes,
                    views,
                    nodeCommands,
                    polls,
                    ledger.reports(),
                    wakeUps,
                    longPoll,
                    heartbeat)
                .routes())
        .flatMap(List::stream)
        .toList();
  }
}
