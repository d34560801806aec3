package io.millrace.executor.supervision;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Tells from what was recorded, intended and seen how an attempt ended. Pure functions. */
final class Endings {

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

  private Endings() {}

  /**
   * An end that was recorded.
   *
   * @param intent set when Millrace had asked for the end
   * @param shellWords what the supervising shell had to say at the end of the error output
   */
  static Ending recorded(ExitRecord exit, Optional<Intent> intent, Optional<String> shellWords) {
    return ended(exit, intent, shellWords).withUsage(exit.usage());
  }

  private static Ending ended(
      ExitRecord exit, Optional<Intent> intent, Optional<String> shellWords) {
    if (exit.startFailure().isPresent() && intent.isEmpty()) {
      return startFailed(exit.startFailure().get(), exit.at());
    }
    int code = exit.code();
    boolean signalled = code > SIGNAL_BASE && code <= SIGNAL_BASE + LAST_SIGNAL;
    OptionalInt exitCode = signalled ? OptionalInt.empty() : OptionalInt.of(code);
    OptionalInt signal = signalled ? OptionalInt.of(code - SIGNAL_BASE) : OptionalInt.empty();
    if (intent.isPresent()) {
      return new Ending(intent.get().kind(), exitCode, signal, intent.get().reason(), exit.at());
    }
    if (signalled) {
      return new Ending(
          Ending.Kind.SIGNALLED, exitCode, signal, inWords(code - SIGNAL_BASE), exit.at());
    }
    // The command may use these codes itself; the shell's own words tell the two apart.
    if ((code == NOT_EXECUTABLE || code == NOT_FOUND) && shellWords.isPresent()) {
      return new Ending(
          Ending.Kind.START_FAILED,
          exitCode,
          signal,
          "could not start: "
              + shellWords.get()
              + "; check the command's name, its permissions and the PATH on this node",
          exit.at());
    }
    return new Ending(Ending.Kind.EXITED, exitCode, signal, "exited with code " + code, exit.at());
  }

  static Ending startFailed(String reason, Instant at) {
    return new Ending(
        Ending.Kind.START_FAILED, OptionalInt.empty(), OptionalInt.empty(), reason, at);
  }

  /** An end that Millrace forced; nobody was left to record it. */
  static Ending killed(Intent intent, Instant at) {
    return new Ending(
        intent.kind(), OptionalInt.empty(), OptionalInt.of(KILL), intent.reason(), at);
  }

  static Ending lost(String reason, Instant at) {
    return new Ending(Ending.Kind.LOST, OptionalInt.empty(), OptionalInt.empty(), reason, at);
  }

  /** The same ending, unless processes have outlived their killing. */
  static Ending unlessSurvived(Ending ending, List<ProcessEntry> survivors) {
    if (survivors.isEmpty()) {
      return ending;
    }
    String processes =
        survivors.stream()
            .map(entry -> entry.pid() + " (state " + entry.state() + ")")
            .collect(Collectors.joining(", "));
    return new Ending(
        Ending.Kind.UNKILLABLE,
        ending.exitCode(),
        ending.signal(),
        ending.reason()
            + "; could not be killed: process "
            + processes
            + "; look at what it waits for on this node",
        ending.endedAt(),
        ending.usage());
  }

  private static String inWords(int signal) {
    String name = NAMES.get(signal);
    return "ended by signal " + signal + (name == null ? "" : " (" + name + ")");
  }
}
