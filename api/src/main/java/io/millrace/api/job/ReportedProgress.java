package io.millrace.api.job;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a program reports to be. Values out of range are corrected and control characters are
 * removed, whoever made it, so that it can be shown anywhere.
 *
 * @param percent 0 to 100; null if unknown. Follows from the counts if it was not reported
 * @param done units of work that are done; null if not reported
 * @param total all units of work; null if not reported
 * @param message short text, at most {@value #LONGEST_MESSAGE} characters; null for none
 */
public record ReportedProgress(Double percent, Long done, Long total, String message) {
  /** Most characters of a message; longer ones are cut. */
  public static final int LONGEST_MESSAGE = 200;

  private static final double ALL = 100;
  private static final Pattern LINE =
      Pattern.compile(
          "(?:(\\d{1,3}(?:\\.\\d{1,9})?)\\s?%)?\\s*(?:(\\d{1,18})\\s?/\\s?(\\d{1,18}))?(?:\\s+(.*))?",
          Pattern.DOTALL);
  // Control characters, line separators, and characters that change the direction of text.
  private static final Pattern NOT_SHOWN =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]+");

  public ReportedProgress {
    boolean counted = done != null && total != null && done >= 0 && total >= 0;
    done = counted ? done : null;
    total = counted ? total : null;
    if ((percent == null || percent.isNaN()) && counted && total > 0) {
      percent = ALL * done / total;
    }
    percent = percent == null || percent.isNaN() ? null : Math.max(0, Math.min(ALL, percent));
    message = shown(message);
  }

  /**
   * Reads one line: {@code 42%}, {@code 17/400}, or both, each optionally followed by a message; or
   * only a message. Pure.
   *
   * @return empty for a blank line
   */
  public static Optional<ReportedProgress> parse(String line) {
    String text = line.strip();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Matcher parts = LINE.matcher(text);
    ReportedProgress read =
        parts.matches()
            ? new ReportedProgress(
                parts.group(1) == null ? null : Double.valueOf(parts.group(1)),
                parts.group(2) == null ? null : Long.valueOf(parts.group(2)),
                parts.group(3) == null ? null : Long.valueOf(parts.group(3)),
                parts.group(4))
            : new ReportedProgress(null, null, null, text);
    return read.isEmpty() ? Optional.empty() : Optional.of(read);
  }

  private boolean isEmpty() {
    return percent == null && done == null && message == null;
  }

  private static String shown(String text) {
    if (text == null) {
      return null;
    }
    String shown = NOT_SHOWN.matcher(text).replaceAll(" ").strip();
    if (shown.length() > LONGEST_MESSAGE) {
      int end = LONGEST_MESSAGE - 1;
      shown =
          shown.substring(0, Character.isHighSurrogate(shown.charAt(end - 1)) ? end - 1 : end)
              + "…";
    }
    return shown.isEmpty() ? null : shown;
  }
}
