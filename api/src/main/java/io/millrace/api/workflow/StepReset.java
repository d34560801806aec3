package io.millrace.api.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.List;

/**
 * Lets steps that have ended wait again, so that they run once more.
 *
 * @param steps each by its number, the name of a listed one, or {@code template[value,…]}; null or
 *     empty if there is a template
 * @param template all steps of it; null for none
 * @param dependents whether those below them are set back, too; otherwise what has succeeded stays
 *     so
 * @param cold whether those of them that run are ended first; otherwise they are refused
 */
public record StepReset(List<String> steps, String template, boolean dependents, boolean cold) {
  /** The most steps of a request. */
  public static final int MAX = 1000;

  public StepReset {
    steps = named(steps);
    if (steps.isEmpty() && template == null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "steps is missing: name some, or give a template");
    }
  }

  static List<String> named(List<String> steps) {
    List<String> named = steps == null ? List.of() : List.copyOf(steps);
    if (named.size() > MAX) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "steps: %d are named; the most are %d in one request".formatted(named.size(), MAX));
    }
    return named;
  }
}
