package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.Durations;
import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionSummary;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.Licence;
import io.millrace.api.job.Share;
import io.millrace.api.node.AttemptReport.ReportAnswer;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.api.node.NodeAllowance;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacingRoundAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.Topology;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.WeightsView;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The central managers' API, typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class CentralClient {
  // How long nodes wait for an answer, so that they soon turn from a frozen central manager to
  // another one.
  private static final Duration PROMPTLY = Duration.ofSeconds(10);

  // For a call that a server makes while it stops, or that another server can answer.
  private static final Duration BRIEFLY = Duration.ofSeconds(3);

  // The first page of a month may take the database some time.
  private static final Duration EXPORTED_WITHIN = Duration.ofMinutes(2);

  private final ApiClient api;

  public CentralClient(ApiClient api) {
    this.api = api;
  }

  /** The number of central managers. */
  public int servers() {
    return api.servers();
  }

  /** Calls about tasks. */
  public TaskClient tasks() {
    return new TaskClient(api);
  }

  /** Calls about workflows. */
  public WorkflowClient workflows() {
    return new WorkflowClient(api);
  }

  /** Calls of a backup. */
  public BackupClient backups() {
    return new BackupClient(api);
  }

  /** Calls about groups that share resources. */
  public PartitionClient partitions() {
    return new PartitionClient(api);
  }

  /** The sessions of queues, through the same servers. */
  public SessionClient sessions() {
    return new SessionClient(api);
  }

  // --- called by people

  public Overview overview() {
    return api.get("/v1/overview").as(Overview.class);
  }

  /** A queue node by its name. */
  public QueueNodeView queueNode(String node) {
    return api.get(path("/v1/queue-nodes/%s", node)).as(QueueNodeView.class);
  }

  /** The load balancers that are running; producers may ask for these as well. */
  public List<BalancerAddress> loadBalancers() {
    return List.of(api.get("/v1/load-balancers").as(BalancerAddress[].class));
  }

  public QueueDetails queue(String queue) {
    return api.get(path("/v1/queues/%s", queue)).as(QueueDetails.class);
  }

  /**
   * How a queue's figures changed over a span; INVALID_REQUEST if nothing lies in it.
   *
   * @param to null for now
   */
  public FigureHistory history(String queue, Instant from, Instant to) {
    String uri = path("/v1/queues/%s/history?from=%s", queue, from);
    return api.get(to == null ? uri : uri + path("&to=%s", to)).as(FigureHistory.class);
  }

  /** A queue's weight row and its versions of the last minutes. */
  public WeightsView weights(String queue, int minutes) {
    return api.get(path("/v1/queues/%s/weights?minutes=%s", queue, minutes)).as(WeightsView.class);
  }

  /**
   * Why a queue has as many workers as it has.
   *
   * @param node only this segment; null for all
   * @param since how far back decisions are considered
   * @param limit the number of decisions shown
   */
  public PacingExplanation explain(String queue, String node, Duration since, int limit) {
    String uri =
        path("/v1/queues/%s/explanation?since=%s&limit=%s", queue, Durations.format(since), limit);
    return api.get(uri + (node == null ? "" : path("&node=%s", node))).as(PacingExplanation.class);
  }

  /**
   * A queue's decisions of a period, oldest first, as a stream of one JSON object per line; the
   * caller closes it.
   */
  public InputStream exportDecisions(String queue, Instant from, Instant to) {
    String uri = path("/v1/queues/%s/decisions/export?from=%s&to=%s", queue, from, to);
    return api.stream(HttpCall.get(URI.create(uri)).within(EXPORTED_WITHIN));
  }

  /** Overrides settings of a queue's definition for a limited time. */
  public PacingOverride override(String queue, OverrideRequest request) {
    return api.send(HttpCall.put(URI.create(path("/v1/queues/%s/override", queue)), request))
        .as(PacingOverride.class);
  }

  /** Ends an override; does nothing if there is none. */
  public void endOverride(String queue) {
    api.delete(path("/v1/queues/%s/override", queue));
  }

  /** Decisions about weight, newest first; null for any queue or any node. */
  public List<BalancingDecisionView> balancingDecisions(String queue, String node, int limit) {
    String uri = path("/v1/balancing/decisions?limit=%s", limit);
    uri += queue == null ? "" : path("&queue=%s", queue);
    uri += node == null ? "" : path("&node=%s", node);
    return List.of(api.get(uri).as(BalancingDecisionView[].class));
  }

  /** Changes weight rows as a node has decided; STALE_VERSION when one has changed since. */
  public MoveAnswer move(MoveRequest request) {
    return api.post("/v1/weights/moves", request).as(MoveAnswer.class);
  }

  /**
   * Unfinished events in the order of delivery, without leasing them.
   *
   * @param state {@code ready}, {@code delayed} or {@code leased}; null for all
   */
  public Listing<PeekedEvent> peek(String queue, int limit, String state) {
    String uri = path("/v1/queues/%s/peek?limit=%s", queue, limit);
    uri += state == null ? "" : path("&state=%s", state);
    return Listing.of(api.get(uri), PeekedEvent[].class);
  }

  /** Deletes events that are not leased. */
  public QueueActionAnswer purge(String queue, PurgeRequest request) {
    return api.post(path("/v1/queues/%s/purge", queue), request).as(QueueActionAnswer.class);
  }

  public QueueControl pause(String queue, PauseRequest request) {
    return api.post(path("/v1/queues/%s/pause", queue), request).as(QueueControl.class);
  }

  public QueueControl resume(String queue, PauseRequest request) {
    return api.post(path("/v1/queues/%s/resume", queue), request).as(QueueControl.class);
  }

  /** Drains a queue node: it gives all its weight away until it is activated again. */
  public QueueNodeView drain(String node, NodeCommand command) {
    return api.post(path("/v1/queue-nodes/%s/drain", node), command).as(QueueNodeView.class);
  }

  /** Ends draining or maintenance. */
  public QueueNodeView undrain(String node) {
    return api.post(path("/v1/queue-nodes/%s/undrain", node), null).as(QueueNodeView.class);
  }

  /** Begins maintenance: until it ends, the queue node keeps its weight and is not lost. */
  public QueueNodeView maintain(String node, NodeCommand command) {
    return api.post(path("/v1/queue-nodes/%s/maintenance", node), command).as(QueueNodeView.class);
  }

  /**
   * Removes a lost queue node.
   *
   * @param force even if it held events, which are lost with it
   */
  public void forget(String node, boolean force) {
    api.delete(path("/v1/queue-nodes/%s?force=%s", node, force));
  }

  public ApplyAnswer apply(ApplyRequest request) {
    return api.post("/v1/definitions", request).as(ApplyAnswer.class);
  }

  /** Deleted definitions that were not created again, the last deleted first; at most 1,000. */
  public List<DeletionView> deletedDefinitions() {
    return List.of(api.get("/v1/definitions/deleted").as(DeletionView[].class));
  }

  /** The definitions in force, by kind and name. */
  public List<DefinitionSummary> definitions() {
    return List.of(api.get("/v1/definitions").as(DefinitionSummary[].class));
  }

  /** One version of a definition, 0 for the one in force; UNKNOWN_DEFINITION. */
  public DefinitionView definition(String kind, String name, int version) {
    String uri = path("/v1/definitions/%s/%s", kind, name);
    return api.get(version == 0 ? uri : uri + "?version=" + version).as(DefinitionView.class);
  }

  /** The versions of a definition, newest first; UNKNOWN_DEFINITION. */
  public List<DefinitionVersion> definitionHistory(String kind, String name) {
    return List.of(
        api.get(path("/v1/definitions/%s/%s/history", kind, name)).as(DefinitionVersion[].class));
  }

  /** A new version with the content of an earlier one; INVALID_DEFINITION, STALE_VERSION. */
  public ApplyChange rollBack(String kind, String name, RollbackRequest request) {
    return api.post(path("/v1/definitions/%s/%s/rollback", kind, name), request)
        .as(ApplyChange.class);
  }

  /** Begins the deletion of a definition; CONFLICT for work not mentioned, STALE_VERSION. */
  public DeletionView delete(String kind, String name, DeletionRequest request) {
    return api.post(path("/v1/definitions/%s/%s/delete", kind, name), request)
        .as(DeletionView.class);
  }

  public JobView submit(JobSpec spec) {
    return api.post("/v1/jobs", spec).as(JobView.class);
  }

  /** A page of jobs; the query is for instance {@code state=failed&queue=alert&limit=20}. */
  public JobPage jobs(String query) {
    return api.get("/v1/jobs" + (query.isEmpty() ? "" : "?" + query)).as(JobPage.class);
  }

  /** The failed ones of the jobs that a query such as that of {@link #jobs} names, by cause. */
  public FailureGroups failures(String query) {
    return api.get("/v1/jobs/failures" + (query.isEmpty() ? "" : "?" + query))
        .as(FailureGroups.class);
  }

  /**
   * What jobs used.
   *
   * @param since the first day, as an age or a date
   * @param until the last day likewise; null for today
   */
  public UsageReport usage(UsageBy by, String since, String until) {
    String uri = path("/v1/usage?by=%s&since=%s", by.name().toLowerCase(Locale.ROOT), since);
    return api.get(until == null ? uri : uri + path("&until=%s", until)).as(UsageReport.class);
  }

  public JobDetails job(long id) {
    return api.get(path("/v1/jobs/%s", id)).as(JobDetails.class);
  }

  /**
   * Submits a job at most once, however often the call is repeated within ten minutes.
   *
   * @param idempotencyKey the same for each repetition, for instance a UUID
   */
  public JobView submit(JobSpec spec, String idempotencyKey) {
    HttpCall call = HttpCall.post(URI.create("/v1/jobs"), spec);
    return api.send(call.with("Idempotency-Key", idempotencyKey)).as(JobView.class);
  }

  /** Submits up to 10,000 jobs in one transaction, all or none; the IDs in the same order. */
  public List<Long> submitAll(List<JobSpec> specs) {
    return List.of(api.post("/v1/jobs/batch", specs).as(Long[].class));
  }

  /** Applies an action to many jobs. */
  public JobActionAnswer act(JobAction action) {
    return api.post("/v1/jobs/actions", action).as(JobActionAnswer.class);
  }

  /** Why a job is waiting, and what it has waited for. */
  public JobExplanation explain(long id) {
    return api.get(path("/v1/jobs/%s/explanation", id)).as(JobExplanation.class);
  }

  /** What needs an operator's attention, the most urgent first. */
  public List<Alert> problems() {
    return List.of(api.get("/v1/problems").as(Alert[].class));
  }

  /** Problems that have ended, the last to end first. */
  public List<EndedProblem> endedProblems(int limit) {
    return List.of(api.get("/v1/problems/ended?limit=" + limit).as(EndedProblem[].class));
  }

  /** Events of queues that were given up. */
  public DeadLetterClient deadLetters() {
    return new DeadLetterClient(api);
  }

  /** The silences of problems. */
  public SilenceClient silences() {
    return new SilenceClient(api);
  }

  /** All shares that are, or recently were, in use, by name. */
  public List<Share> shares() {
    return List.of(api.get("/v1/shares").as(Share[].class));
  }

  /** Sets the weight of a share. */
  public Share weigh(String share, double weight) {
    return api.send(
            HttpCall.put(URI.create(path("/v1/shares/%s", share)), Map.of("weight", weight)))
        .as(Share.class);
  }

  /** The licences of the cluster, by name. */
  public List<Licence> licences() {
    return List.of(api.get("/v1/licences").as(Licence[].class));
  }

  /** Sets the total of a licence; 0 removes it. */
  public Licence license(String name, int total) {
    return api.send(HttpCall.put(URI.create(path("/v1/licences/%s", name)), Map.of("total", total)))
        .as(Licence.class);
  }

  /** Execution nodes, by name. */
  public List<ExecutionNodeView> executionNodes() {
    return List.of(api.get("/v1/execution-nodes").as(ExecutionNodeView[].class));
  }

  /**
   * Drains an execution node: it gets no new jobs, and with a duration whatever still runs after it
   * is stopped.
   */
  public ExecutionNodeView drainExecution(String node, NodeCommand command) {
    return api.post(path("/v1/execution-nodes/%s/drain", node), command)
        .as(ExecutionNodeView.class);
  }

  /** Activates an execution node: it takes jobs again. */
  /** Lifts the denial of a definition, or of a user, to an execution node. */
  public ExecutionNodeView allow(String node, String definition) {
    return api.post(path("/v1/execution-nodes/%s/allow", node), new NodeAllowance(definition))
        .as(ExecutionNodeView.class);
  }

  public ExecutionNodeView undrainExecution(String node) {
    return api.post(path("/v1/execution-nodes/%s/undrain", node), null).as(ExecutionNodeView.class);
  }

  /** Puts an execution node into maintenance: its attempts are not considered lost meanwhile. */
  public ExecutionNodeView maintainExecution(String node, NodeCommand command) {
    return api.post(path("/v1/execution-nodes/%s/maintenance", node), command)
        .as(ExecutionNodeView.class);
  }

  /** Creates a one-time token with which a new machine joins. */
  public JoinToken joinToken(JoinTokenRequest request) {
    return api.post("/v1/join-tokens", request).as(JoinToken.class);
  }

  /** The identities of all nodes that have joined, by name. */
  public List<NodeIdentityView> identities() {
    return List.of(api.get("/v1/identities").as(NodeIdentityView[].class));
  }

  /** The same, followed by the last 1,000 identities that were withdrawn, the newest first. */
  public List<NodeIdentityView> allIdentities() {
    return List.of(api.get("/v1/identities?all=true").as(NodeIdentityView[].class));
  }

  /** Withdraws a node's identity; UNKNOWN_NODE. */
  public void withdrawIdentity(String name) {
    api.delete(path("/v1/identities/%s", name));
  }

  /** Exchanges this client's one-time token for an identity. */
  public JoinAnswer join(JoinRequest request) {
    return api.post("/v1/join", request).as(JoinAnswer.class);
  }

  public JobView cancel(long id) {
    return api.post(path("/v1/jobs/%s/cancel", id), null).as(JobView.class);
  }

  public JobView retry(long id) {
    return api.post(path("/v1/jobs/%s/retry", id), null).as(JobView.class);
  }

  /** Waits for the job to end, up to the given time; it may still be running in the answer. */
  public JobView await(long id, Duration limit) {
    return new WaitPieces(api)
        .until(path("/v1/jobs/%s/wait", id), JobView.class, job -> job.state().ended(), limit);
  }

  /**
   * A job's output as it arrives.
   *
   * @param attempt 0 for the current or last one
   * @param stream {@code stdout} or {@code stderr}
   * @param follow whether to continue until the attempt's end
   */
  public InputStream logs(long id, int attempt, String stream, long offset, boolean follow) {
    String uri =
        path(
            "/v1/jobs/%s/logs?attempt=%s&stream=%s&offset=%s&follow=%s",
            id, attempt, stream, offset, follow);
    return api.stream(HttpCall.get(URI.create(uri)).within(Duration.ofHours(24)));
  }

  // --- called by nodes and queue managers

  /** Registers a node; STALE_REQUEST if a newer request of it was already accepted. */
  public RegistrationAnswer register(NodeRegistration registration, RequestNumber number) {
    URI uri = URI.create(numbered("/v1/execution-nodes", number));
    HttpCall call = HttpCall.post(uri, registration).within(PROMPTLY);
    return api.send(call).as(RegistrationAnswer.class);
  }

  /**
   * Asks for work; this is also the node's heartbeat.
   *
   * @param limit how long to wait for the answer; longer than the request's {@code patience}, and
   *     short enough that another central manager can be asked before the node counts as silent
   */
  public PollAnswer poll(UUID node, PollRequest request, RequestNumber number, Duration limit) {
    URI uri = URI.create(numbered(path("/v1/execution-nodes/%s/poll", node), number));
    HttpCall call = HttpCall.post(uri, request).within(limit);
    return api.send(call).as(PollAnswer.class);
  }

  /** The same with a timeout of {@code patience} plus 15 s. */
  public PollAnswer poll(UUID node, PollRequest request, RequestNumber number) {
    return poll(node, request, number, request.patience().plusSeconds(15));
  }

  public ReportAnswer report(UUID node, ReportRequest request) {
    HttpCall call =
        HttpCall.post(URI.create(path("/v1/execution-nodes/%s/reports", node)), request)
            .within(PROMPTLY);
    return api.send(call).as(ReportAnswer.class);
  }

  /** Deregisters a node: its attempts go to the back of the queue (M-12). */
  public void deregister(UUID node, RequestNumber number) {
    api.delete(numbered(path("/v1/execution-nodes/%s", node), number));
  }

  /**
   * Renews a queue node's lease; STALE_REQUEST if a newer report was already accepted.
   *
   * @return how long it may serve sessions from before this call; empty from an earlier version
   */
  public Optional<Duration> report(QueueNodeReport report, RequestNumber number) {
    String path = numbered(path("/v1/queue-nodes/%s/report", report.id()), number);
    // Briefly, so that others are asked within the lease if one is frozen.
    HttpAnswer answer = api.send(HttpCall.post(URI.create(path), report).within(BRIEFLY));
    String lease = answer.headers().get(QueueNodeReport.LEASE_HEADER);
    return Optional.ofNullable(lease).map(Durations::parse);
  }

  /** The same for a load balancer. */
  public void report(BalancerReport report, RequestNumber number) {
    api.post(numbered(path("/v1/load-balancers/%s/report", report.id()), number), report);
  }

  /** A load balancer is stopping: it is not missed. */
  public void deregisterBalancer(UUID balancer, RequestNumber number) {
    URI path = URI.create(numbered(path("/v1/load-balancers/%s", balancer), number));
    api.send(HttpCall.delete(path).within(BRIEFLY));
  }

  private static String numbered(String path, RequestNumber number) {
    return path + "?incarnation=" + number.incarnation() + "&sequence=" + number.sequence();
  }

  /**
   * The topology once it differs from the known version (null for none), or empty after the wait.
   */
  public Optional<Topology> topology(String known, Duration wait) {
    return topology(known, "wait=" + Durations.format(wait), wait);
  }

  /**
   * The topology as a central manager reads it from the database after this call; empty if it has
   * the known version (null for none).
   *
   * @throws MillraceException UNAVAILABLE if no central manager can read it
   */
  public Optional<Topology> freshTopology(String known) {
    return topology(known, "fresh=true", Duration.ZERO);
  }

  private Optional<Topology> topology(String known, String how, Duration wait) {
    String uri = path("/v1/topology?after=%s", known == null ? "" : known) + "&" + how;
    HttpAnswer answer = api.send(HttpCall.get(URI.create(uri)).within(wait.plusSeconds(15)));
    return answer.status() == 204 ? Optional.empty() : Optional.of(answer.as(Topology.class));
  }

  /** Reports what queue managers decided and requests what they need to know. */
  public PacingRoundAnswer pace(PacingRound round) {
    return api.post("/v1/pacing/rounds", round).as(PacingRoundAnswer.class);
  }
}
