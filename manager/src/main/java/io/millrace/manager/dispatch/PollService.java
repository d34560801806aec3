package io.millrace.manager.dispatch;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.JobReadDao.Task;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.ProgressReports;
import io.millrace.manager.node.ExclusiveDao;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.node.RequestSequence;
import io.millrace.manager.queue.SessionWorkerTokens;
import io.millrace.manager.task.TaskSpecs;
import io.millrace.manager.task.TaskWorkerDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Answers polls of execution nodes. Thread-safe; blocks only on the database. */
public final class PollService {
  // A node that starts thousands of attempts between two polls would exceed its lease.
  private static final int MAX_STARTS = 250;
  private static final Duration MIN_TIME = Duration.ofMillis(1);

  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final ExclusiveDao exclusives = new ExclusiveDao();
  private final JobReadDao jobs;
  private final NodeAttempts attempts;
  private final WorkerTokens tokens;
  private final AttemptSecrets secrets;
  private final Heartbeat heartbeat;
  private final ProgressReports progress;

  public PollService(
      Database database,
      NodeAttempts attempts,
      WorkerTokens tokens,
      AttemptSecrets secrets,
      Heartbeat heartbeat) {
    this.database = database;
    this.jobs = new JobReadDao(database.dialect());
    this.time = new DatabaseTime(database.dialect());
    this.attempts = attempts;
    this.tokens = tokens;
    this.secrets = secrets;
    this.heartbeat = heartbeat;
    this.progress = new ProgressReports(database);
  }

  /**
   * Records a poll as a heartbeat, and the progress that it reports. A poll shortly after the last,
   * as busy nodes send them, is not recorded; nodes get a lease that is shorter by that time. A
   * repeated poll renews nothing.
   *
   * @throws MillraceException UNKNOWN_NODE when the node has to register, STALE_REQUEST when a
   *     newer request of it was accepted, INVALID_REQUEST when the poll is invalid
   */
  public void heartbeat(UUID node, PollRequest request, RequestNumber number) {
    PollRules.check(request);
    // Not in a transaction: a process frozen here must not delay the heartbeat at another one.
    if (!database.read(handle -> renew(handle, node, request, number))) {
      NodeRow row =
          database
              .read(handle -> nodes.find(handle, node))
              .orElseThrow(() -> ExecutionNodes.unknown(node));
      requireNewest(row, number);
    }
    progress.take(node, request.progress());
  }

  /** Only the newest request of the incarnation that has registered may change anything. */
  private static void requireNewest(NodeRow row, RequestNumber number) {
    boolean isNew = RequestSequence.isNew(row, number);
    if (row.lost() || (isNew && row.request().incarnation() != number.incarnation())) {
      throw ExecutionNodes.unknown(row.id());
    }
  }

  private boolean renew(Handle handle, UUID node, PollRequest request, RequestNumber number) {
    Instant now = time.now(handle);
    if (renewedRecently(handle, node, request, number, now)) {
      return true;
    }
    Long offset = request.clock() == null ? null : PollRules.offsetMillis(now, request.clock());
    return nodes.renew(
        handle, database.dialect(), node, number, request.accepting(), offset, heartbeat.lease());
  }

  private boolean renewedRecently(
      Handle handle, UUID node, PollRequest request, RequestNumber number, Instant now) {
    return nodes
        .find(handle, node)
        .filter(row -> !row.lost())
        .filter(row -> row.request().incarnation() == number.incarnation())
        .filter(row -> row.request().sequence() < number.sequence())
        .filter(row -> row.accepting() == request.accepting())
        .filter(row -> !row.heardAt().isAfter(now))
        .filter(row -> row.heardAt().plus(heartbeat.unrecorded()).isAfter(now))
        .isPresent();
  }

  /**
   * What the node is to do now; empty lists for nothing. Attempts that are handed out or withdrawn
   * are recorded first, and only if the poll is the node's newest request: a newer one may have
   * been given the same attempts. Never waits for a lock on the node: its single instances are
   * stopped when polls go unanswered.
   *
   * @throws MillraceException as {@link #heartbeat}
   */
  public PollAnswer instructions(UUID node, PollRequest request, RequestNumber number) {
    PollInstructions seen = database.read(handle -> instructions(handle, node, request));
    if (seen.start().isEmpty() && seen.withdraw().isEmpty() && seen.found().isEmpty()) {
      return new PollAnswer(List.of(), seen.stop());
    }
    PollInstructions instructions =
        database.transaction(handle -> carryOut(handle, node, request, number, seen));
    List<AttemptId> start = first(instructions);
    List<Assignment> assignments =
        start.isEmpty() ? List.of() : database.read(handle -> assignments(handle, start));
    return new PollAnswer(assignments, instructions.stop());
  }

