package io.millrace.manager.app;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.manager.definition.DefinitionArchive;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.deletion.QueueRemoval;
import io.millrace.manager.deletion.QueueRows;
import io.millrace.manager.deletion.StoredOnlyRemoval;
import io.millrace.manager.http.AttemptProofs;
import io.millrace.manager.http.DefinitionRoutes;
import io.millrace.manager.http.LoginRoutes;
import io.millrace.manager.http.OverviewRoutes;
import io.millrace.manager.http.PacingRoutes;
import io.millrace.manager.http.ProblemRoutes;
import io.millrace.manager.http.QueueNodeRoutes;
import io.millrace.manager.http.QueueRoutes;
import io.millrace.manager.http.ReportRoutes;
import io.millrace.manager.http.SessionOperatorRoutes;
import io.millrace.manager.insight.LoadBalancers;
import io.millrace.manager.insight.OverviewService;
import io.millrace.manager.insight.OverviewStream;
import io.millrace.manager.insight.PacingExplanations;
import io.millrace.manager.insight.QueueCatalog;
import io.millrace.manager.insight.QueueRetention;
import io.millrace.manager.job.DefinedJobs;
import io.millrace.manager.job.DefinedJobs.DefinedJobKind;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobTotals;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.login.LoginCodes;
import io.millrace.manager.login.LoginSessions;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.pacing.BreakerDao;
import io.millrace.manager.pacing.BreakerRequeue;
import io.millrace.manager.pacing.BreakerWatch;
import io.millrace.manager.pacing.PacingOverrides;
import io.millrace.manager.pacing.PacingService;
import io.millrace.manager.pacing.PlaceRefill;
import io.millrace.manager.pacing.QueueManagerSupervision;
import io.millrace.manager.problem.ProblemRecords;
import io.millrace.manager.problem.ProblemSettings;
import io.millrace.manager.problem.ProblemWatch;
import io.millrace.manager.problem.SilencedSubjects;
import io.millrace.manager.queue.BackgroundCalls;
import io.millrace.manager.queue.DeadLetterWatch;
import io.millrace.manager.queue.QueueControls;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.manager.queue.SegmentCalls;
import io.millrace.manager.queue.SessionOperations;
import io.millrace.manager.queue.SessionScaleIn;
import io.millrace.manager.queue.SlotMoveCalls;
import io.millrace.manager.queue.SlotPartCalls;
import io.millrace.manager.sample.NodeSampling;
import io.millrace.manager.weight.QueueNodeCommands;
import io.millrace.manager.weight.TopologyService;
import io.millrace.manager.weight.WeightRows;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.WriteProof;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Composes the queues of a central manager: definitions, weights, topology, supervision of queue
 * managers, history, overview and login. The central manager starts its services and serves its
 * routes.
 */
public final class QueueModule {
  private static final Duration CLAIM = Duration.ofSeconds(10);
  private static final Duration CHECKING = Duration.ofSeconds(1);
  private static final Duration COUNTING = Duration.ofSeconds(5);
  private static final Duration WATCHING = Duration.ofSeconds(5);
  private static final Duration DELETING = Duration.ofMinutes(1);

  /**
   * What queues share with the rest of the central manager.
   *
   * @param database the central one
   * @param ledger the jobs
   * @param registry the nodes
   * @param executionNodes the execution nodes for display
   * @param problems problems other than those of queues
   * @param problemSettings where problems are sent on to
   * @param webhooks which of them are never called
   * @param claims shared by all central managers
   * @param name name of this central manager, for display
   * @param claimant unique name of this instance
   * @param verifier checks tokens
   * @param sessions of the dashboard
   * @param identities of the nodes
   * @param proofs check which attempt decided
   * @param calls to the queue nodes
   * @param clock clock of this host
   * @param denials forgets on which nodes these definitions of jobs were denied
   * @param version version of this central manager
   */
  public record Shared(
      Database database,
      JobLedger ledger,
      NodeRegistry registry,
      Supplier<List<ExecutionNodeView>> executionNodes,
      Supplier<List<Alert>> problems,
      ProblemSettings problemSettings,
      WebhookRule webhooks,
      ClaimDao claims,
      WriteProof proof,
      String name,
      String claimant,
      TokenVerifier verifier,
      LoginSessions sessions,
      NodeIdentities identities,
      AttemptProofs proofs,
      SignedCalls calls,
      Clock clock,
      BiConsumer<Handle, List<String>> denials,
      String version) {}

