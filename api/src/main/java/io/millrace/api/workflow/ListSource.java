package io.millrace.api.workflow;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import java.util.Collection;

/**
 * Where a list comes from that is not known before the run: a value that the only step of another
 * template writes. Steps have numbers for {@code max} values; those that the list does not have do
 * not exist.
 *
 * @param from the value, {@code TEMPLATE.NAME}
 * @param max the most values, from 1; null for {@link #USUAL_MAX}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ListSource(String from, Integer max) {
  /** The most values if nothing is said. */
  public static final int USUAL_MAX = 1_000;

  public ListSource {
    if (from == null || from.isBlank()) {
      throw refuse("from is missing: name a value of a step, TEMPLATE.NAME");
    }
    max = max == null ? USUAL_MAX : max;
    if (max < 1 || max > ValueList.MAX) {
      throw refuse("max must be from 1 to " + ValueList.MAX + ", not " + max);
    }
  }

  /**
   * The value as a reference.
   *
   * @param templates the names of the workflow's templates
   * @throws MillraceException INVALID_DEFINITION if it does not begin with one of them
   */
  public OutputReference reference(Collection<String> templates) {
    return OutputReference.of(from, templates)
        .orElseThrow(
            () ->
                refuse(
                    "from: '"
                        + ShownText.of(from)
                        + "' is not TEMPLATE.NAME, a value of the step of another template"));
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "each: " + rule);
  }
}
