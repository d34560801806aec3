package io.millrace.api.definition;

import java.util.List;

/**
 * The result of applying definitions, or what it would be.
 *
 * @param dryRun whether nothing was changed
 * @param changes one per definition in the files
 */
public record ApplyAnswer(boolean dryRun, List<ApplyChange> changes) {

  /**
   * What was done with one definition.
   *
   * @param kind queue, …
   * @param name its name
   * @param action what was done
   * @param version its version afterwards
   * @param diff removed ({@code -}) and added ({@code +}) lines of the canonical form
   */
  public record ApplyChange(
      String kind, String name, ApplyAction action, int version, List<String> diff) {}

  /** What applying does to a definition. */
  public enum ApplyAction {
    CREATED,
    CHANGED,
    UNCHANGED
  }
}
