package io.millrace.cli.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.SourceFile;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
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
import java.time.ZoneId;
import java.util.List;

/**
 * One import of a crontab. Apart from the command, because the parser of arguments looks at a
 * command's methods, and only the servers' class path reads crontabs.
 */
final class ImportRun {
  private final Invocation invocation;
  private final String file;
  private final boolean dryRun;

  ImportRun(Invocation invocation, String file, boolean dryRun) {
    this.invocation = invocation;
    this.file = file;
    this.dryRun = dryRun;
  }

  int run(boolean system, String zone, String home) throws IOException {
    CrontabReading reading = CrontabImport.read(text(), origin(system, zone, home));
    for (RefusedLine line : reading.refused()) {
      note("line " + line.line() + ": " + line.reason());
    }
    if (dryRun) {
      invocation.answer(
          reading.tasks().stream().map(CrontabTask::definition).toList(),
          () -> invocation.terminal().out().print(reading.yaml()));
      return reading.refused().isEmpty() ? 0 : 1;
    }
    if (!reading.refused().isEmpty()) {
      note("nothing was applied; take these lines out or mend them, or start from --dry-run");
      return 1;
    }
    if (reading.tasks().isEmpty()) {
      note("there is no line to import");
      return 0;
    }
    apply(reading);
    return 0;
  }

  private void apply(CrontabReading reading) {
    List<SourceFile> files = List.of(new SourceFile(file, reading.yaml()));
    ApplyAnswer answer = invocation.central().apply(new ApplyRequest(files, false));
    reading.tasks().forEach(this::tellNotes);
    invocation.answer(
        answer,
        () ->
            answer
                .changes()
                .forEach(
                    change ->
                        invocation
                            .terminal()
                            .line(
                                Escaping.text(
                                    "task "
                                        + change.name()
                                        + " "
                                        + RunFormatter.word(change.action())
                                        + ", version "
                                        + change.version()))));
    note("take the lines out of the crontab now, or both will run");
  }

  private void tellNotes(CrontabTask task) {
    task.notes().forEach(words -> note(task.definition().name() + ": " + words));
  }

  private void note(String words) {
    invocation.terminal().note(Escaping.text(words));
  }

  private String text() throws IOException {
    if (file.equals("-")) {
      return new String(invocation.terminal().in().readAllBytes(), StandardCharsets.UTF_8);
    }
    try {
      return Files.readString(Path.of(file));
    } catch (NoSuchFileException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "there is no file " + file + "; name a crontab, or - ", e);
    }
  }

  private CrontabOrigin origin(boolean system, String zone, String home) {
    String named = zone == null ? ZoneId.systemDefault().getId() : zone;
    try {
      ZoneId.of(named);
    } catch (DateTimeException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "--zone " + named + " is unknown; write one such as Europe/Amsterdam or UTC",
          e);
    }
    String usual = system ? null : invocation.environment().get("HOME");
    return new CrontabOrigin(system, named, home == null ? usual : home);
  }
}
