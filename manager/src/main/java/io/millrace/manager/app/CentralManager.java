package io.millrace.manager.app;

import io.millrace.manager.backup.CentralSpool;
import io.millrace.manager.http.AttemptProofs;
import io.millrace.manager.http.BackupRoutes;
import io.millrace.manager.http.DashboardRoutes;
import io.millrace.manager.http.HistoryRoutes;
import io.millrace.manager.http.JoinRoutes;
import io.millrace.manager.http.PartitionRoutes;
import io.millrace.manager.http.SessionTokenRoutes;
import io.millrace.manager.http.TaskRoutes;
import io.millrace.manager.login.LoginSessions;
import io.millrace.manager.metrics.ClusterMeters;
import io.millrace.manager.metrics.ClusterMeters.ClusterSources;
import io.millrace.manager.metrics.TaskMeters;
import io.millrace.manager.node.JoinService;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.partition.MemberExpiry;
import io.millrace.manager.partition.PartitionCycles;
import io.millrace.manager.partition.PartitionGroups;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.SessionWorkerTokens;
import io.millrace.manager.sample.FigureHistories;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.FileCompaction;
import io.millrace.platform.database.WriteProof;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import java.net.URI;
import java.nio.file.Path;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * One central manager; any number of them share a database without knowing one another (G-01). The
 * same class runs stand-alone and embedded. Start and stop block; a stopped one cannot be started
 * again.
 */
public final class CentralManager implements Service {
  private static final Duration LOSING_CLAIM = Duration.ofSeconds(3);

  private final CentralSettings settings;
  private final Clock clock;
  // Unique for each instance, so that a restarted one never takes the claims of its predecessor for
  // its own (G-02).
  private final String claimant;
  private final Metrics metrics;
  // Guarded by this.
  private Database database;
  private ServiceGroup services;
  private WebServer web;

  public CentralManager(CentralSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.claimant = settings.name() + "-" + UUID.randomUUID();
    this.metrics = new Metrics("central-manager", settings.name());
  }

