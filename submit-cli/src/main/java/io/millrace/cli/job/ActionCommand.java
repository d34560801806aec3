package io.millrace.cli.job;

import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.JobReference;
import io.millrace.cli.invocation.Refusal;
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

/** {@code millrace job cancel|hold|release|retry|priority}: the same thing done to many jobs. */
@Command
class ActionCommand implements Callable<Integer> {
  private final Invocation invocation;
  private final JobVerb words;

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "The jobs' numbers; 17[3] for element 3 of array 17.")
  private final List<JobReference> jobs = new ArrayList<>();

  @Option(
      names = "--search",
      paramLabel = "WORDS",
      description = "All jobs that a list with these words shows.")
  private String search;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in each job's history.")
  private String reason;

  @Option(names = "--dry-run", description = "Only count the jobs that would change.")
  private boolean dryRun;

  @Option(names = "--yes", description = "Do not ask, even with --search.")
  private boolean yes;

  ActionCommand(Invocation invocation, JobVerb words) {
    this.invocation = invocation;
    this.words = words;
  }

  /** A command for each thing that can be done. */
  static List<CommandLine> all(Invocation invocation) {
    List<CommandLine> commands = new ArrayList<>();
    for (JobVerb words : JobVerb.values()) {
      ActionCommand command =
          words == JobVerb.PRIORITY
              ? new PriorityCommand(invocation)
              : new ActionCommand(invocation, words);
      commands.add(command.named());
    }
    return commands;
  }

  private CommandLine named() {
    CommandLine line = new CommandLine(this);
    String start = "  millrace job " + words.command() + example();
    line.setCommandName(words.command())
        .getCommandSpec()
        .usageMessage()
        .description(words.description())
        .footer(
            "",
            "Examples:",
            start + " 17 '18[3]'",
            start + " --search '" + words.search() + "' --dry-run",
            "",
            "With --search it counts and asks first; a script says --yes. With numbers it exits",
            "with 6 when a job did not change.");
    return line;
  }

  /** What stands in an example before the jobs. */
  String example() {
    return "";
  }

  /** The new priority; null when there is none. */
  Integer priority() {
    return null;
  }

  @Override
  public Integer call() throws IOException {
    checkChoice();
    List<Long> ids = new JobReferences(invocation.central()).ids(jobs);
    if (search != null && !dryRun && !yes) {
      confirm();
    }
    JobActionAnswer answer = invocation.central().act(action(ids, dryRun));
    tell(answer);
    return search == null && answer.changed() < jobs.size() && !dryRun
        ? ExitCode.CONFLICT.code()
        : ExitCode.OK.code();
  }

  private void checkChoice() {
    Refusal.unless(
        jobs.isEmpty() || search == null, "--search", "leave it out, or else the numbers of jobs");
    Refusal.unless(
        !jobs.isEmpty() || search != null,
        "ID",
        "name jobs by their numbers, or choose them with --search '" + words.search() + "'");
    Refusal.unless(
        search == null || !search.isBlank(),
        "--search",
        "say which jobs, for instance '" + words.search() + "'");
  }

  private void confirm() throws IOException {
    Confirmation confirmation = new Confirmation(invocation);
    String which = "all jobs that match '" + search + "'";
    if (confirmation.asks()) {
      long count = invocation.central().act(action(List.of(), true)).changed();
      which = Figures.count(count) + (count == 1 ? " job" : " jobs");
    }
    confirmation.require(words.does() + " " + which, "yes", "yes");
  }

  private JobAction action(List<Long> ids, boolean dry) {
    return new JobAction(words.verb(), ids, search, priority(), reason, dry);
  }

  private void tell(JobActionAnswer answer) {
    if (invocation.json()) {
      invocation.terminal().json(answer);
      return;
    }
    String counts =
        answer.changed() == answer.matched()
            ? Figures.count(answer.changed())
            : Figures.count(answer.changed()) + " of " + Figures.count(answer.matched());
    String jobsWord = answer.matched() == 1 ? " job" : " jobs";
    invocation.line(counts + jobsWord + (dryRun ? " would be " : " ") + words.done());
    for (JobActionAnswer.Refusal refusal : answer.unchanged()) {
      invocation.note(
          "job " + refusal.job() + " stays as it is: " + Escaping.text(refusal.reason()));
    }
  }

  /** {@code millrace job priority}. */
  @Command
  private static final class PriorityCommand extends ActionCommand {
    /** The highest, and negated the lowest. */
    static final int MOST = 1_000_000;

    @Option(
        names = "--to",
        required = true,
        paramLabel = "N",
        description = "The new priority; higher runs first, 0 is ordinary.")
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
      Refusal.outside("--to", priority, -MOST, MOST);
      return super.call();
    }
  }

  /** What can be done to jobs, in words. */
  private enum JobVerb {
    CANCEL(
        Verb.CANCEL,
        "cancels",
        "cancelled",
        "Ends jobs: TERM, then KILL; a waiting one never starts.",
        "state:waiting tag:nightly"),
    HOLD(
        Verb.HOLD,
        "holds",
        "held",
        "Lets jobs that have not started wait until they are released.",
        "state:waiting owner:ann"),
    RELEASE(
        Verb.RELEASE,
        "releases",
        "released",
        "Lets held jobs wait for a slot again.",
        "state:held tag:nightly"),
    RETRY(
        Verb.RETRY,
        "retries",
        "requeued",
        "Runs failed or cancelled jobs again.",
        "state:failed name:report*"),
    PRIORITY(
        Verb.PRIORITY,
        "changes the priority of",
        "given another priority",
        "Changes the priority of jobs; for running ones it counts from the next try.",
        "state:waiting lane:import");

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

    /** A search for which this makes sense, as an example. */
    String search() {
      return search;
    }
  }
}
