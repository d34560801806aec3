package io.millrace.manager.task;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The specs of the jobs of a task's runs. Pure. */
public final class TaskSpecs {
  /** Higher than workers: a run waits for as long as its manager waits for a slot. */
  private static final int MANAGER_PRIORITY = 1_000;

  /**
   * How long a job of an exclusive task continues without contact to a central manager: longer than
   * the restart of one takes. A successor waits as long.
   */
  private static final Duration FAILOVER = Duration.ofMinutes(1);

  private static final String RUN = "MILLRACE_TASK_RUN";

  private static final int NO_SLOT = 0;
  private static final String OWNER = "task:";
  private static final String MANAGER = "run:";
  private static final String CHUNK = "{chunk}";

  private TaskSpecs() {}

  /** The owner of the jobs of a task; also their share unless the definition names one. */
  static String owner(String task) {
    return OWNER + task;
  }

  /** Whether the owner of a job is a task. */
  public static boolean isOwner(String owner) {
    return owner.startsWith(OWNER);
  }

  /** Whether a job with this share may belong to a task; a hint. */
  static boolean mayBeWorker(String share) {
    return share != null && share.startsWith(OWNER);
  }

  /**
   * The job as it is submitted for the task. Those of an exclusive task are in one lane, so that
   * they run one at a time, under a watchdog.
   */
  static JobDraft submitted(TaskDefinition task, JobDraft draft) {
    if (!task.exclusive()) {
      return draft;
    }
    JobSpec job = task.job();
    draft.lane(job.lane() == null ? owner(task.name()) : job.lane());
    // A built-in program ends with its node.
    return job.command() == null || job.failover() != null ? draft : draft.failover(FAILOVER);
  }

  /** Its job; of a workflow, that of the first template. */
  static JobSpec usual(TaskDefinition task) {
    return task.workflow() == null
        ? task.job()
        : task.workflow().templates().values().iterator().next().job();
  }

  /** A worker; the chunk is null for work without chunks. */
  public static JobSpec worker(TaskDefinition task, long run, Instant planned, String chunk) {
    JobDraft draft = task.job().draft().name(named(task, "worker")).idleExitCodes(codes(task));
    Map<String, String> env = env(task, run, planned);
    if (chunk != null) {
      env.put("MILLRACE_CHUNK", chunk);
      draft.name(shortened(named(task, chunk)));
      if (task.job().command() == null) {
        draft.arguments(with(chunk, task.job().arguments()));
      } else {
        draft.argv(with(chunk, task.job().command()));
      }
      if (task.partition() != null) {
        draft.stdin(chunk + "\n");
      }
    }
    return submitted(task, draft.env(env)).spec();
  }

  /**
   * The command that prints chunks or resources or that verifies. It runs as a worker would, except
   * for what only concerns the work: its input, and the exit codes that mean that there was none.
   */
  public static JobSpec step(
      TaskDefinition task, long run, Instant planned, String what, List<String> command) {
    return task.job()
        .draft()
        .argv(command)
        .name(named(task, what))
        .env(env(task, run, planned))
        .stdin(null)
        .idleExitCodes(null)
        .spec();
  }

  /** The same step, preferably not on that node; null for any node. */
  static JobSpec stepElsewhere(JobSpec step, String node) {
    return node == null || step.rank() != null
        ? step
        : step.draft().rank("name != \"" + node + "\"").spec();
  }

  /**
   * The manager of one run, in the pool of its workers. It takes no slot: managers that filled the
   * slots of a small pool would wait forever for the workers that they submit.
   *
   * @param tag distinguishes the managers of a run that was retried; empty for the first
   */
  public static JobSpec manager(TaskDefinition task, long run, String tag) {
    String name = MANAGER + task.name() + "#" + run + tag;
    return JobDraft.program(TaskManagerProgram.NAME, Long.toString(run))
        .name(name)
        .slots(NO_SLOT)
        .priority(MANAGER_PRIORITY)
        .pool(task.job().pool())
        .single(name)
        .restart(true)
        .spec();
  }

  private static List<String> with(String chunk, List<String> arguments) {
    return arguments.stream().map(argument -> argument.replace(CHUNK, chunk)).toList();
  }

  /** The name of one of its jobs: after the name that the definition gives to the job, if any. */
  private static String named(TaskDefinition task, String what) {
    return (task.job().isNamed() ? task.job().name() : task.name()) + " " + what;
  }

  private static List<Integer> codes(TaskDefinition task) {
    return task.idleExitCodes().stream().filter(code -> code != 0).toList();
  }

  private static Map<String, String> env(TaskDefinition task, long run, Instant planned) {
    Map<String, String> env = new HashMap<>(task.job().env());
    env.putAll(variables(task, run, planned));
    return env;
  }

  /** What tells a job of which run it is. */
  static Map<String, String> variables(TaskDefinition task, long run, Instant planned) {
    return Map.of(
        "MILLRACE_TASK",
        task.name(),
        RUN,
        Long.toString(run),
        "MILLRACE_TASK_PLANNED",
        planned.toString());
  }

  private static String shortened(String name) {
    return name.length() <= 200 ? name : name.substring(0, 200);
  }
}