  private final Shared shared;
  private final List<Runnable> whenDefined = new CopyOnWriteArrayList<>();
  private final Definitions definitions;
  private final DefinitionDeletions deletions;
  private final WeightModule weighting;
  private final SegmentCalls calls;
  private final BackgroundCalls background;
  private final QueueNodes nodes;
  private final Duration nodeLease;
  private final QueueCatalog catalog;
  private final TopologyService topology;
  private final PacingService pacing;
  private final PlaceRefill refill;
  private final PacingExplanations explanations;
  private final PacingOverrides overrides;
  private final LoadBalancers balancers;
  private final JobTotals jobTotals;
  private final OverviewService overviews;
  private final OverviewStream stream;
  private final ProblemRecords records;
  private final QueueControls controls;
  private final QueueEvents events;
  private final SessionOperations sessions;
  private final SlotPartCalls slotParts;
  private final QueueNodeCommands commands;
  private final ClaimedDuty supervision;
  private final ClaimedDuty requeueing;
  private final ClaimedDuty counting;
  private final ClaimedDuty watching;
  private final ClaimedDuty sampling;
  private final ClaimedDuty nodeSampling;
  private final ClaimedDuty retention;
  private final ClaimedDuty deleting;

  public QueueModule(Shared shared, QueueSettings settings) {
    this.shared = shared;
    this.nodeLease = settings.nodeLease();
    Database database = shared.database();
    this.deletions = new DefinitionDeletions(database, this::definitionsChanged);
    this.definitions =
        new Definitions(
            database,
            KnownKinds.all(shared.clock(), shared.webhooks()),
            deletions,
            this::definitionsChanged,
            new DefinedJobs(shared.ledger()));
    QueueDefinitions queues = new QueueDefinitions(definitions);
    QueueNodeRegistry queueNodes =
        new QueueNodeRegistry(database, shared.registry(), settings.nodeLease());
    QueueRemoval removal =
        new QueueRemoval(
            database,
            queueNodes,
            shared.ledger(),
            new QueueRows(shared.ledger(), shared.denials()));
    deletions.add(removal);
    deletions.add(new StoredOnlyRemoval(DefinedJobKind.KEYWORD));
    this.nodes = new QueueNodes(queueNodes);
    this.calls = new SegmentCalls(shared.calls());
    this.background = new BackgroundCalls(shared.clock());
    Principal self = Principal.of(Role.MANAGER, shared.name());
    SlotMoveCalls moves = new SlotMoveCalls(nodes, calls, self, background);
    SessionScaleIn scaleIn = new SessionScaleIn(nodes, calls, self, background);
    this.weighting =
        new WeightModule(shared, settings, queues, queueNodes, moves::ask, this::weightsChanged);
    WeightRows weights = weighting.rows();
    this.controls = new QueueControls(database, queues);
    this.catalog = new QueueCatalog(database, queues, nodes, shared.ledger());
    this.topology =
        new TopologyService(
            weights,
            queues,
            controls,
            queueNodes,
            () -> database.read(BreakerDao::open).keySet(),
            shared.identities(),
            removal::followed,
            shared.clock());
    this.pacing = new PacingService(database, queues, nodes, shared.ledger(), scaleIn::ask);
    this.refill = new PlaceRefill(database, queues, nodes, shared.ledger(), shared.clock());
    shared.ledger().watch(refill);
    this.explanations = new PacingExplanations(database, queues, catalog);
    this.overrides = new PacingOverrides(database, queues);
    shared.ledger().watch(new BreakerWatch(queues));
    this.commands =
        new QueueNodeCommands(
            queueNodes, nodes, weights, new DatabaseTime(database.dialect()), this::weightsChanged);
    this.events = new QueueEvents(queues, nodes, calls);
    this.sessions = new SessionOperations(queues, nodes, calls, weights::find);
    this.slotParts = new SlotPartCalls(queues, nodes, calls, weights::find);
    this.balancers = new LoadBalancers(shared.registry());
    this.jobTotals = new JobTotals(database, shared.clock());
    this.records = new ProblemRecords(database);
    this.overviews =
        new OverviewService(
            database,
            shared.version(),
            nodes,
            shared.executionNodes(),
            balancers,
            catalog,
            jobTotals,
            shared.problems(),
            records::dated,
            shared.clock());
    ProblemWatch problems =
        new ProblemWatch(
            database,
            shared.claims(),
            () -> overviews.overview().alerts(),
            shared.problemSettings());
    this.watching = duty("watch-problems", WATCHING, problems::run);
    this.stream = new OverviewStream(overviews);
    QueueManagerSupervision supervisor =
        new QueueManagerSupervision(database, queues, weights, nodes, shared.ledger());
    QueueRetention forgetting = new QueueRetention(database, shared.claims());
    this.supervision = duty("supervise-queue-managers", CHECKING, claim -> supervisor.supervise());
    BreakerRequeue requeue = new BreakerRequeue(database, events);
    this.requeueing = duty("pardon-events", CHECKING, claim -> requeue.run());
    DeadLetterWatch deadLetters = new DeadLetterWatch(database, shared.claims(), queues, nodes);
    this.counting = duty("count-dead-letters", COUNTING, deadLetters::run);
    this.sampling = duty("sample-queues", settings.sampleEvery(), claim -> catalog.sample());
    NodeSampling samples = new NodeSampling(database, nodes::all, shared.executionNodes());
    this.nodeSampling = duty("sample-nodes", settings.sampleEvery(), claim -> samples.sample());
    this.deleting = duty("delete-definitions", CHECKING, claim -> deletions.advance());
    this.retention = duty("forget-queue-history", DELETING, forgetting::forget);
  }