  private PollInstructions carryOut(
      Handle handle, UUID node, PollRequest request, RequestNumber number, PollInstructions seen) {
    Optional<RequestNumber> ordered = nodes.lockOrdersIfFree(handle, node);
    NodeRow row = nodes.find(handle, node).orElseThrow(() -> ExecutionNodes.unknown(node));
    if (ordered.isEmpty()) {
      if (!seen.found().isEmpty()) {
        // An answer would renew an attempt that still counts as missing and may be declared lost.
        throw new MillraceException(
            ErrorCode.UNAVAILABLE,
            "another central manager is changing the orders of node %s; the node retries automatically"
                .formatted(node));
      }
      // The owner of the lock may be frozen: the answer renews the lease, the instructions can
      // wait.
      return seen.onlyStops();
    }
    // Read after the lock, and not locked: a newer poll may arrive meanwhile; its instructions
    // wait.
    requireNewest(row, number);
    RequestSequence.requireNotOlder(row, ordered.get(), number);
    Instant now = time.now(handle);
    boolean takesJobs = request.accepting() && row.takesJobs(now);
    List<Booking> recorded = attempts.of(handle, node);
    PollInstructions instructions = PollInstructions.of(recorded, request.held(), takesJobs);
    String reason =
        instructions.accepting() ? "cancelled before its start" : "its node takes no new jobs";
    Set<AttemptId> mayRun = exclusives.offered(handle, node, instructions.withdraw());
    // A repeated poll does not list what its first answer handed out and may be running by now; the
    // next poll will.
    Set<AttemptId> handedOut =
        number.equals(ordered.get())
            ? recorded.stream()
                .filter(Booking::offered)
                .map(Booking::attempt)
                .collect(Collectors.toSet())
            : Set.of();
    List<AttemptId> notStarted =
        instructions.withdraw().stream()
            .filter(attempt -> !mayRun.contains(attempt) && !handedOut.contains(attempt))
            .toList();
    attempts.end(handle, node, notStarted, AttemptResult.withdrawn(reason), now);
    attempts.markMissing(handle, node, mayRun, now);
    attempts.markOffered(handle, node, first(instructions));
    // The node renews what it lists: the time its watchdog has run so far no longer counts.
    attempts.markHeld(handle, node, instructions.found());
    nodes.gaveOrders(handle, node, number);
    return instructions;
  }

  private static List<AttemptId> first(PollInstructions instructions) {
    return instructions.start().subList(0, Math.min(MAX_STARTS, instructions.start().size()));
  }

  private PollInstructions instructions(Handle handle, UUID node, PollRequest request) {
    List<Booking> recorded = attempts.of(handle, node);
    // A node that began to drain since its last poll is not given what was placed on it before.
    boolean takesJobs = request.accepting() && (recorded.isEmpty() || takesJobs(handle, node));
    return PollInstructions.of(recorded, request.held(), takesJobs);
  }

  private boolean takesJobs(Handle handle, UUID node) {
    Instant now = time.now(handle);
    return nodes.find(handle, node).filter(row -> row.takesJobs(now)).isPresent();
  }

  private List<Assignment> assignments(Handle handle, List<AttemptId> start) {
    Map<AttemptId, Task> tasks = jobs.tasks(handle, start);
    Map<Long, Long> runs = runs(handle, tasks);
    Map<String, URI> queueNodes = nodes.addresses(handle, NodeKind.QUEUE);
    Instant now = time.now(handle);
    // An attempt that ended between the two reads has no task any more.
    return start.stream()
        .filter(tasks::containsKey)
        .map(attempt -> assignment(attempt, tasks.get(attempt), queueNodes, runs, now))
        .toList();
  }

  /** The runs of tasks that the jobs work for, by job. */
  private Map<Long, Long> runs(Handle handle, Map<AttemptId, Task> tasks) {
    // Those of a task may also be its manager or a step; the rows of its runs tell them apart.
    List<Long> ofTasks =
        tasks.entrySet().stream()
            .filter(one -> TaskSpecs.isOwner(one.getValue().owner()))
            .map(one -> one.getKey().job())
            .toList();
    return ofTasks.isEmpty() ? Map.of() : TaskWorkerDao.runsOf(handle, ofTasks);
  }

  /** The specification limited to the time until its deadline. Pure. */
  static JobSpec withinDeadline(JobSpec spec, Instant now) {
    if (spec.deadline() == null) {
      return spec;
    }
    Duration left = Duration.between(now, spec.deadline());
    if (left.compareTo(MIN_TIME) < 0) {
      left = MIN_TIME;
    }
    boolean shorter = spec.timeout() == null || left.compareTo(spec.timeout()) < 0;
    return shorter ? spec.draft().timeout(left).spec() : spec;
  }

  private Assignment assignment(
      AttemptId attempt,
      Task task,
      Map<String, URI> queueNodes,
      Map<Long, Long> runs,
      Instant now) {
    JobSpec spec = withinDeadline(task.spec(), now);
    String secret = spec.program() == null && !renewsItsToken(spec) ? null : secrets.of(attempt);
    if (spec.input() == null) {
      Long run = runs.get(attempt.job());
      String token = run == null ? null : tokens.issue(attempt, task.spec(), run);
      return new Assignment(attempt, task.kind(), spec, null, token, secret);
    }
    return new Assignment(
        attempt,
        task.kind(),
        spec,
        queueNodes.get(task.spec().input().node()),
        tokens.issue(attempt, task.spec()),
        secret);
  }

