package io.millrace.api.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What runs for each batch of a queue.
 *
 * @param command argv, passed verbatim, no shell
 * @param input how it gets its events
 * @param env added to its environment
 * @param cwd working directory; null for one of the attempt's own
 * @param timeout TERM after, then KILL
 * @param slots slots it takes
 * @param priority higher runs first; 0 is ordinary
 * @param pool where it runs
 * @param model whether it exits after its batch or lingers for more
 * @param linger its run limits when it lingers; null when it exits
 */
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
    LingerDefinition linger) {
  public WorkerDefinition {
    require(
        command != null && !command.isEmpty(),
        "worker.command is missing: write the program and its arguments as a list");
    command = List.copyOf(command);
    input = input == null ? WorkerInput.STDIN : input;
    env = env == null ? Map.of() : Map.copyOf(env);
    timeout = timeout == null ? Duration.ofMinutes(5) : timeout;
    require(timeout.compareTo(Duration.ofMillis(100)) >= 0, "worker.timeout is at least 100ms");
    slots = slots == 0 ? 1 : slots;
    require(slots > 0 && slots <= 1000, "worker.slots is 1 to 1000");
    pool = pool == null ? "default" : pool;
    model = model == null ? WorkerModel.EXIT : model;
    require(
        model == WorkerModel.LINGER || linger == null,
        "worker.linger is for model linger; write it, or leave the limits out");
    require(
        model == WorkerModel.EXIT || input != WorkerInput.STDIN,
        "worker.model linger wants input pull: a worker gets one batch on its standard input");
    if (model == WorkerModel.LINGER && linger == null) {
      linger = LingerDefinition.DEFAULT;
    }
  }

  /** One that takes a batch and exits. */
  public WorkerDefinition(
      List<String> command,
      WorkerInput input,
      Map<String, String> env,
      String cwd,
      Duration timeout,
      int slots,
      int priority,
      String pool) {
    this(command, input, env, cwd, timeout, slots, priority, pool, null, null);
  }

  /** Events that one run takes at the most, in a queue of that batch. */
  public int capacity(int batch) {
    return linger == null ? batch : linger.capacity(batch);
  }

  WorkerDefinition withoutInput() {
    return new WorkerDefinition(
        command, WorkerInput.NONE, env, cwd, timeout, slots, priority, pool, model, linger);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