  /** The definitions of every kind. */
  public Definitions definitions() {
    return definitions;
  }

  /** The deletions of definitions of every kind. */
  public DefinitionDeletions deletions() {
    return deletions;
  }

  /** The queue nodes. */
  public QueueNodes nodes() {
    return nodes;
  }

  /** Adds a listener that is called when definitions were changed here. */
  public void whenDefined(Runnable listener) {
    whenDefined.add(listener);
  }

  /** The overview, at most a second old. */
  Overview overview() {
    return overviews.overview();
  }

  /** Number of jobs by kind and state. */
  Map<JobKind, Map<JobState, Long>> jobs() {
    return jobTotals.byKind();
  }

  /** The services, in the order in which they are to be started. */
  public List<Service> services() {
    return Stream.concat(
            Stream.of(calls, background), Stream.concat(weighting.services().stream(), duties()))
        .toList();
  }

  private Stream<Service> duties() {
    return Stream.of(
        supervision,
        refill,
        requeueing,
        counting,
        watching,
        sampling,
        nodeSampling,
        retention,
        deleting,
        jobTotals);
  }

  /** Services to be started after the web server, so that they end open answers before it stops. */
  public List<Service> answering() {
    return List.of(topology, stream);
  }

  /** The routes. */
  public List<Route> routes() {
    return Stream.of(
            new DefinitionRoutes(
                    definitions,
                    new DefinitionArchive(shared.database(), KnownKinds.all(shared.clock())),
                    deletions)
                .routes(),
            new QueueRoutes(catalog, events, controls, deletions, topology::wake).routes(),
            new SessionOperatorRoutes(sessions, slotParts).routes(),
            new QueueNodeRoutes(nodes, commands).routes(),
            weighting.routes(topology),
            new ReportRoutes(this::accept, nodeLease, balancers).routes(),
            new PacingRoutes(pacing, explanations, overrides, shared.proofs()).routes(),
            new OverviewRoutes(overviews, stream).routes(),
            new ProblemRoutes(overviews, records, new SilencedSubjects(shared.database())).routes(),
            new LoginRoutes(new LoginCodes(shared.database()), shared.verifier(), shared.sessions())
                .routes())
        .flatMap(List::stream)
        .toList();
  }

  private ClaimedDuty duty(String resource, Duration interval, ClaimedDuty.Duty work) {
    Duration ttl = CLAIM.compareTo(interval.multipliedBy(3)) > 0 ? CLAIM : interval.multipliedBy(3);
    return new ClaimedDuty(resource, shared.claimant(), ttl, interval, shared.claims(), work);
  }

  private void accept(QueueNodeReport report, RequestNumber request) {
    nodes.accept(report, request);
    if (!topology.knows(report)) {
      topology.wake();
      weighting.wake();
    }
  }

  private void definitionsChanged() {
    whenDefined.forEach(Runnable::run);
    topology.wake();
    weighting.wake();
    supervision.wake();
    deleting.wake();
  }

  private void weightsChanged() {
    topology.wake();
    supervision.wake();
  }
}
