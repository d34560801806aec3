package io.millrace.api.definition;

import java.util.List;

/**
 * What applying did, or would do.
 *
 * @param dryRun whether nothing was changed
 * @param changes one for each definition in the files
 */
public record ApplyAnswer(boolean dryRun, List<ApplyChange> changes) {

  /**
   * What became of one definition.
   *
   * @param kind queue, …
   * @param name its name
   * @param action what was done
   * @param version its version afterwards
   * @param diff lines that go ({@code -}) and come ({@code +}) in the canonical form
   */
  public record ApplyChange(
      String kind, String name, ApplyAction action, int version, List<String> diff) {}

  /** What applying does, or would do, to one definition. */
  public enum ApplyAction {
    CREATED,
    CHANGED,
    UNCHANGED
  }
}
