package io.millrace.cli.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.JobFormatter;
import io.millrace.cli.job.SubmittedJob;
import io.millrace.cli.output.Escaping;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.definition.DefinitionText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs a worker once, as a separate job, and shows its output. */
final class Trial {
  private final Invocation invocation;

  Trial(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Blocks until it has ended. An interruption cancels a job that has not started: at the head of a
   * lane it would keep the real runs of its task waiting.
   *
   * @param worker as it would be submitted
   * @param node execution node to run on; null for any
   * @return the job's last state
   */
  JobView run(JobSpec worker, String node) throws InterruptedException {
    JobView job = invocation.central().submit(spec(worker, node));
    invocation.note(
        "submitted as job %1$d%2$s; see why it is waiting: millrace job explain %1$d"
            .formatted(job.id(), turn(job)));
    return new SubmittedJob(invocation, job).followOrCancel();
  }

  /** Says that it waits for its lane, or that its lane waits for it; empty for no lane. */
  private static String turn(JobView job) {
    if (job.lane() == null) {
      return "";
    }
    return Escaping.text(
        job.state() == JobState.BLOCKED
            ? ", which waits until the jobs before it in lane " + job.lane() + " have ended"
            : ", for which later jobs of lane " + job.lane() + " wait until it has ended");
  }

  // A trial runs once, whatever the definition's retries and dependencies. It keeps its lane and
  // failover time, so that it never runs beside a job of an exclusive task.
  private JobSpec spec(JobSpec worker, String node) {
    JobDraft draft = worker.draft();
    return draft
        .name(worker.name() + ", trial")
        .tags(List.of("try"))
        .retry(RetryPolicy.NONE)
        .requires(node == null ? worker.requires() : on(node, worker.requires()))
        .hold(false)
        .notBefore(null)
        .deadline(null)
        .share(null)
        .notification(null)
        .spec();
  }

  private String on(String node, String requires) {
    List<String> names =
        invocation.central().executionNodes().stream().map(ExecutionNodeView::name).toList();
    if (!names.contains(node)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_NODE,
          "there is no execution node %s; existing nodes: %s"
              .formatted(node, String.join(", ", names)));
    }
    String named = "name == \"" + node + "\"";
    return requires == null ? named : "(" + requires + ") && " + named;
  }

  /** The file that a trial takes its definition from. */
  static final class TrialFile {
    private final Path file;
    private final Invocation invocation;

    /** The path {@code -} means standard input. */
    TrialFile(Path file, Invocation invocation) {
      this.file = file;
      this.invocation = invocation;
    }

    /**
     * The definition of that kind.
     *
     * @param name null when the file has only one
     * @throws MillraceException INVALID_DEFINITION with all problems; INVALID_REQUEST when it is
     *     not there, or not the only one
     */
    <T> T definition(String kind, String name, Class<T> type) throws IOException {
      DefinitionReading reading =
          new DefinitionParser(KnownKinds.all(invocation.clock()))
              .read(new DefinitionFiles(invocation.terminal().in()).read(List.of(file)));
      if (!reading.problems().isEmpty()) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION,
            "nothing was run; fix these errors:\n" + String.join("\n", reading.problems()));
      }
      List<DefinitionText> found =
          reading.definitions().stream().filter(one -> one.kind().equals(kind)).toList();
      List<DefinitionText> meant =
          found.stream().filter(one -> name == null || one.name().equals(name)).toList();
      OptionRefusal.unless(
          meant.size() == 1, "NAME", "specify a %s of %s: %s".formatted(kind, file, found(found)));
      return meant.get(0).as(type);
    }

    private static String found(List<DefinitionText> definitions) {
      return definitions.isEmpty()
          ? "it contains none"
          : String.join(", ", definitions.stream().map(DefinitionText::name).toList());
    }
  }

  /** Reports how a trial ended and what that would have meant. */
  static final class Verdict {
    private final Invocation invocation;

    Verdict(Invocation invocation) {
      this.invocation = invocation;
    }

    /**
     * The report of a trial.
     *
     * @param job of the trial
     * @param meaning for the events or the run, if it had been a live one
     */
    record Report(JobView job, String meaning) {}

    /** The outcome of the job; STOPPED if it was cancelled before it started. */
    static Outcome outcome(JobView job) {
      return job.outcome() == null ? Outcome.STOPPED : job.outcome();
    }

    /** Prints the report; returns the exit code of the worker. */
    int report(JobView job, String meaning) {
      if (invocation.json()) {
        invocation.terminal().json(new Report(job, meaning));
      } else {
        String where = job.node() == null ? "" : " on " + job.node();
        invocation.note(Escaping.text("worker " + JobFormatter.ending(job) + where));
        invocation.note(Escaping.text(meaning));
      }
      return ExitCode.of(job);
    }
  }
}
