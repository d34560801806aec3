package io.millrace.api.definition;

import java.util.List;

/**
 * Applies definition files; either all definitions are changed or none.
 *
 * @param files in the order given by the operator
 * @param dryRun whether to report only what would change
 */
public record ApplyRequest(List<SourceFile> files, boolean dryRun) {
  public ApplyRequest {
    if (files == null) {
      throw new IllegalArgumentException("files is missing: a list of {name, text}");
    }
    files = List.copyOf(files);
  }

  /**
   * A definition file of an operator; it may hold several YAML documents.
   *
   * @param name for messages
   * @param text YAML
   */
  public record SourceFile(String name, String text) {
    public SourceFile {
      if (name == null || text == null) {
        throw new IllegalArgumentException("name and text of a file are needed");
      }
    }
  }

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
}
