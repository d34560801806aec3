package io.millrace.api.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;

/**
 * One version of a definition, whole.
 *
 * @param kind queue, …
 * @param name its name
 * @param version from 1
 * @param inForce whether it is the one in force
 * @param author who applied it
 * @param appliedAt by the database's clock
 * @param definition canonical, as stored then
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
   * @param sameAs the latest earlier version that says the same; null when none does
   * @param diff lines that went ({@code -}) and came ({@code +}) since the version before
   */
  public record DefinitionVersion(
      int version, String author, Instant appliedAt, Integer sameAs, List<String> diff) {
    public DefinitionVersion {
      diff = List.copyOf(diff);
    }
  }

  /**
   * Asks for an earlier version's content as a new version.
   *
   * @param version whose content; null for the version before the one in force
   * @param dryRun only say what would change
   */
  public record RollbackRequest(Integer version, boolean dryRun) {}
}
