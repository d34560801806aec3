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
import io.millrace.cli.invocation.Refusal;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace job …}: jobs that were submitted, and those of queues. */
@Command(name = "job", description = "Shows and steers jobs.")
public final class JobCommands extends CommandGroup {

  private JobCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    CommandLine group =
        new CommandLine(new JobCommands(invocation)).addSubcommand(new JobListCommand(invocation));
    inOrder(group, "list show explain history logs wait");
    ActionCommand.all(invocation).forEach(group::addSubcommand);
    return group;
  }

  @Command(
      name = "show",
      description = "Shows all about a job: what it runs, its attempts and its history.",
      footer = {"", "Examples:", "  millrace job show 17", "  millrace job show '17[3]'"})
  void show(@Mixin NamedJob job) {
    JobDetails details = invocation.central().job(job.id(invocation));
    invocation.show(
        details, () -> new JobDescription(details, invocation.now(), invocation.palette()).lines());
  }

  @Command(
      name = "explain",
      description = "Tells why a job waits, what each node says to it, and what it waited for.",
      footer = {
        "",
        "Examples:",
        "  millrace job explain 17",
        "  millrace job explain '17[3]' --json",
        "",
        "What it waited for is kept after it ended."
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
      description = "Lists all that happened to a job, oldest first.",
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
        history, () -> JobDescription.timeline(history), "nothing is recorded of job " + id);
  }

  @Command(
      name = "logs",
      description = "Prints what a job wrote: its output to the output, its errors to the errors.",
      footer = {
        "",
        "Examples:",
        "  millrace job logs 17",
        "  millrace job logs -f 17",
        "  millrace job logs --stderr --attempt 1 '17[3]'"
      })
  void logs(
      @Mixin NamedJob job,
      @Option(
              names = {"-f", "--follow"},
              description = "Go on until the job has ended.")
          boolean follow,
      @Option(names = "--stdout", description = "Only the output.") boolean stdout,
      @Option(names = "--stderr", description = "Only the errors.") boolean stderr,
      @Option(
              names = "--attempt",
              paramLabel = "N",
              description = "Of this attempt (default: the last one).")
          Integer attempt,
      @Option(names = "--raw", description = "Escape nothing, even on a terminal.") boolean raw)
      throws Exception {
    Refusal.outside("--attempt", attempt, 1, Integer.MAX_VALUE);
    long id = job.id(invocation);
    List<String> streams =
        stdout == stderr ? AttemptOutput.BOTH : List.of(stderr ? "stderr" : "stdout");
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.suiting(invocation.terminal(), invocation.json(), raw));
    try {
      if (!follow) {
        output.print(id, attempt == null ? 0 : attempt, streams);
      } else if (attempt != null) {
        output.follow(id, attempt, streams);
      } else if (isArray(id)) {
        throw ofArray(job);
      } else {
        new JobFollower(invocation.central(), output, streams).follow(id);
      }
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.UNKNOWN_ATTEMPT && isArray(id) ? ofArray(job) : e;
    }
  }

  private boolean isArray(long id) {
    return invocation.central().job(id).job().progress() != null;
  }

  private static MillraceException ofArray(NamedJob job) {
    return Refusal.of("ID", job + " is an array; name an element, for instance " + job + "[1]");
  }

  @Command(
      name = "wait",
      description =
          "Waits for the end of jobs and exits with their exit code (128 + n for signals).",
      footer = {
        "",
        "Examples:",
        "  millrace job wait 17 --timeout 5m",
        "  millrace job wait 17 18 '19[3]'",
        "",
        "Of several jobs, and of an array's elements, the highest code counts. 124 tells that the",
        "time was over first; 120 to 125 are the command's own errors."
      })
  int waitForEnd(
      @Parameters(
              paramLabel = "ID",
              arity = "1..*",
              description = "The jobs' numbers; 17[3] for element 3 of array 17.")
          List<JobReference> jobs,
      @Option(
              names = "--timeout",
              paramLabel = "TIME",
              description = "Wait no longer for all of them, such as 5m.")
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

  /** The one job that a command is about. Filled by the parser. */
  static final class NamedJob {
    @Parameters(paramLabel = "ID", description = "The job's number; 17[3] for an array's element.")
    private JobReference job;

    /** Its id; asks the server only for an element. */
    long id(Invocation invocation) {
      return new JobReferences(invocation.central()).id(job);
    }

    @Override
    public String toString() {
      return job.toString();
    }
  }
}
