package io.millrace.api.definition;

import java.util.List;

/**
 * Applies definition files; either all definitions are changed or none.
 *
 * @param files in the order given by the operator
 * @param dryRun whether to report only what would change
 * @param prune deletes definitions with this label that are not in the files; null for none
 * @param expect refuses everything if one of these versions is not in force; null for none
 */
public record ApplyRequest(
    List<SourceFile> files, boolean dryRun, LabelSelector prune, List<ExpectedVersion> expect) {
  /** The most versions that one request expects. */
  public static final int MAX_EXPECTED = 1_000;

  public ApplyRequest {
    if (files == null) {
      throw new IllegalArgumentException("files is missing: a list of {name, text}");
    }
    files = List.copyOf(files);
    expect = expect == null ? List.of() : List.copyOf(expect);
    if (expect.size() > MAX_EXPECTED) {
      throw new IllegalArgumentException(
          "expect has %d versions; send at most %d, or apply the files in several requests"
              .formatted(expect.size(), MAX_EXPECTED));
    }
  }

  /** Whatever is in force. */
  public ApplyRequest(List<SourceFile> files, boolean dryRun, LabelSelector prune) {
    this(files, dryRun, prune, List.of());
  }

  /** Without deletions. */
  public ApplyRequest(List<SourceFile> files, boolean dryRun) {
    this(files, dryRun, null);
  }

  /**
   * A version that the caller has read: the change was made for this one and for no other.
   *
   * @param kind queue, …
   * @param name its name
   * @param version the version in force; 0 if there must be none
   */
  public record ExpectedVersion(String kind, String name, int version) {
    /** More than the name of any definition has. */
    private static final int LONGEST_NAME = 200;

    public ExpectedVersion {
      if (kind == null || name == null || version < 0) {
        throw new IllegalArgumentException(
            "expect needs kind, name and version of a definition; version 0 if there must be none");
      }
      if (kind.length() > LONGEST_NAME || name.length() > LONGEST_NAME) {
        throw new IllegalArgumentException(
            "expect: kind and name have at most %d characters".formatted(LONGEST_NAME));
      }
    }
  }

  /**
   * Selects definitions by one of their labels.
   *
   * @param key the label
   * @param value its value
   */
  public record LabelSelector(String key, String value) {
    public LabelSelector {
      if (key == null || key.isBlank() || value == null) {
        throw new IllegalArgumentException("prune needs the key and the value of a label");
      }
    }
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
   * @param changes one per definition in the files, then one per definition that is deleted
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
     * @param job the job that was submitted, of kind job; null otherwise
     */
    public record ApplyChange(
        String kind, String name, ApplyAction action, int version, List<String> diff, Long job) {
      /** A change that submits no job. */
      public ApplyChange(
          String kind, String name, ApplyAction action, int version, List<String> diff) {
        this(kind, name, action, version, diff, null);
      }
    }

    /** What applying does to a definition. */
    public enum ApplyAction {
      CREATED,
      CHANGED,
      UNCHANGED,
      /** Deleted, because it has the label and is not in the files. */
      DELETED
    }
  }
}
