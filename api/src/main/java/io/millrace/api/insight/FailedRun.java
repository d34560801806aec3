package io.millrace.api.insight;

import io.millrace.api.job.AttemptId;
import java.time.Instant;

/**
 * A failed worker run with its last words.
 *
 * @param attempt which
 * @param node where it ran
 * @param at when it ended
 * @param exitCode null if none
 * @param signal null if none
 * @param reason for people
 * @param stderrTail last words; null for none
 */
public record FailedRun(
    AttemptId attempt,
    String node,
    Instant at,
    Integer exitCode,
    Integer signal,
    String reason,
    String stderrTail) {
  private static final int LONGEST = 300;

  /** How it ended and the last line it wrote, in one line for people. */
  public String words() {
    String end =
        signal != null
            ? "signal " + signal
            : exitCode != null ? "exit code " + exitCode : reason == null ? "failed" : reason;
    return "worker " + attempt + " on " + node + ", " + end + lastLine();
  }

  private String lastLine() {
    if (stderrTail == null || stderrTail.isBlank()) {
      return "";
    }
    String text = stderrTail.strip();
    String line = text.substring(text.lastIndexOf('\n') + 1).strip();
    return ": " + (line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…");
  }
}
