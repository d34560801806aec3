package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.notification.Notification;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.session.SessionDefinition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;

/**
 * A queue as defined by an operator; omitted fields get their defaults.
 *
 * @param name 1 to 60 characters: letters, digits, dot, dash, underscore
 * @param batch events of one worker run
 * @param maxAttempts failures of a worker with this event alone, after which it becomes a dead
 *     letter
 * @param maxReturns deliveries lost through no fault of the event, after which it becomes a dead
 *     letter
 * @param lease how long a delivery is leased before it must be extended
 * @param maxEvents the most unfinished events before more are refused; each segment accepts its
 *     share by weight
 * @param maxBytes the largest size of all stored events, dead letters included, before more are
 *     refused; null for no limit
 * @param maxRate events per second before more are refused; 0 for no limit
 * @param retention age at which an event that no worker has taken becomes a dead letter; null for
 *     never
 * @param deadRetention age at which a dead letter is deleted; null for never
 * @param minSegments the fewest segments while that many nodes are alive (H-055)
 * @param pacing how workers are paced
 * @param worker what runs; null if only external consumers take its events
 * @param source where its events are stored if not in Millrace; null for an ordinary queue
 * @param notification whom to notify of dead letters and pauses; null for none
 * @param sessions what keeps the events of one key together; null for a queue without sessions
 */
