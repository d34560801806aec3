package io.millrace.cli.job;

import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.JobReference;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace job cancel|hold|release|retry|priority|delete}: one action on many jobs. */
@Command
class ActionCommand implements Callable<Integer> {
  private final Invocation invocation;
  private final JobVerb verb;

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "Job IDs; 17[3] is element 3 of array 17.")
  private final List<JobReference> jobs = new ArrayList<>();

  @Option(
      names = "--search",
      paramLabel = "WORDS",
      description = "All jobs that 'job list' shows for this search.")
  private String search;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded with the action.")
  private String reason;

  @Option(names = "--dry-run", description = "Only count the jobs that would be changed.")
  private boolean dryRun;

  @Option(names = "--yes", description = "Do not ask for confirmation, even with --search.")
  private boolean yes;

  ActionCommand(Invocation invocation, JobVerb verb) {
    this.invocation = invocation;
    this.verb = verb;
  }

  /** A command for each action. */
  static List<CommandLine> all(Invocation invocation) {
    List<CommandLine> commands = new ArrayList<>();
    for (JobVerb verb : JobVerb.values()) {
      ActionCommand command =
          switch (verb) {
            case PRIORITY -> new PriorityCommand(invocation);
            case RETRY -> new RetryCommand(invocation);
            default -> new ActionCommand(invocation, verb);
          };
      commands.add(command.named());
    }
    return commands;
  }

  private CommandLine named() {
    CommandLine line = new CommandLine(this);
    String start = "  millrace job " + verb.command() + example();
    line.setCommandName(verb.command())
        .getCommandSpec()
        .usageMessage()
        .description(verb.description())
        .footer(
            "",
            "Examples:",
            start + (verb == JobVerb.DELETE ? " 17 18" : " 17 '18[3]'"),
            start + " --search '" + verb.search() + "' --dry-run",
            "",
            asking() + ", the number of jobs is shown and confirmation is requested; scripts set",
            "--yes. With job IDs, the exit code is 6 if a job was not changed.");
    return line;
  }

  private String asking() {
    return verb == JobVerb.DELETE ? "Before anything is deleted" : "With --search";
  }

  /** Options of an example, before the jobs. */
  String example() {
    return "";
  }

  /** The new priority; null when there is none. */
  Integer priority() {
    return null;
  }

  /** Whether jobs are included that were cancelled because of the selected ones. */
  boolean dependents() {
    return false;
  }

  @Override
  public Integer call() throws IOException {
    checkChoice();
    List<Long> ids = new JobReferences(invocation.central()).ids(jobs);
    if ((search != null || verb == JobVerb.DELETE) && !dryRun && !yes) {
      confirm(ids);
    }
    JobActionAnswer answer = invocation.central().act(action(ids, dryRun));
    print(answer);
    return search == null && answer.changed() < jobs.size() && !dryRun
        ? ExitCode.CONFLICT.code()
        : ExitCode.OK.code();
  }

  private void checkChoice() {
    OptionRefusal.unless(
        jobs.isEmpty() || search == null, "--search", "use either job IDs or --search");
    OptionRefusal.unless(
        !jobs.isEmpty() || search != null,
        "ID",
        "specify job IDs, or select jobs with --search '%s'".formatted(verb.search()));
    OptionRefusal.unless(
        search == null || !search.isBlank(),
        "--search",
        "specify search terms, such as '%s'".formatted(verb.search()));
  }

  private void confirm(List<Long> ids) throws IOException {
    Confirmation confirmation = new Confirmation(invocation);
    String which = search == null ? "these jobs" : "all jobs that match '%s'".formatted(search);
    if (confirmation.asks()) {
      long count = invocation.central().act(action(ids, true)).changed();
      which = Figures.count(count) + (count == 1 ? " job" : " jobs");
    }
    confirmation.require(verb.does() + " " + which, "yes", "yes");
  }

  private JobAction action(List<Long> ids, boolean dry) {
    return new JobAction(verb.verb(), ids, search, priority(), reason, dry, dependents());
  }

  private void print(JobActionAnswer answer) {
    if (invocation.json()) {
      invocation.terminal().json(answer);
      return;
    }
    String counts =
        answer.changed() == answer.matched()
            ? Figures.count(answer.changed())
            : Figures.count(answer.changed()) + " of " + Figures.count(answer.matched());
    String noun = answer.matched() == 1 ? " job" : " jobs";
    invocation.line(counts + noun + (dryRun ? " would be " : " ") + verb.done());
    for (JobActionAnswer.Refusal refusal : answer.unchanged()) {
      invocation.note(
          "job %s was not changed: it %s"
              .formatted(refusal.job(), Escaping.text(refusal.reason())));
    }
  }

  /** {@code millrace job retry}. */
  @Command
  private static final class RetryCommand extends ActionCommand {
    @Option(
        names = "--dependents",
        description =
            "Also retry the jobs that were cancelled because these did not succeed, and all that"
                + " followed.")
    private boolean dependents;

    RetryCommand(Invocation invocation) {
      super(invocation, JobVerb.RETRY);
    }

    @Override
    boolean dependents() {
      return dependents;
    }
  }

  /** {@code millrace job priority}. */
  @Command
  private static final class PriorityCommand extends ActionCommand {
    /** The highest, and negated the lowest. */
    static final int MAX = 1_000_000;

    @Option(
        names = "--to",
        required = true,
        paramLabel = "N",
        description = "New priority (required); higher runs first, 0 is the default.")
    private int priority;

    PriorityCommand(Invocation invocation) {
      super(invocation, JobVerb.PRIORITY);
    }

    @Override
    String example() {
      return " --to 5";
    }

    @Override
    Integer priority() {
      return priority;
    }

    @Override
    public Integer call() throws IOException {
      OptionRefusal.outside("--to", priority, -MAX, MAX);
      return super.call();
    }
  }

  /** The actions, with their texts. */
  private enum JobVerb {
    CANCEL(
        Verb.CANCEL,
        "cancels",
        "cancelled",
        "Cancels jobs: running ones receive TERM, then KILL; waiting ones never start.",
        "state:waiting tag:nightly"),
    HOLD(
        Verb.HOLD,
        "holds",
        "held",
        "Holds jobs that have not started until they are released.",
        "state:waiting owner:ann"),
    RELEASE(
        Verb.RELEASE,
        "releases",
        "released",
        "Releases held jobs, which then wait for a slot again.",
        "state:held tag:nightly"),
    RETRY(
        Verb.RETRY,
        "retries",
        "requeued",
        "Retries failed or cancelled jobs.",
        "state:failed name:report*"),
    PRIORITY(
        Verb.PRIORITY,
        "changes the priority of",
        "given a new priority",
        "Changes the priority of jobs; for running jobs it applies from the next attempt.",
        "state:waiting lane:import"),
    DELETE(
        Verb.DELETE,
        "permanently deletes",
        "deleted",
        "Deletes ended jobs with their attempts and history; arrays with all their elements.",
        "state:succeeded tag:trial");

    private final Verb verb;
    private final String does;
    private final String done;
    private final String description;
    private final String search;

    JobVerb(Verb verb, String does, String done, String description, String search) {
      this.verb = verb;
      this.does = does;
      this.done = done;
      this.description = description;
      this.search = search;
    }

    Verb verb() {
      return verb;
    }

    /** {@code cancels}. */
    String does() {
      return does;
    }

    /** {@code cancelled}. */
    String done() {
      return done;
    }

    String command() {
      return name().toLowerCase(Locale.ROOT);
    }

    String description() {
      return description;
    }

    /** An example of a search. */
    String search() {
      return search;
    }
  }
}
