package io.millrace.api.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * One complete version of a definition.
 *
 * @param kind queue, …
 * @param name its name
 * @param version from 1
 * @param inForce whether it is the one in force
 * @param author who applied it
 * @param appliedAt by the database's clock
 * @param definition canonical, as it was stored
 * @param text the same as YAML, which can be applied
 */
public record DefinitionView(
    String kind,
    String name,
    int version,
    boolean inForce,
    String author,
    Instant appliedAt,
    JsonNode definition,
    String text) {

  /**
   * A definition in force, as lists show it.
   *
   * @param kind queue, …
   * @param name its name
   * @param version in force
   * @param author who applied it
   * @param appliedAt by the database's clock
   */
  public record DefinitionSummary(
      String kind, String name, int version, String author, Instant appliedAt) {}

  /**
   * One version of a definition, as its history shows it.
   *
   * @param version from 1; the highest is in force
   * @param author who applied it, or rolled back to it
   * @param appliedAt by the database's clock
   * @param sameAs the latest earlier version with the same content; null if there is none
   * @param diff lines removed ({@code -}) and added ({@code +}) since the previous version
   */
  public record DefinitionVersion(
      int version, String author, Instant appliedAt, Integer sameAs, List<String> diff) {
    public DefinitionVersion {
      diff = List.copyOf(diff);
    }
  }

  /**
   * Asks for a new version with the content of an earlier one.
   *
   * @param version the earlier version; null for the one before the version in force
   * @param dryRun whether to report only what would change
   * @param expect refuses the rollback if another version is in force, 0 if there must be none;
   *     null for any
   */
  public record RollbackRequest(Integer version, boolean dryRun, Integer expect) {
    public RollbackRequest {
      if (expect != null && expect < 0) {
        throw new IllegalArgumentException(
            "expect must be a version from 1, or 0 if none must be in force, not " + expect);
      }
    }

    /** From whatever version is in force. */
    public RollbackRequest(Integer version, boolean dryRun) {
      this(version, dryRun, null);
    }
  }
}
