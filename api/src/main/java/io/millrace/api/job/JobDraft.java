package io.millrace.api.job;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Writes a {@link JobSpec}: what is not said keeps its default. Not thread-safe.
 *
 * <pre>{@code
 * JobSpec spec = JobDraft.command("convert", "in.png", "out.jpg").memory("512MB").spec();
 * }</pre>
 */
public final class JobDraft {
  private String name;
  private List<String> command;
  private String program;
  private List<String> arguments;
  private Map<String, String> env;
  private String cwd;
  private int slots;
  private int priority;
  private String pool;
  private Duration timeout;
  private Duration grace;
  private RetryPolicy retry;
  private String single;
  private boolean restart;
  private BatchInput input;
  private String preferredNode;
  private Double cpu;
  private DataSize memory;
  private Map<String, Integer> resources;
  private Map<String, Integer> licences;
  private String requires;
  private String rank;
  private String share;
  private List<String> tags;
  private boolean hold;
  private Instant notBefore;
  private Instant deadline;
  private List<Dependency> after;
  private String lane;
  private ArrayRange array;
  private Duration failover;
  private String runAs;
  private String envFile;
  private Map<String, String> secrets;
  private String stdin;
  private List<Integer> idleExitCodes;
  private Notification notification;

  private JobDraft() {}

  JobDraft(JobSpec spec) {
    this.name = spec.name();
    this.command = spec.command();
    this.program = spec.program();
    this.arguments = spec.arguments();
    this.env = spec.env();
    this.cwd = spec.cwd();
    this.slots = spec.slots();
    this.priority = spec.priority();
    this.pool = spec.pool();
    this.timeout = spec.timeout();
    this.grace = spec.grace();
    this.retry = spec.retry();
    this.single = spec.single();
    this.restart = spec.restart();
    this.input = spec.input();
    this.preferredNode = spec.preferredNode();
    this.cpu = spec.cpu();
    this.memory = spec.memory();
    this.resources = spec.resources();
    this.licences = spec.licences();
    this.requires = spec.requires();
    this.rank = spec.rank();
    this.share = spec.share();
    this.tags = spec.tags();
    this.hold = spec.hold();
    this.notBefore = spec.notBefore();
    this.deadline = spec.deadline();
    this.after = spec.after();
    this.lane = spec.lane();
    this.array = spec.array();
    this.failover = spec.failover();
    this.runAs = spec.runAs();
    this.envFile = spec.envFile();
    this.secrets = spec.secrets();
    this.stdin = spec.stdin();
    this.idleExitCodes = spec.idleExitCodes();
    this.notification = spec.notification();
  }

  /** A draft of a job that runs a command: argv, no shell. */
  public static JobDraft command(String... argv) {
    return command(List.of(argv));
  }

  /** A draft of a job that runs a command: argv, no shell. */
  public static JobDraft command(List<String> argv) {
    JobDraft draft = new JobDraft();
    draft.command = argv;
    return draft;
  }

  /** A draft of a job that runs a built-in program. */
  public static JobDraft program(String name, String... arguments) {
    JobDraft draft = new JobDraft();
    draft.program = name;
    draft.arguments = List.of(arguments);
    return draft;
  }

  /** The same with another command. */
  public JobDraft argv(List<String> value) {
    command = value;
    return this;
  }

  public JobDraft name(String value) {
    name = value;
    return this;
  }

  public JobDraft env(Map<String, String> value) {
    env = value;
    return this;
  }

  public JobDraft cwd(String value) {
    cwd = value;
    return this;
  }

  public JobDraft slots(int value) {
    slots = value;
    return this;
  }

  public JobDraft priority(int value) {
    priority = value;
    return this;
  }

  public JobDraft pool(String value) {
    pool = value;
    return this;
  }

  public JobDraft timeout(Duration value) {
    timeout = value;
    return this;
  }

  public JobDraft grace(Duration value) {
    grace = value;
    return this;
  }

  public JobDraft retry(RetryPolicy value) {
    retry = value;
    return this;
  }

  public JobDraft single(String value) {
    single = value;
    return this;
  }

  public JobDraft restart(boolean value) {
    restart = value;
    return this;
  }

  public JobDraft input(BatchInput value) {
    input = value;
    return this;
  }

  public JobDraft preferredNode(String value) {
    preferredNode = value;
    return this;
  }

  public JobDraft cpu(Double value) {
    cpu = value;
    return this;
  }

  public JobDraft memory(DataSize value) {
    memory = value;
    return this;
  }

  /** Memory as text, for instance {@code 512MB}. */
  public JobDraft memory(String size) {
    return memory(DataSize.parse(size));
  }

  public JobDraft resources(Map<String, Integer> value) {
    resources = value;
    return this;
  }

  public JobDraft licences(Map<String, Integer> value) {
    licences = value;
    return this;
  }

  public JobDraft requires(String value) {
    requires = value;
    return this;
  }

  public JobDraft rank(String value) {
    rank = value;
    return this;
  }

  public JobDraft share(String value) {
    share = value;
    return this;
  }

  public JobDraft tags(List<String> value) {
    tags = value;
    return this;
  }

  public JobDraft hold(boolean value) {
    hold = value;
    return this;
  }

  public JobDraft notBefore(Instant value) {
    notBefore = value;
    return this;
  }

  public JobDraft deadline(Instant value) {
    deadline = value;
    return this;
  }

  public JobDraft after(List<Dependency> value) {
    after = value;
    return this;
  }

  public JobDraft lane(String value) {
    lane = value;
    return this;
  }

  public JobDraft array(ArrayRange value) {
    array = value;
    return this;
  }

  public JobDraft failover(Duration value) {
    failover = value;
    return this;
  }

  public JobDraft runAs(String value) {
    runAs = value;
    return this;
  }

  public JobDraft envFile(String value) {
    envFile = value;
    return this;
  }

  public JobDraft secrets(Map<String, String> value) {
    secrets = value;
    return this;
  }

  /** What the command reads on its standard input. */
  public JobDraft stdin(String value) {
    stdin = value;
    return this;
  }

  /** Exit codes that mean "found nothing to do", a success. */
  public JobDraft idleExitCodes(List<Integer> value) {
    idleExitCodes = value;
    return this;
  }

  public JobDraft notification(Notification value) {
    notification = value;
    return this;
  }

  /** The specification; {@code MillraceException} INVALID_REQUEST names a field that is wrong. */
  public JobSpec spec() {
    return new JobSpec(
        name,
        command,
        program,
        arguments,
        env,
        cwd,
        slots,
        priority,
        pool,
        timeout,
        grace,
        retry,
        single,
        restart,
        input,
        preferredNode,
        cpu,
        memory,
        resources,
        licences,
        requires,
        rank,
        share,
        tags,
        hold,
        notBefore,
        deadline,
        after,
        lane,
        array,
        failover,
        runAs,
        envFile,
        secrets,
        stdin,
        idleExitCodes,
        notification);
  }
}
