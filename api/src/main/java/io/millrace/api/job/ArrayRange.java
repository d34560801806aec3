package io.millrace.api.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.millrace.api.ShownText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The indexes of an array of jobs, written {@code 1-1000}, {@code 0-90:10} (every tenth), {@code
 * 1-1000%50} (at most 50 at a time).
 *
 * @param first the first index, not negative
 * @param last the last index that may occur, not below the first
 * @param step from one index to the next, at least 1
 * @param limit the most elements that run at the same time; 0 for no limit
 */
public record ArrayRange(long first, long last, long step, int limit) {
  /** The largest number of elements of an array. */
  public static final long MAX = 10_000_000;

  private static final Pattern FORM =
      Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?(?::(\\d{1,9}))?(?:%(\\d{1,9}))?");

  public ArrayRange {
    require(
        first >= 0 && last >= first,
        "the first index must not exceed the last; indexes start at 0");
    require(step >= 1, "the step must be at least 1");
    require(limit >= 0, "the limit must be at least 1; omit it for no limit");
    require((last - first) / step < MAX, "the range must have at most " + MAX + " elements");
  }

  /**
   * Reads the forms above.
   *
   * @throws IllegalArgumentException if the text has none of the accepted forms, which the message
   *     lists
   */
  @JsonCreator
  public static ArrayRange parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'"
              + ShownText.of(text)
              + "' is not an array; write for instance 1-1000, 0-90:10 or 1-1000%50");
    }
    long first = Long.parseLong(form.group(1));
    if (form.group(4) != null && Integer.parseInt(form.group(4)) == 0) {
      throw new IllegalArgumentException("the limit must be at least 1; omit it for no limit");
    }
    return new ArrayRange(
        first,
        form.group(2) == null ? first : Long.parseLong(form.group(2)),
        form.group(3) == null ? 1 : Long.parseLong(form.group(3)),
        form.group(4) == null ? 0 : Integer.parseInt(form.group(4)));
  }

  /** How many elements it has. */
  public long size() {
    return (last - first) / step + 1;
  }

  @Override
  @JsonValue
  public String toString() {
    return first + "-" + last + (step == 1 ? "" : ":" + step) + (limit == 0 ? "" : "%" + limit);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new IllegalArgumentException(rule);
    }
  }
}