  /**
   * Opens the database, creates missing keys and tokens, and starts serving.
   *
   * @throws io.millrace.api.MillraceException STORE_FAILURE or CONFIGURATION
   */
  @Override
  public synchronized void start() {
    Path tokens = settings.tokens();
    KeyFiles.ensure(tokens);
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(tokens), clock);
    TokenFiles.ensure(tokens, issuer);
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)), clock, NodeIdentity.CENTRAL);
    database = Database.open(settings.databaseOrFile(), List.of("platform", "central"));
    database.measure(metrics.registry());
    try {
      compose(issuer, verifier);
      services.start();
    } catch (RuntimeException failure) {
      database.close();
      throw failure;
    }
  }

  private void compose(TokenIssuer issuer, TokenVerifier verifier) {
    ClaimDao claims = new ClaimDao(database);
    JdkTransport transport = new JdkTransport();
    ECPrivateKey key = KeyFiles.privateKey(settings.tokens());
    AttemptSecrets secrets = new AttemptSecrets(key);
    AttemptProofs proofs = new AttemptProofs(secrets);
    SignedCalls calls = new SignedCalls(transport, CallSigner.ofCentralManager(key), clock);
    LoginSessions sessions = new LoginSessions(database, clock);
    NodeIdentities identities = new NodeIdentities(database, clock);
    WriteProof proof = new WriteProof(database, clock);
    JobModule jobs =
        new JobModule(
            settings,
            database,
            claims,
            proof,
            claimant,
            issuer,
            secrets,
            calls,
            clock,
            metrics.registry());
    QueueModule queues =
        new QueueModule(
            new QueueModule.Shared(
                database,
                jobs.ledger(),
                jobs.registry(),
                jobs::executionNodes,
                jobs::problems,
                settings.problems(),
                settings.notifications().webhooks(),
                claims,
                proof,
                settings.name(),
                claimant,
                verifier,
                sessions,
                identities,
                proofs,
                calls,
                clock,
                jobs.denylist()::forget,
                version()),
            settings.queues());
    TaskModule tasks = tasks(jobs, queues, claims);
    List<Route> routes = new ArrayList<>(jobs.routes());
    routes.addAll(queues.routes());
    routes.addAll(
        new HistoryRoutes(
                new FigureHistories(database),
                new QueueDefinitions(queues.definitions())::require,
                queues.nodes()::require,
                jobs::requireExecutionNode)
            .routes());
    routes.addAll(
        new TaskRoutes(tasks.forRoutes(queues.deletions()), jobs.queries(), jobs.longPoll(), proofs)
            .routes());
    routes.addAll(
        new SessionTokenRoutes(
                new SessionWorkerTokens(
                    issuer, new QueueDefinitions(queues.definitions()), jobs.queries()::isCurrent),
                proofs)
            .routes());
    routes.addAll(joining(issuer, identities).routes());
    routes.addAll(
        new PartitionRoutes(new PartitionGroups(database), new PartitionCycles(database)).routes());
    routes.addAll(
        new BackupRoutes(
                new CentralSpool(database, settings.dataDirectory()), queues.nodes(), calls)
            .routes());
    routes.addAll(new DashboardRoutes().routes());
    web =
        new WebServer(
            settings.web(),
            new Callers(verifier, identities::require, sessions::find),
            health(database),
            metrics,
            routes);
    List<Service> all = new ArrayList<>();
    all.add(new FileCompaction(database));
    all.addAll(jobs.services());
    all.addAll(queues.services());
    all.add(losing(claims, proof));
    all.addAll(tasks.services());
    all.add(clusterMeters(queues, tasks, claims));
    // Late, so that no request is answered before everything runs; it stops early, once waiting
    // requests have been answered.
    all.add(web);
    all.addAll(queues.answering());
    all.add(jobs.longPoll());
    services = new ServiceGroup(all);
  }

  private TaskModule tasks(JobModule jobs, QueueModule queues, ClaimDao claims) {
    TaskModule tasks =
        new TaskModule(
            new TaskModule.Shared(
                database,
                queues.definitions(),
                jobs.ledger(),
                jobs.wakeUps(),
                claims,
                claimant,
                new TaskMeters(metrics.registry()),
                jobs.workflows()),
            jobs.outputs(),
            new PoolMembers(jobs::executionNodes));
    queues.whenDefined(tasks::wake);
    queues.deletions().add(tasks.removal(jobs.denylist()::forget));
    jobs.alsoProblems(queues.deletions()::problems);
    jobs.alsoProblems(tasks::problems);
    return tasks;
  }

  private ClusterMeters clusterMeters(QueueModule queues, TaskModule tasks, ClaimDao claims) {
    return new ClusterMeters(
        metrics.registry(),
        new ClusterSources(
            queues::overview, queues::jobs, tasks::lateTasks, () -> claims.heldBy(claimant)),
        clock);
  }

  private JoinRoutes joining(TokenIssuer issuer, NodeIdentities identities) {
    Path key = settings.tokens().resolve(KeyFiles.PUBLIC);
    JoinService service = new JoinService(database, identities, issuer, KeyFiles.publicText(key));
    return new JoinRoutes(service, identities);
  }

  /** Ends the memberships of silent partition members. */
  private ClaimedDuty losing(ClaimDao claims, WriteProof proof) {
    MemberExpiry expiry = new MemberExpiry(database, claims, clock, proof);
    return new ClaimedDuty(
        "lose-partition-members",
        claimant,
        LOSING_CLAIM,
        MemberExpiry.CHECK_INTERVAL,
        claims,
        expiry);
  }

  private static Health health(Database database) {
    return new Health(
        Map.of(
            "database",
            () -> {
              try {
                database.now();
                return Optional.empty();
              } catch (RuntimeException failure) {
                return Optional.of(failure.getMessage());
              }
            }));
  }

  /** Its address; only after its start. */
  public URI address() {
    return web().address();
  }

  /** Its web server, so that a test can list the routes; only after its start. */
  public synchronized WebServer web() {
    if (web == null) {
      throw new IllegalStateException("the central manager has not been started");
    }
    return web;
  }

  /** The directory with the cluster's public key and the role tokens. */
  public Path tokens() {
    return settings.tokens();
  }

  @Override
  public synchronized void stop() {
    if (services != null) {
      try {
        services.stop();
      } finally {
        database.close();
      }
    }
  }

  private static String version() {
    String version = CentralManager.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
