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
}