  /** Whether its process calls a queue node itself, maybe for longer than a token is valid. */
  private static boolean renewsItsToken(JobSpec spec) {
    return spec.input() != null
        && (spec.input().input() == WorkerInput.SESSION
            || spec.input().input() == WorkerInput.PULL);
  }

  /**
   * Issues the token of a worker's attempt, valid for its queue or its run as long as it may run,
   * and at least two hours; that of a process that takes sessions is renewed.
   */
  public static final class WorkerTokens {
    private static final Duration WITHOUT_LIMIT = Duration.ofDays(7);
    // Covers the transfer to the node, the start, and the acknowledgement after the end.
    private static final Duration MARGIN = Duration.ofMinutes(10);
    // A token is accepted after its expiry for as long as it was valid: a clock that is wrong by up
    // to two hours locks no worker out.
    private static final Duration SHORTEST = TokenVerifier.LEEWAY;

    private final TokenIssuer issuer;

    public WorkerTokens(TokenIssuer issuer) {
      this.issuer = issuer;
    }

    String issue(AttemptId attempt, JobSpec spec) {
      Principal worker = Principal.worker(spec.input().queue(), attempt);
      if (spec.input().input() == WorkerInput.SESSION) {
        // Its timeout is that of an event, and its host renews the token as long as it runs.
        return issuer.issue(worker, Optional.of(SessionWorkerTokens.OF_JOB));
      }
      return issuer.issue(worker, Optional.of(validity(longest(spec).orElse(WITHOUT_LIMIT))));
    }

    /** Without an expiry if the attempt has no limit: the database decides until when it runs. */
    String issue(AttemptId attempt, JobSpec spec, long run) {
      return issuer.issue(
          Principal.taskWorker(run, attempt), longest(spec).map(WorkerTokens::validity));
    }

    private static Duration validity(Duration longest) {
      Duration needed = longest.plus(MARGIN);
      return needed.compareTo(SHORTEST) < 0 ? SHORTEST : needed;
    }

    private static Optional<Duration> longest(JobSpec spec) {
      return Optional.ofNullable(spec.timeout())
          .map(time -> time.plus(spec.grace()).plus(feeding(spec)));
    }

    // The timeout of a stream begins anew with each answer, until its last event.
    private static Duration feeding(JobSpec spec) {
      BatchInput input = spec.input();
      if (input == null || input.input() != WorkerInput.STREAM) {
        return Duration.ZERO;
      }
      Duration feeding = input.linger() == null ? Duration.ZERO : input.linger().maxTime();
      Duration all = feeding.plus(spec.timeout().multipliedBy(input.batch()));
      return all.compareTo(WITHOUT_LIMIT) < 0 ? all : WITHOUT_LIMIT;
    }
  }

  /** Rules for polls. Pure. */
  private static final class PollRules {
    // More than the slots that a node may have, built-in programs and ends not reported yet
    // included.
    private static final int MAX_HELD = 100_000;
    // A node whose clock was reset starts in 1970, and works.
    private static final Duration FURTHEST_OFF = Duration.ofDays(100 * 365);

    private PollRules() {}

    /**
     * Refuses an invalid poll.
     *
     * @throws MillraceException INVALID_REQUEST
     */
    static void check(PollRequest request) {
      if (request == null || request.held() == null) {
        throw refuse("held: missing; list the attempts that the node holds, or an empty list");
      }
      if (request.held().size() > MAX_HELD) {
        throw refuse(
            "held: %d attempts; list at most %d".formatted(request.held().size(), MAX_HELD));
      }
      if (request.held().stream().anyMatch(Objects::isNull)) {
        throw refuse("held: contains null; list attempts only");
      }
      checkProgress(request.progress());
    }

    private static void checkProgress(List<ProgressReport> progress) {
      if (progress == null) {
        return;
      }
      if (progress.size() > PollRequest.MOST_PROGRESS) {
        throw refuse(
            "progress: %d reports; send at most %d"
                .formatted(progress.size(), PollRequest.MOST_PROGRESS));
      }
      if (progress.stream()
          .anyMatch(one -> one == null || one.attempt() == null || one.progress() == null)) {
        throw refuse("progress: contains null; list attempts with their progress only");
      }
    }

    /**
     * The clock of the node minus the database's.
     *
     * @throws MillraceException INVALID_REQUEST when the difference is implausible
     */
    static long offsetMillis(Instant database, Instant node) {
      Duration offset = Duration.between(database, node);
      if (offset.abs().compareTo(FURTHEST_OFF) > 0) {
        throw refuse(
            "clock: the node's clock shows %s, the database's %s; correct whichever is wrong"
                .formatted(node, database));
      }
      return offset.toMillis();
    }

    private static MillraceException refuse(String message) {
      return new MillraceException(ErrorCode.INVALID_REQUEST, message);
    }
  }
}
