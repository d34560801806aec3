package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What runs for each batch of a queue. How it runs is given by the same keys as for a job; {@link
 * io.millrace.api.job.JobSpec} describes them, and its rules apply to the jobs that queue managers
 * submit.
 *
 * @param command argv, passed verbatim, no shell
 * @param input how it gets its events; null for stdin, or for none where the queue has a source
 * @param env added to its environment
 * @param cwd working directory; null for a directory of the attempt's own
 * @param timeout time after which it gets TERM, then KILL; with input stream, the longest time
 *     without an answer while it has unanswered events
 * @param slots slots it takes
 * @param priority higher ones run first; the default is 0
 * @param pool where it runs
 * @param model whether it exits after its batch or lingers for more; null to exit, and with input
 *     stream to linger
 * @param linger its run limits when it lingers; null when it exits
 * @param runAs user it runs as; null for the execution node's default
 * @param secrets variables whose values are files in the execution node's secrets folder, by the
 *     file's name
 * @param envFile file of NAME=value lines on the execution node, read at each start; null for none
 * @param grace from TERM to KILL; null for the default of jobs
 * @param cpu processors that it uses, booked on its node; null for what earlier runs used
 * @param memory memory of all its processes together, booked on its node and enforced; null for no
 *     limit
 * @param resources named consumables of its node; null for none
 * @param licences cluster-wide consumables; null for none
 * @param requires expression over a node's attributes that must hold; null for any node
 * @param rank expression over a node's attributes; the node with the highest value is preferred;
 *     null for the one beside the segment's queue node, then the emptiest
 */
@RecordBuilder
public record WorkerDefinition(
    List<String> command,
    WorkerInput input,
    Map<String, String> env,
    String cwd,
    Duration timeout,
    int slots,
    int priority,
    String pool,
    WorkerModel model,
    LingerDefinition linger,
    String runAs,
    Map<String, String> secrets,
    String envFile,
    Duration grace,
    Double cpu,
    DataSize memory,
    Map<String, Integer> resources,
    Map<String, Integer> licences,
    String requires,
    String rank)
    implements WorkerDefinitionBuilder.With {
  /** The time limit of a worker of single events, unless it has another. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  public WorkerDefinition {
    require(
        command != null && !command.isEmpty(),
        "worker.command is missing: write the program and its arguments as a list");
    command = List.copyOf(command);
    env = env == null ? Map.of() : Map.copyOf(env);
    secrets = secrets == null ? Map.of() : Map.copyOf(secrets);
    timeout = timeout == null ? DEFAULT_TIMEOUT : timeout;
    require(
        timeout.compareTo(Duration.ofMillis(100)) >= 0, "worker.timeout must be at least 100ms");
    slots = slots == 0 ? 1 : slots;
    require(slots > 0 && slots <= 1000, "worker.slots must be from 1 to 1000");
    pool = pool == null ? "default" : pool;
    model = model == null ? usual(input) : model;
    require(
        model == WorkerModel.LINGER || linger == null,
        "worker.linger is only for model linger; set the model, or omit the limits");
    require(
        model == WorkerModel.EXIT || (input != null && input != WorkerInput.STDIN),
        "worker.model linger requires input pull or stream:"
            + " with input stdin a worker gets only one batch");
    if (model == WorkerModel.LINGER && linger == null) {
      linger = LingerDefinition.DEFAULT;
    }
    // Absent rather than empty, so that definitions stored without these keys stay the same.
    resources = resources == null || resources.isEmpty() ? null : Map.copyOf(resources);
    licences = licences == null || licences.isEmpty() ? null : Map.copyOf(licences);
  }

  /** The most events that one run takes, in a queue with that batch size. */
  public int capacity(int batch) {
    return linger == null ? batch : linger.capacity(batch);
  }

  // A stream is made for workers that live long.
  private static WorkerModel usual(WorkerInput input) {
    return input == WorkerInput.STREAM ? WorkerModel.LINGER : WorkerModel.EXIT;
  }

  /** The most processes of one worker with input session, each of which has one session. */
  public static int processes(int slots) {
    // As many for each slot as rarely all have something to do at the same time.
    return Math.min(512, slots * 16);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }

  /**
   * The run limits of a lingering worker. With input pull they are passed in its environment and
   * observed by the worker itself, and its timeout is enforced in any case; with input stream its
   * input ends when one of them is reached.
   *
   * @param maxEvents the most events that one run takes; 0 for ten batches
   * @param maxTime time after which it takes no further batch; null for a minute
   * @param idle how long it waits for events when there are none; null for 2 s
   */
  public record LingerDefinition(int maxEvents, Duration maxTime, Duration idle) {
    /** The default limits. */
    public static final LingerDefinition DEFAULT = new LingerDefinition(0, null, null);

    private static final int BATCHES = 10;

    public LingerDefinition {
      require(maxEvents >= 0, "worker.linger.maxEvents must be at least 1, or 0 for ten batches");
      maxTime = maxTime == null ? Duration.ofMinutes(1) : maxTime;
      idle = idle == null ? Duration.ofSeconds(2) : idle;
      require(
          maxTime.compareTo(Duration.ofMillis(100)) >= 0,
          "worker.linger.maxTime must be at least 100ms");
      require(!idle.isNegative(), "worker.linger.idle must not be negative");
    }

    /** The most events that one run takes, in a queue with that batch size. */
    public int capacity(int batch) {
      return maxEvents == 0 ? BATCHES * batch : Math.max(batch, maxEvents);
    }

    private static void require(boolean kept, String rule) {
      if (!kept) {
        throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
      }
    }
  }

  /** How a worker gets its events. */
  public enum WorkerInput {
    /** The batch as NDJSON in a file, complete before the start; acknowledged on exit 0. */
    STDIN,
    /**
     * The worker leases and acknowledges through the API, with the address and token in its
     * environment.
     */
    PULL,
    /**
     * Events one by one as lines on its standard input, which it answers one by one with lines on
     * its standard output; at most a batch of them is unanswered.
     */
    STREAM,
    /**
     * One process for each session: its events as lines on its standard input, which it answers
     * with lines on its standard output; exit 0 completes the session.
     */
    SESSION,
    /** It takes nothing from Millrace; for queues with a source. */
    NONE;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static WorkerInput of(String word) {
      for (WorkerInput input : values()) {
        if (input.word().equals(word)) {
          return input;
        }
      }
      throw new IllegalArgumentException(
          "'" + word + "' is not a worker input; write stdin, stream, pull, session or none");
    }
  }

  /** How long a worker runs. */
  public enum WorkerModel {
    /** It takes one batch and exits. */
    EXIT,
    /** It takes further batches within its run limits and waits briefly for more. */
    LINGER;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads the lower-case name. */
    @JsonCreator
    public static WorkerModel of(String word) {
      for (WorkerModel model : values()) {
        if (model.word().equals(word)) {
          return model;
        }
      }
      throw new IllegalArgumentException(
          "'" + word + "' is not a worker model; write exit or linger");
    }
  }
}
