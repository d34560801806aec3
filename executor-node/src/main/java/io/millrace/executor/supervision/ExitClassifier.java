package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandEnd;
import io.millrace.executor.supervision.AttemptRecords.ExitRecord;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * Determines how an attempt ended from what was recorded, intended and observed. Pure functions.
 */
final class ExitClassifier {

  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;
  private static final int SIGNAL_BASE = 128;
  private static final int LAST_SIGNAL = 64;
  private static final int KILL = 9;
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "HUP"),
          Map.entry(2, "INT"),
          Map.entry(3, "QUIT"),
          Map.entry(4, "ILL"),
          Map.entry(5, "TRAP"),
          Map.entry(6, "ABRT"),
          Map.entry(7, "BUS"),
          Map.entry(8, "FPE"),
          Map.entry(KILL, "KILL"),
          Map.entry(11, "SEGV"),
          Map.entry(13, "PIPE"),
          Map.entry(14, "ALRM"),
          Map.entry(15, "TERM"),
          Map.entry(24, "XCPU"),
          Map.entry(25, "XFSZ"));

  private ExitClassifier() {}

  /**
   * An end that was recorded.
   *
   * @param intent set if Millrace requested the end
   * @param shellMessage the supervising shell's message at the end of the error output
   */
  static CommandEnd recorded(
      ExitRecord exit, Optional<Intent> intent, Optional<String> shellMessage) {
    return ended(exit, intent, shellMessage).withUsage(exit.usage());
  }

  private static CommandEnd ended(
      ExitRecord exit, Optional<Intent> intent, Optional<String> shellMessage) {
    if (exit.startFailure().isPresent() && intent.isEmpty()) {
      return startFailed(exit.startFailure().get(), exit.at());
    }
    int code = exit.code();
    boolean signalled = code > SIGNAL_BASE && code <= SIGNAL_BASE + LAST_SIGNAL;
    OptionalInt exitCode = signalled ? OptionalInt.empty() : OptionalInt.of(code);
    OptionalInt signal = signalled ? OptionalInt.of(code - SIGNAL_BASE) : OptionalInt.empty();
    if (intent.isPresent()) {
      return new CommandEnd(
          intent.get().kind(), exitCode, signal, intent.get().reason(), exit.at());
    }
    if (signalled) {
      return new CommandEnd(
          CommandEnd.Kind.SIGNALLED, exitCode, signal, signalName(code - SIGNAL_BASE), exit.at());
    }
    // The command may use these codes itself; the shell's message distinguishes the two.
    if ((code == NOT_EXECUTABLE || code == NOT_FOUND) && shellMessage.isPresent()) {
      return new CommandEnd(
          CommandEnd.Kind.START_FAILED,
          exitCode,
          signal,
          "could not start: "
              + shellMessage.get()
              + "; check the command's name, its permissions and the PATH on this node",
          exit.at());
    }
    return new CommandEnd(
        CommandEnd.Kind.EXITED, exitCode, signal, "exited with code " + code, exit.at());
  }

  static CommandEnd startFailed(String reason, Instant at) {
    return new CommandEnd(
        CommandEnd.Kind.START_FAILED, OptionalInt.empty(), OptionalInt.empty(), reason, at);
  }

  /** An end forced by Millrace, without a record. */
  static CommandEnd killed(Intent intent, Instant at) {
    return new CommandEnd(
        intent.kind(), OptionalInt.empty(), OptionalInt.of(KILL), intent.reason(), at);
  }

  static CommandEnd lost(String reason, Instant at) {
    return new CommandEnd(
        CommandEnd.Kind.LOST, OptionalInt.empty(), OptionalInt.empty(), reason, at);
  }

  /** The end of an attempt of which nothing was started. */
  static CommandEnd neverBegan(String reason, Instant at) {
    return new CommandEnd(
        CommandEnd.Kind.NEVER_BEGAN, OptionalInt.empty(), OptionalInt.empty(), reason, at);
  }

  /** The same end, unless processes have survived being killed. */
  static CommandEnd unlessSurvived(CommandEnd ending, List<ProcessEntry> survivors) {
    if (survivors.isEmpty()) {
      return ending;
    }
    String processes =
        survivors.stream()
            .map(entry -> entry.pid() + " (state " + entry.state() + ")")
            .collect(Collectors.joining(", "));
    return new CommandEnd(
        CommandEnd.Kind.UNKILLABLE,
        ending.exitCode(),
        ending.signal(),
        ending.reason()
            + "; could not be killed: process "
            + processes
            + "; check what it waits for on this node",
        ending.endedAt(),
        ending.usage());
  }

  private static String signalName(int signal) {
    String name = NAMES.get(signal);
    return "ended by signal " + signal + (name == null ? "" : " (" + name + ")");
  }

  /** Reads how an attempt ended from its directory. */
  record EndingMessages(Path script) {
    private static final int TAIL_BYTES = 4096;
    private static final String EXEC = "exec: ";

    /** The recorded ending; empty when there is no record. */
    Optional<CommandEnd> recorded(AttemptRecords records, Optional<Intent> intent)
        throws IOException {
      Optional<ExitRecord> exit = records.exit();
      if (exit.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          ExitClassifier.recorded(exit.get(), intent, shellMessage(records.directory())));
    }

    /** What may have happened to a supervising shell without a record. */
    String withoutRecord(AttemptRecords records) {
      if (!Files.exists(records.directory().supervisorRecord())) {
        return "the supervising shell ended before it ran the command; see the attempt's error output";
      }
      return "the supervising shell ended without recording an exit status: it was killed together with"
          + " its command (manually, for lack of memory, or by the command itself), or the disk is full";
    }

    // The shell's own messages begin with the name of the script.
    private Optional<String> shellMessage(AttemptDirectory directory) throws IOException {
      List<String> lines = directory.tail(LogStream.STDERR, TAIL_BYTES).text().lines().toList();
      if (lines.isEmpty() || !lines.get(lines.size() - 1).startsWith(script + ":")) {
        return Optional.empty();
      }
      String last = lines.get(lines.size() - 1);
      int exec = last.indexOf(EXEC);
      return Optional.of(
          exec < 0
              ? last.substring(script.toString().length() + 1).strip()
              : last.substring(exec + EXEC.length()));
    }
  }
}
