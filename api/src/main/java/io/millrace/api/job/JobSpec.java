package io.millrace.api.job;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What to run and how; immutable once submitted.
 *
 * @param name for people; null takes the program's
 * @param command argv, passed verbatim, no shell; null for a built-in program
 * @param program name of a built-in program; null for a command
 * @param arguments arguments of the built-in program; null for none
 * @param env added to its environment; null for none
 * @param cwd working directory; null for one of the attempt's own
 * @param slots slots it takes, at least 1; a built-in program, being a thread, may take 0 and does
 *     so unless told otherwise
 * @param priority higher runs first; 0 is ordinary
 * @param pool where it runs; null for default
 * @param timeout TERM after, then KILL; null for never
 * @param grace from TERM to KILL; null for 10 s
 * @param retry when it is tried again; null for never
 * @param single name of which only one job may live at a time; null for none
 * @param restart whether it is started again however it ends, until cancelled
 * @param input the events it takes; null for none
 * @param preferredNode name of a queue node it would like to be near; null for none
 */
public record JobSpec(
    String name,
    List<String> command,
    String program,
    List<String> arguments,
    Map<String, String> env,
    String cwd,
    int slots,
    int priority,
    String pool,
    Duration timeout,
    Duration grace,
    RetryPolicy retry,
    String single,
    boolean restart,
    BatchInput input,
    String preferredNode) {
  public JobSpec {
    if ((command == null || command.isEmpty()) == (program == null)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "a job has either a command or a built-in program");
    }
    command = command == null ? null : List.copyOf(command);
    arguments = arguments == null ? List.of() : List.copyOf(arguments);
    env = env == null ? Map.of() : Map.copyOf(env);
    name = name == null || name.isBlank() ? defaultName(command, program) : name;
    slots = slots == 0 && program == null ? 1 : slots;
    if (slots < 0 || slots > 1000) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "slots is 1 to 1000, not " + slots);
    }
    pool = pool == null ? "default" : pool;
    grace = grace == null ? Duration.ofSeconds(10) : grace;
    retry = retry == null ? RetryPolicy.NONE : retry;
  }

  private static String defaultName(List<String> command, String program) {
    if (command == null) {
      return program;
    }
    String path = command.get(0);
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
