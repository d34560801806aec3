package io.millrace.api.job;

import io.millrace.api.DataSize;
import io.millrace.api.notification.Notification;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Builds a {@link JobSpec}: what is not set keeps its default. Not thread-safe.
 *
 * <pre>{@code
 * JobSpec spec = JobDraft.command("convert", "in.png", "out.jpg").memory("512MB").spec();
 * }</pre>
 */
public final class JobDraft {
  private final JobSpecBuilder fields;

  private JobDraft() {
    this.fields = JobSpecBuilder.builder();
  }

  JobDraft(JobSpec spec) {
    this.fields = JobSpecBuilder.builder(spec);
  }

  /** A draft of a job that runs a command: argv, no shell. */
  public static JobDraft command(String... argv) {
    return command(List.of(argv));
  }

  /** A draft of a job that runs a command: argv, no shell. */
  public static JobDraft command(List<String> argv) {
    JobDraft draft = new JobDraft();
    draft.fields.command(argv);
    return draft;
  }

  /** A draft of a job that runs a built-in program. */
  public static JobDraft program(String name, String... arguments) {
    JobDraft draft = new JobDraft();
    draft.fields.program(name);
    draft.fields.arguments(List.of(arguments));
    return draft;
  }

  /** The same with this command, instead of another one or of a built-in program. */
  public JobDraft argv(List<String> value) {
    fields.command(value);
    fields.program(null);
    fields.arguments(null);
    return this;
  }

  /** The arguments of the built-in program. */
  public JobDraft arguments(List<String> value) {
    fields.arguments(value);
    return this;
  }

  public JobDraft name(String value) {
    fields.name(value);
    return this;
  }

  public JobDraft env(Map<String, String> value) {
    fields.env(value);
    return this;
  }

  public JobDraft cwd(String value) {
    fields.cwd(value);
    return this;
  }

  public JobDraft slots(int value) {
    fields.slots(value);
    return this;
  }

  public JobDraft priority(int value) {
    fields.priority(value);
    return this;
  }

  public JobDraft pool(String value) {
    fields.pool(value);
    return this;
  }

  public JobDraft timeout(Duration value) {
    fields.timeout(value);
    return this;
  }

  public JobDraft grace(Duration value) {
    fields.grace(value);
    return this;
  }

  public JobDraft retry(RetryPolicy value) {
    fields.retry(value);
    return this;
  }

  public JobDraft single(String value) {
    fields.single(value);
    return this;
  }

  public JobDraft restart(boolean value) {
    fields.restart(value);
    return this;
  }

  public JobDraft input(BatchInput value) {
    fields.input(value);
    return this;
  }

  public JobDraft preferredNode(String value) {
    fields.preferredNode(value);
    return this;
  }

  public JobDraft cpu(Double value) {
    fields.cpu(value);
    return this;
  }

  public JobDraft memory(DataSize value) {
    fields.memory(value);
    return this;
  }

  /** Memory as text, for instance {@code 512MB}. */
  public JobDraft memory(String size) {
    return memory(DataSize.parse(size));
  }

  public JobDraft resources(Map<String, Integer> value) {
    fields.resources(value);
    return this;
  }

  public JobDraft licences(Map<String, Integer> value) {
    fields.licences(value);
    return this;
  }

  public JobDraft requires(String value) {
    fields.requires(value);
    return this;
  }

  public JobDraft rank(String value) {
    fields.rank(value);
    return this;
  }

  public JobDraft share(String value) {
    fields.share(value);
    return this;
  }

  public JobDraft tags(List<String> value) {
    fields.tags(value);
    return this;
  }

  public JobDraft hold(boolean value) {
    fields.hold(value);
    return this;
  }

  public JobDraft notBefore(Instant value) {
    fields.notBefore(value);
    return this;
  }

  public JobDraft deadline(Instant value) {
    fields.deadline(value);
    return this;
  }

  public JobDraft after(List<Dependency> value) {
    fields.after(value);
    return this;
  }

  public JobDraft lane(String value) {
    fields.lane(value);
    return this;
  }

  public JobDraft array(ArrayRange value) {
    fields.array(value);
    return this;
  }

  public JobDraft failover(Duration value) {
    fields.failover(value);
    return this;
  }

  public JobDraft runAs(String value) {
    fields.runAs(value);
    return this;
  }

  public JobDraft envFile(String value) {
    fields.envFile(value);
    return this;
  }

  public JobDraft secrets(Map<String, String> value) {
    fields.secrets(value);
    return this;
  }

  /** What the command reads on its standard input. */
  public JobDraft stdin(String value) {
    fields.stdin(value);
    return this;
  }

  /** Exit codes that mean "found nothing to do", a success. */
  public JobDraft idleExitCodes(List<Integer> value) {
    fields.idleExitCodes(value);
    return this;
  }

  public JobDraft notification(Notification value) {
    fields.notification(value);
    return this;
  }

  /**
   * The specification; a {@code MillraceException} with INVALID_REQUEST names a field that is
   * wrong.
   */
  public JobSpec spec() {
    return fields.build();
  }
}
