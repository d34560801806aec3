package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingRound.PacingRoundAnswer;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.weight.WeightDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the rounds of queue managers, many in one request. Thread-safe; every method blocks on the
 * database.
 *
 * <p>A decision is recorded and carried out in one transaction that holds the lock of the attempt's
 * job, so that a manager that was replaced submits nothing, and the lock of the queue, so that its
 * caps apply over all its segments together.
 */
public final class PacingService {
  private static final Logger LOGGER = LoggerFactory.getLogger(PacingService.class);
  private static final int MAX_STARTS = 10_000;

  private static final int SERVER_FAULT = 500;

  /** Decisions of one transaction: many make a round cheap, few keep the locks short. */
  private static final int CHUNK = 100;

  private static final Comparator<PacedDecision> BY_SEGMENT =
      Comparator.comparing(PacedDecision::queue).thenComparing(PacedDecision::node);

  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final JobLedger ledger;
  private final PacingCaps caps;
  private final BiConsumer<String, String> leaving;

  /**
   * The service.
   *
   * @param leaving asks one of the session workers of a queue at a node to end; never blocks
   */
  public PacingService(
      Database database,
      QueueDefinitions definitions,
      QueueNodes nodes,
      JobLedger ledger,
      BiConsumer<String, String> leaving) {
    this.leaving = leaving;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.nodes = nodes;
    this.ledger = ledger;
    this.caps = new PacingCaps(ledger);
  }

