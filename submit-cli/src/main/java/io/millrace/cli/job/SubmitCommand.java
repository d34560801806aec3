package io.millrace.cli.job;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.WaitsForJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace submit}. */
@Command(
    name = "submit",
    description = "Submits a command as a job.",
    footer = {
      "",
      "Examples:",
      "  millrace submit -- ls -l /tmp",
      "  millrace submit --wait -- sh -c 'echo hello; exit 3'",
      "  millrace submit --name nightly --retries 3 --timeout 10m --cwd . -- ./report.sh",
      "",
      "With --wait the exit code is the job's own (128 + n for signal n); 120 to 125 are errors of",
      "the command itself. Ctrl-C leaves the job running."
    })
public final class SubmitCommand implements Callable<Integer>, WaitsForJob {
  private final Invocation invocation;

  @Option(names = "--name", description = "For people (default: the program's name).")
  private String name;

  @Option(names = "--priority", description = "Higher runs first (default: 0).")
  private int priority;

  @Option(names = "--env", paramLabel = "K=V", description = "Added to its environment.")
  private final Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--cwd",
      paramLabel = "DIR",
      description = "Working directory (default: an empty one of its own).")
  private Path cwd;

  @Option(names = "--slots", defaultValue = "1", description = "Slots that it takes (default: 1).")
  private int slots;

  @Option(names = "--timeout", paramLabel = "TIME", description = "TERM after, then KILL: 30s, 5m.")
  private Duration timeout;

  @Option(names = "--retries", description = "Further tries after a failure (default: 0).")
  private int retries;

  @Option(names = "--pool", description = "Where it runs (default: default).")
  private String pool;

  @Option(names = "--wait", description = "Show its output live, and exit as it does.")
  private boolean wait;

  @Parameters(paramLabel = "CMD", arity = "1..*", description = "Program and arguments, verbatim.")
  private List<String> command;

  public SubmitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public boolean waits() {
    return wait;
  }

  @Override
  public Integer call() throws Exception {
    JobView job = invocation.central().submit(spec());
    if (wait) {
      return awaited(job);
    }
    if (invocation.json()) {
      invocation.terminal().json(job);
    } else {
      invocation.terminal().line(String.valueOf(job.id()));
      invocation.terminal().note("follow it with: millrace job logs -f " + job.id());
    }
    return ExitCode.OK.code();
  }

  private int awaited(JobView job) throws InterruptedException {
    JobView ended;
    // As JSON the answer is one value, so that the output goes where messages go.
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(),
            new Sinks(
                invocation.json() ? invocation.terminal().messagesOnly() : invocation.terminal(),
                OutputForm.RAW));
    try (InterruptNotice notice = new InterruptNotice(invocation.terminal(), job.id())) {
      ended =
          new JobFollower(invocation.central(), output, AttemptOutput.BOTH).follow(notice.job());
    }
    if (invocation.json()) {
      invocation.terminal().json(ended);
    }
    int code = ExitCode.of(ended);
    if (code != 0) {
      invocation.terminal().note("job " + ended.id() + " " + JobWords.ending(ended));
    }
    return code;
  }

  private JobSpec spec() {
    RetryPolicy retry = retries == 0 ? null : RetryPolicy.upTo(retries);
    String directory = cwd == null ? null : cwd.toAbsolutePath().normalize().toString();
    return JobDraft.command(command)
        .name(name)
        .env(env)
        .cwd(directory)
        .slots(slots)
        .priority(priority)
        .pool(pool)
        .timeout(timeout)
        .retry(retry)
        .spec();
  }
}
