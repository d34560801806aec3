package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.job.Outcome;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reduces the end of a failed attempt to what such ends have in common: the kind of end, and the
 * last line of error output without numbers, times and identifiers.
 */
@Pure
public final class FailureText {
  private static final int MAX_LINE = 200;
  // The longest part of a line that is compared; patterns run over nothing longer.
  private static final int MAX_COMPARED = 1_000;
  private static final Map<Integer, String> SIGNALS =
      Map.of(
          1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT", 7, "BUS", 8, "FPE", 9, "KILL", 11,
          "SEGV", 15, "TERM");
  // As the execution nodes word the end of a worker in a dead letter's reason.
  private static final Pattern EXITED = Pattern.compile("exited with code (\\d{1,3})(?:: |$)");
  private static final Pattern SIGNALLED =
      Pattern.compile("ended by signal (\\d{1,3})[^:\\n]{0,20}(?:: |$)");
  private static final Pattern LIMITED =
      Pattern.compile("killed: (ran|memory) [^:\\n]{0,100}(?:: |$)");
  private static final Pattern ESCAPES = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");
  private static final Pattern STACK = Pattern.compile("\\s+at .+|\\s*\\.\\.\\. \\d+ .*more");
  private static final Pattern UUIDS =
      Pattern.compile("\\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b");
  private static final Pattern TIMES =
      Pattern.compile(
          "\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?"
              + "|\\b\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d+)?\\b");
  private static final Pattern HEXADECIMALS =
      Pattern.compile("\\b0[xX][0-9a-fA-F]+\\b|\\b(?=[0-9a-fA-F]*\\d)[0-9a-fA-F]{8,}\\b");
  private static final Pattern NUMBERS = Pattern.compile("\\d+(?:[.,:]\\d+)*");
  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Cntrl}]+");

  private FailureText() {}

  /**
   * A cause of failures.
   *
   * @param cause how they end
   * @param line their last line of error output, without what differs; empty for none
   */
  public record Cause(String cause, String line) {}

  /**
   * The cause of a failed job.
   *
   * @param outcome of its last attempt; null if it had none
   * @param reason human-readable; null for none
   * @param errors the end of the error output; null for none
   */
  static Cause of(Outcome outcome, Integer exitCode, Integer signal, String reason, String errors) {
    if (outcome == null) {
      return new Cause("not started", common(reason));
    }
    return switch (outcome) {
      case FAILED -> new Cause(exitCode == null ? "failed" : "exit code " + exitCode, last(errors));
      case SIGNALLED -> new Cause(signal(signal), last(errors));
      case TIMED_OUT -> new Cause("time limit", last(errors));
      case MEMORY_EXCEEDED -> new Cause("memory limit", last(errors));
      case START_FAILED -> new Cause("could not be started", common(reason));
      case LOST -> new Cause("lost", common(reason));
      case STOPPED -> new Cause("stopped", common(reason));
      case SUCCEEDED, IDLE -> new Cause("failed", common(reason));
    };
  }

  /** The cause in the reason of a dead letter. */
  public static Cause ofReason(String reason) {
    if (reason == null || reason.isBlank()) {
      return new Cause("no reason", "");
    }
    Matcher exited = EXITED.matcher(reason);
    if (exited.lookingAt()) {
      return new Cause("exit code " + exited.group(1), last(reason.substring(exited.end())));
    }
    Matcher signalled = SIGNALLED.matcher(reason);
    if (signalled.lookingAt()) {
      return new Cause(
          signal(Integer.valueOf(signalled.group(1))), last(reason.substring(signalled.end())));
    }
    Matcher limited = LIMITED.matcher(reason);
    if (limited.lookingAt()) {
      String limit = "ran".equals(limited.group(1)) ? "time limit" : "memory limit";
      return new Cause(limit, last(reason.substring(limited.end())));
    }
    return new Cause("refused", last(reason));
  }

  private static String signal(Integer signal) {
    if (signal == null) {
      return "signal";
    }
    String name = SIGNALS.get(signal);
    return "signal " + signal + (name == null ? "" : " (" + name + ")");
  }

  /** The last line that says something; frames of a stack trace do not. */
  private static String last(String text) {
    if (text == null) {
      return "";
    }
    List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = compared(lines.get(i));
      if (!STACK.matcher(line).matches()) {
        return common(line);
      }
    }
    return lines.isEmpty() ? "" : common(lines.get(lines.size() - 1));
  }

  private static String compared(String line) {
    return line.length() <= MAX_COMPARED ? line : line.substring(0, MAX_COMPARED);
  }

  /** A line without what differs between failures with the same cause. */
  static String common(String line) {
    if (line == null) {
      return "";
    }
    String common = ESCAPES.matcher(compared(line)).replaceAll("");
    common = UUIDS.matcher(common).replaceAll("#");
    common = TIMES.matcher(common).replaceAll("#");
    common = HEXADECIMALS.matcher(common).replaceAll("#");
    common = NUMBERS.matcher(common).replaceAll("#");
    common = BLANKS.matcher(common).replaceAll(" ").strip();
    return common.length() <= MAX_LINE ? common : common.substring(0, MAX_LINE);
  }
}