  /**
   * Records decisions, then returns the requested views. The secrets of the decisions have been
   * checked.
   */
  public PacingRoundAnswer round(PacingRound round) {
    int max = Math.max(round.decisions().size(), round.views().size());
    if (max > PacingRound.MAX) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "%d in one round; send at most %d".formatted(max, PacingRound.MAX));
    }
    List<PacingAnswer> refused = record(round.decisions());
    return new PacingRoundAnswer(refused, views(round.views()));
  }

  private List<PacingAnswer> views(List<PacedSegment> asked) {
    if (asked.isEmpty()) {
      return List.of();
    }
    PacingViews views = PacingViews.read(database, queues(), nodes, ledger, asked);
    return asked.stream()
        .map(
            segment ->
                views
                    .of(segment)
                    .map(view -> answer(segment, view))
                    .orElseGet(() -> unknown(segment)))
        .toList();
  }

  private Map<String, VersionedQueue> queues() {
    return definitions.all().stream()
        .collect(Collectors.toMap(queue -> queue.definition().name(), Function.identity()));
  }

  /** Records decisions independently, and returns those that were refused. */
  private List<PacingAnswer> record(List<PacedDecision> decisions) {
    if (decisions.isEmpty()) {
      return List.of();
    }
    Map<String, VersionedQueue> queues =
        decisions.size() == 1
            ? definitions.find(decisions.get(0).queue()).stream()
                .collect(Collectors.toMap(queue -> queue.definition().name(), queue -> queue))
            : queues();
    List<PacingAnswer> refused = new ArrayList<>();
    List<PacedDecision> accepted = new ArrayList<>();
    for (PacedDecision one : decisions) {
      Optional<MillraceException> wrong = wrong(one, queues);
      wrong.ifPresentOrElse(problem -> refused.add(refusal(one, problem)), () -> accepted.add(one));
    }
    // In the order in which queues are locked everywhere.
    accepted.sort(BY_SEGMENT);
    for (int from = 0; from < accepted.size(); from += CHUNK) {
      List<PacedDecision> chunk = accepted.subList(from, Math.min(accepted.size(), from + CHUNK));
      refused.addAll(carryOut(chunk, queues));
    }
    accepted.stream()
        .filter(one -> one.decision().leave())
        .filter(one -> refused.stream().noneMatch(refusal -> refusal.concerns(one)))
        .forEach(one -> leaving.accept(one.queue(), one.node()));
    return refused;
  }

  private static Optional<MillraceException> wrong(
      PacedDecision one, Map<String, VersionedQueue> queues) {
    int start = one.decision().start();
    if (start < 0 || start > MAX_STARTS) {
      return Optional.of(
          new MillraceException(
              ErrorCode.INVALID_REQUEST,
              "start must be from 0 to %d, not %d".formatted(MAX_STARTS, start)));
    }
    return queues.containsKey(one.queue())
        ? Optional.empty()
        : Optional.of(QueueDefinitions.unknown(one.queue()));
  }

  /** All in one transaction; if that fails, each in its own. */
  private List<PacingAnswer> carryOut(
      List<PacedDecision> chunk, Map<String, VersionedQueue> queues) {
    try {
      return database.transaction(handle -> carryOut(handle, chunk, queues));
    } catch (MillraceException e) {
      if (e.code().status() >= SERVER_FAULT) {
        throw e;
      }
      if (chunk.size() == 1) {
        return List.of(refusal(chunk.get(0), e));
      }
      LOGGER.warn(
          "{} decisions failed in one transaction, retrying each separately", chunk.size(), e);
      return chunk.stream()
          .map(one -> carryOut(List.of(one), queues))
          .flatMap(List::stream)
          .toList();
    }
  }

  private List<PacingAnswer> carryOut(
      Handle handle, List<PacedDecision> chunk, Map<String, VersionedQueue> queues) {
    Collection<AttemptId> attempts = chunk.stream().map(one -> one.decision().attempt()).toList();
    Map<AttemptId, String> current = ledger.lockCurrent(handle, attempts);
    List<PacingAnswer> refused = new ArrayList<>();
    Map<SegmentKey, PacingRecord> done = new LinkedHashMap<>();
    for (PacedDecision one : chunk) {
      SegmentKey segment = new SegmentKey(one.queue(), one.node());
      // A current attempt of some other job does not manage this segment either.
      if (segment.managerName().equals(current.get(one.decision().attempt()))) {
        done.put(segment, start(handle, queues.get(one.queue()), one));
      } else {
        refused.add(refusal(one, stale(one)));
      }
    }
    new DecisionLog(handle, time.now(handle)).keep(done);
    return refused;
  }

  private PacingRecord start(Handle handle, VersionedQueue queue, PacedDecision one) {
    PacingRecord decision = one.decision();
    if (decision.start() == 0) {
      return decision;
    }
    String name = one.queue();
    WeightDao.lock(handle, name);
    if (DeletionDao.ending(handle, QueueKind.KEYWORD, name, queue.version())) {
      throw QueueDefinitions.unknown(name);
    }
    Instant now = time.now(handle);
    PacingRecord capped = caps.apply(handle, queue.definition(), one.node(), decision, now);
    if (capped.start() > 0) {
      List<Long> jobs =
          ledger.submit(
              handle,
              JobKind.WORKER,
              "queue:" + name,
              Collections.nCopies(capped.start(), WorkerSpecs.worker(queue, one.node())));
      probing(handle, name, jobs.get(0), now);
    }
    return capped;
  }

  /** While the breaker is open, the worker that was started is its probe. */
  private static void probing(Handle handle, String queue, long job, Instant now) {
    if (BreakerDao.open(handle, queue).isPresent()) {
      BreakerDao.put(handle, queue, BreakerDao.lock(handle, queue).probing(job, now));
    }
  }

  private static MillraceException stale(PacedDecision one) {
    return new MillraceException(
        ErrorCode.STALE_ATTEMPT,
        "attempt %s is not the current one of the manager of %s on %s; nothing was submitted, stop it"
            .formatted(one.decision().attempt(), one.queue(), one.node()));
  }

  private static PacingAnswer refusal(PacedDecision one, MillraceException why) {
    return new PacingAnswer(one.queue(), one.node(), one.decision().attempt(), null, why.problem());
  }

  private static PacingAnswer answer(PacedSegment segment, PacingView view) {
    return new PacingAnswer(segment.queue(), segment.node(), null, view, null);
  }

  private static PacingAnswer unknown(PacedSegment segment) {
    MillraceException why = QueueDefinitions.unknown(segment.queue());
    return new PacingAnswer(segment.queue(), segment.node(), null, null, why.problem());
  }
}
