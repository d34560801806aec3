package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.notification.Notification;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What to run and how; immutable once submitted. {@link JobDraft} builds one.
 *
 * @param name shown to users; null for the program's name
 * @param command argv, passed verbatim, no shell; null for a built-in program
 * @param program name of a built-in program; null for a command
 * @param arguments arguments of the built-in program; null for none
 * @param env added to its environment; null for none
 * @param cwd working directory; null for a directory of the attempt's own
 * @param slots slots it takes, at least 1; a built-in program, which is a thread, may take 0 and
 *     does so by default
 * @param priority higher ones run first; the default is 0
 * @param pool where it runs; null for default
 * @param timeout time after which it gets TERM, then KILL; null for never
 * @param grace from TERM to KILL; null for 10 s
 * @param retry when it is tried again; null for never
 * @param single a name of which only one job exists at a time; null for none
 * @param restart whether it is restarted however it ends, until it is cancelled
 * @param input the events it takes; null for none
 * @param preferredNode name of a queue node next to which it preferably runs; null for none
 * @param cpu processors that it uses, booked on its node; null for what earlier runs used (H-245)
 * @param memory memory of all its processes together, booked on its node and enforced; null for no
 *     limit
 * @param resources named consumables of its node, such as gpu; null for none
 * @param licences cluster-wide consumables; null for none
 * @param requires expression over a node's attributes that must hold (H-224); null for any node
 * @param rank expression over a node's attributes; the node with the highest value is preferred;
 *     null for the emptiest
 * @param share whose fair share it is charged to; null for its queue's or its owner's
 * @param tags labels for searching; null for none
 * @param hold whether it waits until it is released
 * @param notBefore when it may start; null for at once
 * @param deadline when it is stopped and fails unless it has ended; null for never
 * @param after jobs that must have ended first; null for none
 * @param lane serial lane: jobs of one lane run one at a time in the order of submission; null for
 *     none
 * @param array makes it an array of jobs, one for each index; null for a single job
 * @param failover how long a single instance continues without contact to a central manager; null
 *     for the node's lease
 * @param runAs user it runs as; null for the execution node's own
 * @param envFile file of NAME=value lines on the execution node, read at each start; null for none
 * @param secrets variables whose values are files in the execution node's secrets folder, by the
 *     file's name; null for none
 * @param stdin what a command reads on its standard input, a file that is complete before the
 *     start; null for nothing
 * @param idleExitCodes exit codes that mean "found nothing to do", a success (H-022); null for none
 * @param notification whom to notify of its failure or delay; null for none
 */
@RecordBuilder
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
    String preferredNode,
    Double cpu,
    DataSize memory,
    Map<String, Integer> resources,
    Map<String, Integer> licences,
    String requires,
    String rank,
    String share,
    List<String> tags,
    boolean hold,
    Instant notBefore,
    Instant deadline,
    List<Dependency> after,
    String lane,
    ArrayRange array,
    Duration failover,
    String runAs,
    String envFile,
    Map<String, String> secrets,
    String stdin,
    List<Integer> idleExitCodes,
    @JsonProperty("notify") Notification notification) {
  public JobSpec {
    if ((command == null || command.isEmpty()) == (program == null)) {
      throw refuse("command", "give either command or program");
    }
    command = command == null ? null : List.copyOf(command);
    arguments = listOf(arguments);
    env = mapOf(env);
    name = name == null || name.isBlank() ? defaultName(command, program) : name;
    slots = slots == 0 && program == null ? 1 : slots;
    if (slots < 0 || slots > 1000) {
      throw refuse("slots", "must be from 1 to 1000, not " + slots);
    }
    pool = pool == null ? "default" : pool;
    grace = grace == null ? Duration.ofSeconds(10) : grace;
    retry = retry == null ? RetryPolicy.NONE : retry;
    resources = mapOf(resources);
    licences = mapOf(licences);
    tags = listOf(tags);
    after = listOf(after);
    secrets = mapOf(secrets);
    idleExitCodes = listOf(idleExitCodes);
  }

  /** A builder with these values, to change them before submission. */
  public JobDraft draft() {
    return new JobDraft(this);
  }

  /** Whether its processes must never overlap with those of another attempt. */
  @JsonIgnore
  public boolean exclusive() {
    return (single != null || lane != null) && command != null;
  }

  /** Whether it has another name than that of its program. */
  @JsonIgnore
  public boolean isNamed() {
    return !name.equals(defaultName(command, program));
  }

  private static <T> List<T> listOf(List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  private static <V> Map<String, V> mapOf(Map<String, V> map) {
    return map == null ? Map.of() : Map.copyOf(map);
  }

  private static MillraceException refuse(String field, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, field + ": " + fix);
  }

  private static String defaultName(List<String> command, String program) {
    if (command == null) {
      return program;
    }
    String path = command.get(0);
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
