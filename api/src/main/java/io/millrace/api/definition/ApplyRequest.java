package io.millrace.api.definition;

import java.util.List;

/**
 * Asks to make the definitions be as the files say; all of it is done, or nothing.
 *
 * @param files in the order of the operator
 * @param dryRun only say what would change
 */
public record ApplyRequest(List<SourceFile> files, boolean dryRun) {

  /**
   * A definition file as it lies on the operator's disk; it may hold several YAML documents.
   *
   * @param name for messages
   * @param text YAML
   */
  public record SourceFile(String name, String text) {}
}
