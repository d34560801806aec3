package io.millrace.cli.definition;

import io.millrace.api.Durations;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.task.ChunkDefinition;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import io.millrace.api.task.TaskDefinition;
import io.millrace.cli.definition.Trial.TrialFile;
import io.millrace.cli.definition.Trial.Verdict;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.manager.task.TaskSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace task try}. */
@Command(
    name = "try",
    description = {
      "Runs one worker of a task definition and shows its output.",
      "It is not part of any run of the task; the definition need not be applied."
    },
    footer = {
      "",
      "Examples:",
      "  millrace task try -f cleaner.yaml",
      "  millrace task try -f tasks.yaml cleaner --chunk 17 --node e2",
      "",
      "The exit code is that of the worker; 128 + n for signal n."
    })
public final class TaskTryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "Definition file (required); - for standard input.")
  private Path file;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "Name of the task if the file has several.")
  private String name;

  @Option(
      names = "--chunk",
      paramLabel = "CHUNK",
      description = "Chunk or resource (default: the first).")
  private String chunk;

  @Option(names = "--node", paramLabel = "NAME", description = "Execution node to run on.")
  private String node;

  public TaskTryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    return new TaskTrial(invocation).run(new TrialFile(file, invocation), name, chunk, node);
  }

  /** What the outcome of a worker would have meant for a run of its task. Pure. */
  static final class RunOutcome {
    private RunOutcome() {}

    /** As text. */
    static String of(Outcome outcome, TaskDefinition task) {
      if (outcome == Outcome.SUCCEEDED) {
        return done(task);
      }
      if (outcome == Outcome.IDLE) {
        return idle(task);
      }
      int retries = task.job().retry().max();
      String what = task.chunks() == null ? "the worker" : "the chunk";
      return retries == 0
          ? what + " would have failed, and with it the run (set job.retry to retry)"
          : "%s would be retried at most %d times; then the run fails".formatted(what, retries);
    }

    private static String done(TaskDefinition task) {
      if (task.untilDone()) {
        return "the run would continue with another worker, because this one found work";
      }
      String done = task.chunks() == null ? "the worker's part" : "the chunk";
      return done + " would be done" + pause(task, false);
    }

    private static String idle(TaskDefinition task) {
      return task.untilDone()
          ? "the run would end, because nothing is left"
          : "it found nothing to do, which counts as success" + pause(task, true);
    }

    private static String pause(TaskDefinition task, boolean idle) {
      PerpetualDefinition perpetual = task.schedule() == null ? null : task.schedule().perpetual();
      if (perpetual == null) {
        return "";
      }
      return "; the next run starts %s later"
          .formatted(Durations.format(idle ? perpetual.afterNothing() : perpetual.afterWork()));
    }
  }

  /**
   * One worker of a task. Separate from the command, because only the class path of servers has the
   * rules by which workers are created.
   */
  private static final class TaskTrial {
    /** A number that no run of a task has. */
    private static final long NO_RUN = 0;

    private final Invocation invocation;

    TaskTrial(Invocation invocation) {
      this.invocation = invocation;
    }

    /** Runs it; returns the exit code of the worker. */
    int run(TrialFile file, String name, String chunk, String node)
        throws IOException, InterruptedException {
      TaskDefinition task = file.definition(TaskKind.KEYWORD, name, TaskDefinition.class);
      OptionRefusal.unless(
          task.workflow() == null,
          "--file",
          "task %s runs a workflow, which has no single worker; check it with 'millrace apply --dry-run'"
              .formatted(task.name()));
      String chosen = chunk(task, chunk);
      if (chosen != null && chunk == null) {
        invocation.note("using the first chunk, %s; select another with --chunk".formatted(chosen));
      }
      JobSpec worker = TaskSpecs.worker(task, NO_RUN, invocation.now(), chosen);
      JobView job = new Trial(invocation).run(worker, node);
      return new Verdict(invocation).report(job, RunOutcome.of(Verdict.outcome(job), task));
    }

    private static String chunk(TaskDefinition task, String option) {
      boolean chunked = task.chunks() != null || task.partition() != null;
      OptionRefusal.unless(
          chunked || option == null,
          "--chunk",
          "not applicable: %s has no chunks".formatted(task.name()));
      if (option != null || !chunked) {
        return option;
      }
      ChunkDefinition chunks = task.chunks();
      if (chunks != null && chunks.list() != null) {
        return chunks.list().get(0);
      }
      OptionRefusal.unless(
          chunks != null && chunks.range() != null,
          "--chunk",
          "specify one: the chunks of %s are printed by a command".formatted(task.name()));
      return Long.toString(chunks.range().first());
    }
  }
}
