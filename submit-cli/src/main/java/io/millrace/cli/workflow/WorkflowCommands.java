package io.millrace.cli.workflow;

import io.millrace.api.client.WorkflowClient;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.WorkflowLimit;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace workflow …}: graphs of steps. */
@Command(name = "workflow", description = "Submits, shows and controls workflows: graphs of steps.")
public final class WorkflowCommands extends CommandGroup {
  private static final int MAX = 1000;
  private static final String NO_LIMIT = "none";

  private WorkflowCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    CommandLine group =
        new CommandLine(new WorkflowCommands(invocation))
            .addSubcommand(new WorkflowSubmitCommand(invocation))
            .addSubcommand(new WorkflowRunCommand(invocation))
            .addSubcommand(new WorkflowImportCommand(invocation))
            .addSubcommand(new GraphCommand(invocation))
            .addSubcommand(new WorkflowResourcesCommand(invocation));
    StepCommands.all(invocation).forEach(group::addSubcommand);
    StateCommands.all(invocation).forEach(group::addSubcommand);
    return inOrder(
        group,
        "submit run import list show graph steps explain logs errors resources history wait cancel pause resume limit retry reset set-status archive unarchive delete");
  }

  private WorkflowClient workflows() {
    return invocation.central().workflows();
  }

  @Command(
      name = "list",
      description = "Lists workflows, newest first.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow list",
        "  millrace workflow list --state failed --name nightly"
      })
  void list(
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description =
                  "Only workflows in this state: binding, checking, running, cancelling, succeeded,"
                      + " failed, cancelled, refused.")
          WorkflowState state,
      @Option(names = "--name", paramLabel = "NAME", description = "Only workflows of this name.")
          String name,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "ID",
              description = "Only workflows older than this one.")
          Long before,
      @Option(names = "--archived", description = "Archived workflows instead of the others.")
          boolean archived) {
    OptionRefusal.outside("--limit", limit, 1, MAX);
    OptionRefusal.outside("--before", before, 1, Long.MAX_VALUE);
    WorkflowPage page = workflows().list(state, name, archived, before, limit);
    invocation.list(
        page,
        () -> WorkflowFormatter.table(page.workflows(), invocation.now()),
        state == null && name == null && !archived
            ? "no workflows; submit one with 'millrace workflow submit -f FILE'"
            : "no matching workflows");
    if (page.next() != null && !invocation.json()) {
      invocation.note("more workflows: use --before " + page.next());
    }
  }

  @Command(
      name = "show",
      description = "Shows a workflow with the progress of each template.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow show 17",
        "  millrace workflow show 17 --critical-path",
        "",
        "Queued steps have all that they need and wait for a slot. Steps run as elements of the array",
        "in the last column, which 'millrace job show' describes. The expected end follows from the",
        "run times that were measured so far and from what is running now."
      })
  void show(
      @Parameters(paramLabel = "ID", description = "Number of the workflow.") long id,
      @Option(
              names = "--critical-path",
              description =
                  "Show the longest chain by measured run times instead: of steps, of more than"
                      + " 100,000 steps of templates.")
          boolean criticalPath) {
    if (criticalPath) {
      CriticalPath path = workflows().criticalPath(id, null);
      invocation.show(path, () -> CriticalPathFormatter.lines(path, invocation.palette()));
      return;
    }
    WorkflowDetails details = workflows().show(id);
    invocation.show(
        details,
        () -> WorkflowFormatter.description(details, invocation.now(), invocation.palette()));
  }

  @Command(
      name = "wait",
      description = "Waits for workflows to end; exits with 0 if all of them succeeded.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow wait 17 --timeout 2h",
        "  millrace workflow wait 17 18",
        "",
        "The exit code is 1 if one did not succeed, and 124 if --timeout expired; 120 to 125 are"
            + " errors",
        "of the command itself."
      })
  int waitForEnd(
      @Parameters(paramLabel = "ID", arity = "1..*", description = "Numbers of the workflows.")
          List<Long> ids,
      @Option(
              names = "--timeout",
              paramLabel = "TIME",
              description = "Maximum time to wait for all of them, such as 5m.")
          Duration timeout) {
    invocation.exitAsJob();
    WorkflowAwaiter awaiter = new WorkflowAwaiter(invocation, timeout);
    List<WorkflowView> ended = ids.stream().map(id -> endOf(awaiter, id)).toList();
    if (invocation.json()) {
      invocation.terminal().json(ended.size() == 1 ? ended.get(0) : ended);
    }
    return ended.stream().mapToInt(WorkflowAwaiter::exitCode).max().orElse(0);
  }

  private WorkflowView endOf(WorkflowAwaiter awaiter, long id) {
    WorkflowView workflow = awaiter.end(id);
    if (!invocation.json()) {
      invocation.note(Escaping.text(WorkflowFormatter.ending(workflow)));
    }
    return workflow;
  }

  @Command(
      name = "cancel",
      description = "Cancels a workflow with all its steps; 'workflow retry' resumes it.",
      footer = {"", "Example:", "  millrace workflow cancel 17"})
  void cancel(@Parameters(paramLabel = "ID", description = "Number of the workflow.") long id) {
    report(workflows().cancel(id));
  }

  @Command(
      name = "pause",
      description = "Starts no further steps of a workflow; those that run continue.",
      footer = {"", "Example:", "  millrace workflow pause 17"})
  void pause(@Parameters(paramLabel = "ID", description = "Number of the workflow.") long id) {
    WorkflowView paused = workflows().pause(id);
    invocation.report(paused, "workflow %d paused".formatted(paused.id()));
  }

  @Command(
      name = "resume",
      description = "Ends the pause of a workflow, or of a template whose steps failed.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow resume 17",
        "  millrace workflow resume 17 --template fetch",
        "",
        "Of a template that was paused because its steps failed, a few steps at a time are tried"
            + " until one",
        "succeeds."
      })
  void resume(
      @Parameters(paramLabel = "ID", description = "Number of the workflow.") long id,
      @Option(
              names = "--template",
              paramLabel = "NAME",
              description = "The template that was paused because its steps failed.")
          String template) {
    WorkflowView resumed = workflows().resume(id, template);
    invocation.answer(resumed, () -> invocation.line(Escaping.text(resumption(resumed, template))));
  }

  private String resumption(WorkflowView resumed, String template) {
    boolean unchanged = resumed.outcome() == SubmissionOutcome.UNCHANGED;
    if (template == null) {
      return "workflow %d %s".formatted(resumed.id(), unchanged ? "is not paused" : "resumed");
    }
    String what =
        !unchanged
            ? "some steps of '%s' are tried"
            : isTrying(resumed.id(), template)
                ? "some steps of '%s' are tried already"
                : "template '%s' is not paused";
    return "workflow %d: %s".formatted(resumed.id(), what.formatted(template));
  }

  private boolean isTrying(long id, String template) {
    return workflows().show(id).templates().stream()
        .anyMatch(
            one -> one.name().equals(template) && one.pause() != null && one.pause().trying());
  }

  @Command(
      name = "limit",
      description = "Limits how many steps run at the same time; what runs already continues.",
      footer = {
        "",
        "Examples:",
        "  millrace workflow limit 17 --to 50",
        "  millrace workflow limit 17 --to 5 --template fetch",
        "  millrace workflow limit 17 --to none"
      })
  void limit(
      @Parameters(paramLabel = "ID", description = "Number of the workflow.") long id,
      @Option(
              names = "--to",
              required = true,
              paramLabel = "N",
              description = "Most steps; 0 starts none; none for no limit (required).")
          String limit,
      @Option(
              names = "--template",
              paramLabel = "NAME",
              description = "Only the steps of this template.")
          String template) {
    Integer steps = limit.equals(NO_LIMIT) ? null : steps(limit);
    WorkflowDetails limited = workflows().limit(id, new WorkflowLimit(steps, template));
    invocation.report(
        limited,
        "workflow %d: %s%s"
            .formatted(
                limited.workflow().id(),
                template == null ? "" : template + ": ",
                steps == null ? "no limit" : "at most " + steps + " at the same time"));
  }

  private static int steps(String limit) {
    try {
      int steps = Integer.parseInt(limit.strip());
      OptionRefusal.outside("--to", steps, 0, Integer.MAX_VALUE);
      return steps;
    } catch (NumberFormatException e) {
      throw OptionRefusal.of("--to", "use a number of steps such as 50, or none");
    }
  }

  private void report(WorkflowView workflow) {
    invocation.report(workflow, WorkflowFormatter.ending(workflow));
  }

  @Command(
      name = "delete",
      description = "Deletes a workflow that has ended or is still being submitted.",
      footer = {"", "Example:", "  millrace workflow delete 17 --yes"})
  void delete(
      @Parameters(paramLabel = "ID", description = "Number of the workflow.") long id,
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes)
      throws IOException {
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "deletes all that is recorded of workflow " + id, "its number", String.valueOf(id));
    }
    workflows().delete(id);
    invocation.report(Map.of("id", id), "workflow " + id + " deleted");
  }
}
