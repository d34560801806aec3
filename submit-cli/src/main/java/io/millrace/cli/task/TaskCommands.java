package io.millrace.cli.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.cli.definition.DeletionFields;
import io.millrace.cli.definition.TaskFormatter;
import io.millrace.cli.definition.TaskTryCommand;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import io.millrace.manager.schedule.CrontabImport;
import io.millrace.manager.schedule.CrontabReading;
import io.millrace.manager.schedule.CrontabReading.CrontabOrigin;
import io.millrace.manager.schedule.CrontabReading.CrontabTask;
import io.millrace.manager.schedule.CrontabReading.RefusedLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace task …}: tasks, their schedules and their runs. */
@Command(name = "task", description = "Shows and controls tasks, their schedules and their runs.")
public final class TaskCommands extends CommandGroup {

  private TaskCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new TaskCommands(invocation))
            .addSubcommand(new RunCommand(invocation))
            .addSubcommand(new TaskLogsCommand(invocation))
            .addSubcommand(new TaskTryCommand(invocation)),
        "list show next run stop pause resume history logs import try");
  }

  @Command(
      name = "list",
      description = "Lists the tasks with their next run and the outcome of the last one.",
      footer = {"", "Example:", "  millrace task list"})
  void list() {
    List<TaskView> listed = invocation.central().tasks().list();
    invocation.list(
        listed, () -> tasks(listed), "no tasks; define one with 'millrace apply -f FILE'");
  }

  private Table tasks(List<TaskView> tasks) {
    Instant now = invocation.now();
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.left("STATE"),
            Column.left("SCHEDULE", 44),
            Column.right("NEXT IN"),
            Column.left("LAST"),
            Column.right("AGO"),
            Column.right("TOOK"));
    for (TaskView task : tasks) {
      TaskRunView last = task.last();
      table.row(
          task.definition().name(),
          stateOf(task),
          task.schedule() == null ? "manual" : task.schedule().description(),
          nextIn(task, now),
          last == null ? Cell.of("-") : RunFormatter.state(last.state()),
          last == null ? "-" : Ages.since(last.endedAt(), now),
          last == null ? "-" : Ages.between(last.startedAt(), last.endedAt()));
    }
    return table;
  }

  private static Cell stateOf(TaskView task) {
    if (task.paused()) {
      return Cell.of("paused", Style.WARNING);
    }
    return task.current() == null
        ? Cell.of("idle", Style.FAINT)
        : RunFormatter.state(task.current().state());
  }

  private static String nextIn(TaskView task, Instant now) {
    boolean none = task.paused() || task.schedule() == null || task.schedule().next().isEmpty();
    return none ? "-" : Ages.between(now, task.schedule().next().get(0));
  }

  @Command(
      name = "show",
      description = "Shows the details of a task: command, schedule, next times and last runs.",
      footer = {"", "Example:", "  millrace task show nightly"})
  void show(@Parameters(paramLabel = "NAME", description = "Name of the task.") String name) {
    TaskView task = invocation.central().tasks().show(name);
    invocation.show(task, () -> description(task));
  }

  private List<String> description(TaskView task) {
    FieldList fields = new FieldList(invocation.palette());
    fields.title("task %s, version %d".formatted(task.definition().name(), task.version()));
    fields.value("about", task.definition().description());
    String pause = RunFormatter.pause(task);
    fields.value("paused", pause == null ? null : Cell.of(pause, Style.WARNING));
    DeletionFields.add(fields, task.deletion(), invocation.now());
    TaskFormatter.of(task.definition(), task.schedule()).forEach(fields::value);
    if (task.schedule() != null && !task.schedule().next().isEmpty()) {
      fields.value(
          "next",
          task.schedule().next().stream().map(Object::toString).collect(Collectors.joining(", ")));
    }
    fields.table(
        "Runs",
        RunFormatter.table(
            Stream.of(task.current(), task.last()).filter(run -> run != null).toList(),
            invocation.now()));
    return fields.lines();
  }

  @Command(
      name = "next",
      description = "Shows when a task will run next.",
      footer = {"", "Example:", "  millrace task next nightly --count 10"})
  void next(
      @Parameters(paramLabel = "NAME", description = "Name of the task.") String name,
      @Option(
              names = "--count",
              paramLabel = "N",
              defaultValue = "5",
              description = "Number of times to show (default: ${DEFAULT-VALUE}).")
          int count) {
    OptionRefusal.outside("--count", count, 1, 100);
    SchedulePreview preview = invocation.central().tasks().next(name, count);
    invocation.answer(preview, () -> printTimes(preview));
  }

  private void printTimes(SchedulePreview preview) {
    invocation.note(Escaping.text(preview.description()));
    for (Instant time : preview.next()) {
      invocation.line(time.toString());
    }
  }

  @Command(
      name = "stop",
      description = "Stops the current run of a task, including its workers.",
      footer = {
        "",
        "Examples:",
        "  millrace task stop nightly",
        "  millrace task stop nightly --run 17"
      })
  void stop(
      @Parameters(paramLabel = "NAME", description = "Name of the task.") String name,
      @Option(
              names = "--run",
              paramLabel = "RUN",
              description = "Number of the run (default: the current run).")
          Long run) {
    TaskClient tasks = invocation.central().tasks();
    TaskRunView stopped = tasks.stop(run == null ? currentRun(tasks, name) : run);
    invocation.report(stopped, "stopping run %d of %s".formatted(stopped.id(), stopped.task()));
  }

  private static long currentRun(TaskClient tasks, String name) {
    TaskRunView current = tasks.show(name).current();
    if (current == null) {
      throw new MillraceException(ErrorCode.CONFLICT, "no run of " + name + " is in progress");
    }
    return current.id();
  }

  @Command(
      name = "pause",
      description = "Pauses a task until it is resumed; a run in progress continues.",
      footer = {
        "",
        "Examples:",
        "  millrace task pause nightly --reason 'the archive moves'",
        "  millrace task pause nightly --for 2h"
      })
  void pause(
      @Parameters(paramLabel = "NAME", description = "Name of the task.") String name,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              description = "Resume automatically after this time.")
          Duration duration,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, shown to other users.")
          String reason) {
    TaskView task = invocation.central().tasks().pause(name, new TaskPause(reason, duration));
    invocation.report(task, "task %s: %s".formatted(name, RunFormatter.pause(task)));
  }

  @Command(
      name = "resume",
      description = "Resumes a paused task; missed runs are caught up only with catchUpPauses.",
      footer = {"", "Example:", "  millrace task resume nightly"})
  void resume(@Parameters(paramLabel = "NAME", description = "Name of the task.") String name) {
    TaskView task = invocation.central().tasks().resume(name);
    boolean planned = task.schedule() != null && !task.schedule().next().isEmpty();
    String next = planned ? ", next run at " + task.schedule().next().get(0) : "";
    invocation.report(task, "task %s resumed%s".formatted(name, next));
  }

  @Command(
      name = "history",
      description = "Lists the runs of a task, including missed and skipped ones, newest first.",
      footer = {"", "Example:", "  millrace task history nightly --limit 50"})
  void history(
      @Parameters(paramLabel = "NAME", description = "Name of the task.") String name,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "RUN",
              description = "Only runs older than this one.")
          Long before) {
    OptionRefusal.outside("--limit", limit, 1, 1000);
    List<TaskRunView> runs = invocation.central().tasks().runs(name, before, limit);
    invocation.list(
        runs,
        () -> RunFormatter.table(runs, invocation.now()),
        "no runs yet; start one with 'millrace task run %s'".formatted(name));
    String times = RunFormatter.times(runs);
    if (times != null && !invocation.json()) {
      invocation.note(times);
    }
  }

  @Command(
      name = "import",
      description = "Converts the lines of a crontab into tasks.",
      footer = {
        "",
        "Examples:",
        "  crontab -l | millrace task import - --dry-run > tasks.yaml",
        "  millrace task import /etc/crontab --system",
        "",
        "Lines that cannot be converted are reported; then nothing is applied and the exit"
            + " code is 1."
      })
  int importCrontab(
      @Parameters(paramLabel = "CRONTAB", description = "Crontab file, or - for standard input.")
          String file,
      @Option(
              names = "--dry-run",
              description = "Print the definitions as YAML without applying them.")
          boolean dryRun,
      @Option(
              names = "--system",
              description = "The lines have a user field before the command, as in /etc/crontab.")
          boolean system,
      @Option(
              names = "--zone",
              paramLabel = "ZONE",
              description =
                  "Time zone of the crontab, such as Europe/Amsterdam (default: that of this"
                      + " machine).")
          String zone,
      @Option(
              names = "--home",
              paramLabel = "DIR",
              description =
                  "Working directory of the commands (default: HOME, unless --system is set).")
          String home)
      throws IOException {
    return new CrontabImporter(invocation, file, dryRun).run(system, zone, home);
  }

  /**
   * One import of a crontab. Separate from the command, because the parser of arguments inspects
   * the methods of commands, and only the class path of servers can read crontabs.
   */
  private static final class CrontabImporter {
    private final Invocation invocation;
    private final String file;
    private final boolean dryRun;

    CrontabImporter(Invocation invocation, String file, boolean dryRun) {
      this.invocation = invocation;
      this.file = file;
      this.dryRun = dryRun;
    }

    int run(boolean system, String zone, String home) throws IOException {
      CrontabReading reading =
          CrontabImport.read(text(), origin(system, zone, home), invocation.now());
      for (RefusedLine line : reading.refused()) {
        note("line %d: %s".formatted(line.line(), line.reason()));
      }
      if (dryRun) {
        invocation.answer(
            reading.tasks().stream().map(CrontabTask::definition).toList(),
            () -> invocation.terminal().out().print(reading.yaml()));
        return reading.refused().isEmpty() ? 0 : 1;
      }
      if (!reading.refused().isEmpty()) {
        note("nothing was applied; remove or fix these lines, or edit the output of --dry-run");
        return 1;
      }
      if (reading.tasks().isEmpty()) {
        note("the crontab has no lines to import");
        return 0;
      }
      apply(reading);
      return 0;
    }

    private void apply(CrontabReading reading) {
      List<SourceFile> files = List.of(new SourceFile(file, reading.yaml()));
      ApplyAnswer answer = invocation.central().apply(new ApplyRequest(files, false));
      reading.tasks().forEach(this::printNotes);
      invocation.answer(
          answer,
          () ->
              answer
                  .changes()
                  .forEach(
                      change ->
                          invocation.line(
                              Escaping.text(
                                  "task %s %s, version %d"
                                      .formatted(
                                          change.name(),
                                          RunFormatter.lowerCase(change.action()),
                                          change.version())))));
      note("remove these lines from the crontab now; otherwise both will run");
    }

    private void printNotes(CrontabTask task) {
      task.notes().forEach(text -> note(task.definition().name() + ": " + text));
    }

    private void note(String text) {
      invocation.note(Escaping.text(text));
    }

    private String text() throws IOException {
      if (file.equals("-")) {
        return new String(invocation.terminal().in().readAllBytes(), StandardCharsets.UTF_8);
      }
      try {
        return Files.readString(Path.of(file));
      } catch (NoSuchFileException e) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "there is no file %s; specify a crontab, or -".formatted(file),
            e);
      }
    }

    private CrontabOrigin origin(boolean system, String zone, String home) {
      String named = zone == null ? ZoneId.systemDefault().getId() : zone;
      try {
        ZoneId.of(named);
      } catch (DateTimeException e) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "--zone: unknown time zone %s; use one such as Europe/Amsterdam or UTC"
                .formatted(named),
            e);
      }
      String usual = system ? null : invocation.environment().get("HOME");
      return new CrontabOrigin(system, named, home == null ? usual : home);
    }
  }
}