@RecordBuilder
public record QueueDefinition(
    String name,
    int batch,
    int maxAttempts,
    int maxReturns,
    Duration lease,
    long maxEvents,
    DataSize maxBytes,
    double maxRate,
    Duration retention,
    Duration deadRetention,
    int minSegments,
    PacingDefinition pacing,
    WorkerDefinition worker,
    SourceDefinition source,
    @JsonProperty("notify") Notification notification,
    SessionDefinition sessions)
    implements QueueDefinitionBuilder.With {
  public QueueDefinition {
    Names.require("name", name, ErrorCode.INVALID_DEFINITION);
    batch = batch == 0 ? 50 : batch;
    require(batch > 0 && batch <= 10_000, "batch must be from 1 to 10000");
    maxAttempts = maxAttempts == 0 ? 5 : maxAttempts;
    require(maxAttempts > 0, "maxAttempts must be at least 1");
    maxReturns = maxReturns == 0 ? 25 : maxReturns;
    require(maxReturns > 0, "maxReturns must be at least 1");
    lease = lease == null ? Duration.ofSeconds(30) : lease;
    require(atLeastOneSecond(lease), "lease must be at least 1s");
    maxEvents = maxEvents == 0 ? 10_000_000 : maxEvents;
    require(maxEvents > 0, "maxEvents must be at least 1");
    require(maxBytes == null || maxBytes.bytes() > 0, "maxBytes must be at least 1B");
    require(maxRate >= 0, "maxRate must be events per second, or 0 for no limit");
    require(retention == null || atLeastOneSecond(retention), "retention must be at least 1s");
    require(
        deadRetention == null || atLeastOneSecond(deadRetention),
        "deadRetention must be at least 1s");
    minSegments = minSegments == 0 ? 2 : minSegments;
    require(
        minSegments > 0 && minSegments <= QueueWeights.TOTAL, "minSegments must be from 1 to 1000");
    pacing = pacing == null ? PacingDefinition.DEFAULT : pacing;
    require(
        source == null || worker != null, "source needs a worker that takes the events from there");
    require(
        source == null || sessions == null,
        "sessions are for events stored in Millrace, but this queue has a source; omit one of them");
    require(
        sessions == null || retention == null,
        "retention is for single events; a session ends when it is completed, or by sessions.idle");
    worker =
        worker == null
            ? null
            : worker.withInput(input(worker.input(), source != null, sessions != null));
  }

  private static WorkerInput input(WorkerInput given, boolean external, boolean ofSessions) {
    if (ofSessions) {
      require(
          given == null || given == WorkerInput.SESSION || given == WorkerInput.PULL,
          "worker.input of a queue of sessions is session or pull, not "
              + (given == null ? "" : given.word()));
      return given == null ? WorkerInput.SESSION : given;
    }
    require(
        given != WorkerInput.SESSION,
        "worker.input session is for a queue of sessions; define sessions.key, or write stdin,"
            + " stream or pull");
    if (!external) {
      require(
          given != WorkerInput.NONE,
          "worker.input none is only for a queue with a source; write stdin, stream or pull");
      return given == null ? WorkerInput.STDIN : given;
    }
    require(
        given == null || given == WorkerInput.NONE,
        "worker.input %s is for events stored in Millrace, but this queue has a source; write none, or omit it"
            .formatted(given == null ? "" : given.word()));
    return WorkerInput.NONE;
  }

  /** A queue whose events are stored in Millrace, without notifications. */
  public QueueDefinition(
      String name,
      int batch,
      int maxAttempts,
      int maxReturns,
      Duration lease,
      long maxEvents,
      DataSize maxBytes,
      double maxRate,
      Duration retention,
      Duration deadRetention,
      int minSegments,
      PacingDefinition pacing,
      WorkerDefinition worker) {
    this(
        name,
        batch,
        maxAttempts,
        maxReturns,
        lease,
        maxEvents,
        maxBytes,
        maxRate,
        retention,
        deadRetention,
        minSegments,
        pacing,
        worker,
        null,
        null,
        null);
  }

  /** A queue without sessions. */
  public QueueDefinition(
      String name,
      int batch,
      int maxAttempts,
      int maxReturns,
      Duration lease,
      long maxEvents,
      DataSize maxBytes,
      double maxRate,
      Duration retention,
      Duration deadRetention,
      int minSegments,
      PacingDefinition pacing,
      WorkerDefinition worker,
      SourceDefinition source,
      Notification notification) {
    this(
        name,
        batch,
        maxAttempts,
        maxReturns,
        lease,
        maxEvents,
        maxBytes,
        maxRate,
        retention,
        deadRetention,
        minSegments,
        pacing,
        worker,
        source,
        notification,
        null);
  }

  /** Whether its events are stored outside of Millrace, so that it has no segments. */
  public boolean external() {
    return source != null;
  }

  /** Whether the events of one key are kept together. */
  public boolean ofSessions() {
    return sessions != null;
  }

  /** The most sessions that one of its workers takes; only for a queue of sessions. */
  public int sessionsPerWorker() {
    boolean processes = worker != null && worker.input() == WorkerInput.SESSION;
    return processes
        ? Math.min(sessions.maxPerWorker(), WorkerDefinition.processes(worker.slots()))
        : sessions.maxPerWorker();
  }

  /** The time between two decisions of its managers. */
  public Duration decidedEvery() {
    return source == null ? pacing.tick() : source.every();
  }

  private static boolean atLeastOneSecond(Duration duration) {
    return duration.compareTo(Duration.ofSeconds(1)) >= 0;
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }

  /**
   * Where the events of an external queue are stored, known to Millrace only through a command.
   *
   * @param waiting command, argv without a shell, that prints how many events wait as the last line
   *     of its output; run on the execution node of the queue's manager
   * @param every how often it is run; null for 10 s
   * @param timeout after which it is killed and counts as failed; null for 10 s
   */
  public record SourceDefinition(List<String> waiting, Duration every, Duration timeout) {
    public SourceDefinition {
      require(
          waiting != null && !waiting.isEmpty(),
          "source.waiting is missing: write the program that prints how many wait, and its"
              + " arguments, as a list");
      waiting = List.copyOf(waiting);
      every = every == null ? Duration.ofSeconds(10) : every;
      timeout = timeout == null ? Duration.ofSeconds(10) : timeout;
      require(every.compareTo(Duration.ofMillis(100)) >= 0, "source.every must be at least 100ms");
      require(
          timeout.compareTo(Duration.ofMillis(100)) >= 0, "source.timeout must be at least 100ms");
    }

    private static void require(boolean kept, String rule) {
      if (!kept) {
        throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
      }
    }
  }

  /**
   * A queue's definition with its version.
   *
   * @param definition the definition
   * @param version from 1
   */
  public record VersionedQueue(QueueDefinition definition, int version) {}
}
