package io.millrace.cli.definition;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.task.ChunkDefinition;
import io.millrace.api.task.TaskDefinition;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.manager.task.TaskKind;
import io.millrace.manager.task.TaskSpecs;
import java.io.IOException;

/**
 * One worker of a task. Apart from the command, because only the servers' class path has the rules
 * by which workers are made.
 */
final class TaskTrial {
  /** A number that no run of a task has. */
  private static final long NO_RUN = 0;

  private final Invocation invocation;

  TaskTrial(Invocation invocation) {
    this.invocation = invocation;
  }

  /** Runs it; gives the worker's exit code. */
  int run(TrialFile file, String name, String chunk, String node)
      throws IOException, InterruptedException {
    TaskDefinition task = file.definition(TaskKind.WORD, name, TaskDefinition.class);
    String chosen = chunk(task, chunk);
    if (chosen != null && chunk == null) {
      invocation.terminal().note("chunk " + chosen + ", the first; --chunk names another");
    }
    JobSpec worker = TaskSpecs.worker(task, NO_RUN, invocation.now(), chosen);
    JobView job = new TrialJob(invocation).run(worker, node);
    return new Verdict(invocation).tell(job, RunFate.of(Verdict.outcome(job), task));
  }

  private static String chunk(TaskDefinition task, String given) {
    boolean chunked = task.chunks() != null || task.partition() != null;
    Refusal.unless(
        chunked || given == null, "--chunk", "leave it out: " + task.name() + " has no chunks");
    if (given != null || !chunked) {
      return given;
    }
    ChunkDefinition chunks = task.chunks();
    if (chunks != null && chunks.list() != null) {
      return chunks.list().get(0);
    }
    Refusal.unless(
        chunks != null && chunks.range() != null,
        "--chunk",
        "name one: those of " + task.name() + " are printed by a command");
    return Long.toString(chunks.range().first());
  }
}
