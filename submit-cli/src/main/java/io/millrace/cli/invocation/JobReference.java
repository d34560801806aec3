package io.millrace.cli.invocation;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reference to a job: {@code 17}, or {@code 17[3]} for the element of array 17 with index 3.
 *
 * @param id of the job or of the array
 * @param index null for the job itself
 */
public record JobReference(long id, Long index) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18})(?:\\[(\\d{1,18})])?");

  /**
   * Parses the forms above.
   *
   * @throws IllegalArgumentException with the accepted forms if the text has none of them
   */
  public static JobReference parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches() || Long.parseLong(form.group(1)) == 0) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a job ID; use a number such as 17, or 17[3] for an array element");
    }
    Long index = form.group(2) == null ? null : Long.valueOf(form.group(2));
    return new JobReference(Long.parseLong(form.group(1)), index);
  }

  @Override
  public String toString() {
    return index == null ? String.valueOf(id) : id + "[" + index + "]";
  }
}
