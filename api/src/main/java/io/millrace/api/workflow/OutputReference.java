package io.millrace.api.workflow;

import io.millrace.api.Pure;
import java.util.Collection;
import java.util.Optional;

/**
 * A value that a step gave to those that need it, written {@code {TEMPLATE.NAME}} in their jobs.
 * Pure.
 *
 * @param template of the step that gives the value
 * @param name of the value
 */
@Pure
public record OutputReference(String template, String name) {
  /**
   * What a placeholder refers to; empty if it does not begin with the name of a template.
   *
   * @param placeholder its name
   * @param templates the names of the workflow's templates; of several, the longest counts
   */
  public static Optional<OutputReference> of(String placeholder, Collection<String> templates) {
    int dot = placeholder.lastIndexOf('.');
    while (dot > 0) {
      String template = placeholder.substring(0, dot);
      if (dot + 1 < placeholder.length() && templates.contains(template)) {
        return Optional.of(new OutputReference(template, placeholder.substring(dot + 1)));
      }
      dot = placeholder.lastIndexOf('.', dot - 1);
    }
    return Optional.empty();
  }
}
