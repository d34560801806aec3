package io.millrace.cli.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.JobReference;
import io.millrace.cli.invocation.OptionRefusal;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace job …}: jobs that were submitted, and those of queues. */
@Command(name = "job", description = "Shows and controls jobs.")
public final class JobCommands extends CommandGroup {

  private JobCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    CommandLine group =
        new CommandLine(new JobCommands(invocation))
            .addSubcommand(JobListCommand.create(invocation))
            .addSubcommand(FailuresCommand.create(invocation));
    inOrder(group, "list show explain history logs failures wait");
    ActionCommand.all(invocation).forEach(group::addSubcommand);
    return group;
  }

  @Command(
      name = "show",
      description = "Shows the details of a job: command, attempts and history.",
      footer = {"", "Examples:", "  millrace job show 17", "  millrace job show '17[3]'"})
  void show(@Mixin NamedJob job) {
    JobDetails details = invocation.central().job(job.id(invocation));
    String step = invocation.json() ? null : step(details);
    invocation.show(
        details,
        () -> new JobDescription(details, step, invocation.now(), invocation.palette()).lines());
  }

  /** {@code 3 (fetch[4]) of workflow 17}; null if the job is no step of a workflow. */
  private String step(JobDetails details) {
    String workflow = details.spec().env().get("MILLRACE_WORKFLOW");
    String number = details.spec().env().get("MILLRACE_STEP");
    if (workflow == null || number == null || details.job().array() == null) {
      return null;
    }
    String label = number;
    try {
      label +=
          " (%s)"
              .formatted(
                  invocation
                      .central()
                      .workflows()
                      .step(Long.parseLong(workflow), number)
                      .step()
                      .label());
    } catch (NumberFormatException | MillraceException e) {
      // The workflow was deleted, or somebody gave a job such variables.
    }
    return label + " of workflow " + workflow;
  }

  @Command(
      name = "explain",
      description =
          "Explains why a job is waiting, with the answer of each node, and what it waited for.",
      footer = {
        "",
        "Examples:",
        "  millrace job explain 17",
        "  millrace job explain '17[3]' --json",
        "",
        "The reasons are still available after the job has ended."
      })
  void explain(@Mixin NamedJob job) {
    long id = job.id(invocation);
    JobExplanation explanation = invocation.central().explain(id);
    invocation.show(
        explanation,
        () ->
            new ExplanationDescription(explanation, invocation.now(), invocation.palette())
                .lines());
  }

  @Command(
      name = "history",
      description = "Lists the history of a job, oldest first.",
      footer = {
        "",
        "Examples:",
        "  millrace job history 17",
        "  millrace job history '17[3]' --json"
      })
  void history(@Mixin NamedJob job) {
    long id = job.id(invocation);
    List<JobEvent> history = invocation.central().job(id).history();
    invocation.list(
        history, () -> JobDescription.timeline(history), "no history is recorded for job " + id);
  }

  @Command(
      name = "logs",
      description = "Prints the output of a job: its stdout to stdout, its stderr to stderr.",
      footer = {
        "",
        "Examples:",
        "  millrace job logs 17",
        "  millrace job logs -f 17",
        "  millrace job logs 17 --tail 20",
        "  millrace job logs --stderr --attempt 1 '17[3]'",
        "  millrace job logs 17 --failed",
        "",
        "--failed groups the failed elements of an array by their cause and prints a sample of",
        "each; 'job failures' does so for any jobs."
      })
  void logs(
      @Mixin NamedJob job,
      @Mixin OutputOptions output,
      @Option(names = "--failed", description = "Failed elements of an array, grouped by cause.")
          boolean failed)
      throws Exception {
    output.check();
    OptionRefusal.unless(
        !failed || output.onlyTail(), "--failed", "can be combined with --tail only");
    long id = job.id(invocation);
    if (failed) {
      FailuresCommand.print(invocation, (isArray(id) ? "array:" : "id:") + id, output.tail());
      return;
    }
    if (output.followsAttempts() && isArray(id)) {
      throw ofArray(job);
    }
    try {
      output.print(invocation, id);
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.UNKNOWN_ATTEMPT && isArray(id) ? ofArray(job) : e;
    }
  }

  private boolean isArray(long id) {
    return invocation.central().job(id).job().progress() != null;
  }

  private static MillraceException ofArray(NamedJob job) {
    return OptionRefusal.of(
        "ID",
        "%1$s is an array; specify an element, such as %1$s[1], or use --failed".formatted(job));
  }

  @Command(
      name = "wait",
      description = "Waits for jobs to end and exits with their exit code (128 + n for signal n).",
      footer = {
        "",
        "Examples:",
        "  millrace job wait 17 --timeout 5m",
        "  millrace job wait 17 18 '19[3]'",
        "",
        "For several jobs, and for the elements of an array, the highest exit code is used. 124",
        "means that --timeout expired; 120 to 125 are errors of the command itself."
      })
  int waitForEnd(
      @Parameters(
              paramLabel = "ID",
              arity = "1..*",
              description = "Job IDs; 17[3] is element 3 of array 17.")
          List<JobReference> jobs,
      @Option(
              names = "--timeout",
              paramLabel = "TIME",
              description = "Maximum time to wait for all jobs, such as 5m.")
          Duration timeout) {
    invocation.exitAsJob();
    CentralClient central = invocation.central();
    List<Long> ids = new JobReferences(central).ids(jobs);
    JobAwaiter awaiter = new JobAwaiter(central, invocation.clock(), timeout);
    List<JobView> ended = ids.stream().map(id -> endOf(awaiter, id)).toList();
    if (invocation.json()) {
      invocation.terminal().json(ended.size() == 1 ? ended.get(0) : ended);
    }
    return ended.stream().mapToInt(job -> JobAwaiter.exitCode(central, job)).max().orElse(0);
  }

  private JobView endOf(JobAwaiter awaiter, long id) {
    JobView job = awaiter.end(id);
    if (!invocation.json()) {
      invocation.note("job " + id + " " + JobFormatter.ending(job));
    }
    return job;
  }

  /** The job of a command. Set by the parser. */
  static final class NamedJob {
    @Parameters(paramLabel = "ID", description = "Job ID; 17[3] is element 3 of array 17.")
    private JobReference job;

    /** The ID; asks the server only for elements of arrays. */
    long id(Invocation invocation) {
      return new JobReferences(invocation.central()).id(job);
    }

    @Override
    public String toString() {
      return job.toString();
    }
  }
}
