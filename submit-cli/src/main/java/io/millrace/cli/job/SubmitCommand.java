package io.millrace.cli.job;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace submit}. */
@Command(
    name = "submit",
    description = "Submits a command as a job, or as an array of jobs.",
    footer = {
      "",
      "Examples:",
      "  millrace submit -- ls -l /tmp",
      "  millrace submit --wait -- sh -c 'echo hello; exit 3'",
      "  millrace submit --name nightly --retries 3 --timeout 10m --cwd . -- ./report.sh",
      "  millrace submit --array 1-1000%%50 -- ./step.sh        MILLRACE_ARRAY_INDEX is the index",
      "  millrace submit --after-ok 17,18 --memory 2GB --tag nightly -- ./merge.sh",
      "  millrace submit -f job.yaml --priority 5",
      "  millrace submit --script job.sh --memory 4GB -- input.csv",
      "",
      "Options override the file and the directives. With --wait, the exit code is that of the job",
      "(128 + n for signal n; the highest one of an array); 120 to 125 are errors of the command",
      "itself: 120 usage, 121 not found, 122 not allowed, 123 server unreachable, 124 timed out, 125",
      "other. Ctrl-C leaves the job running."
    })
public final class SubmitCommand implements Callable<Integer> {
  private static final int MAX_KEY_LENGTH = 200;

  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "Job in the form of the API, YAML or JSON; - for standard input.")
  private Path file;

  @Option(
      names = "--script",
      paramLabel = "FILE",
      description =
          "Script to run, with its #SBATCH, #$$ and #MILLRACE directives; what follows -- are its"
              + " arguments.")
  private Path script;

  @Mixin private final ProcessOptions process = new ProcessOptions();
  @Mixin private final StartOptions start = new StartOptions();
  @Mixin private final PlaceOptions placement = new PlaceOptions();
  @Mixin private final RetryOptions retry = new RetryOptions();
  @Mixin private final NotifyOptions notification = new NotifyOptions();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Idempotency key: the same key within ten minutes returns the same job.")
  private String key;

  @Option(names = "--wait", description = "Show the output live and exit with the job's exit code.")
  private boolean wait;

  @Parameters(
      paramLabel = "CMD",
      arity = "0..*",
      description = "Program and arguments, passed on unchanged.")
  private final List<String> command = new ArrayList<>();

  public SubmitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    if (wait) {
      invocation.exitAsJob();
    }
    checkKey();
    JobSpec spec = spec();
    OptionRefusal.unless(
        !(wait && spec.restart()),
        "--wait",
        "cannot be used with --restart: such a job never ends");
    CentralClient central = invocation.central();
    JobView job = key == null ? central.submit(spec) : central.submit(spec, key);
    SubmittedJob submitted = new SubmittedJob(invocation, job);
    if (wait) {
      return submitted.awaitEnd();
    }
    submitted.print();
    return ExitCode.OK.code();
  }

  private void checkKey() {
    OptionRefusal.unless(
        key == null
            || (!key.isBlank()
                && key.length() <= MAX_KEY_LENGTH
                && key.chars().allMatch(letter -> letter > 0x20 && letter < 0x7f)),
        "--key",
        "use 1 to %d printable ASCII characters without spaces, such as a UUID"
            .formatted(MAX_KEY_LENGTH));
  }

  private JobSpec spec() {
    if (script != null) {
      OptionRefusal.unless(file == null, "--script", "cannot be used with --file");
      return new ScriptSubmission(invocation, script).spec(command, this);
    }
    return applied(base());
  }

  /** The job with the options. */
  JobSpec applied(JobSpec base) {
    JobDraft draft = base.draft();
    process.apply(base, draft);
    placement.apply(base, draft);
    retry.apply(base, start.restarts(base), draft);
    notification.apply(base, draft);
    // Last, because it may ask the server for elements of arrays.
    start.apply(
        base,
        invocation.now(),
        reference -> new JobReferences(invocation.central()).id(reference),
        draft);
    return draft.spec();
  }

  /** What a line of a script must not contain: what only the command itself can do. */
  List<String> notOfJobs() {
    List<String> given = new ArrayList<>();
    if (file != null) {
      given.add("--file");
    }
    if (script != null) {
      given.add("--script");
    }
    if (key != null) {
      given.add("--key");
    }
    if (wait) {
      given.add("--wait");
    }
    given.addAll(command);
    return given;
  }

  private JobSpec base() {
    if (file != null) {
      return new JobFile(file, invocation.terminal().in()).read(command);
    }
    OptionRefusal.unless(
        !command.isEmpty(), "CMD", "specify a command, such as 'submit -- ls -l', or use --file");
    return JobDraft.command(command).spec();
  }
}
