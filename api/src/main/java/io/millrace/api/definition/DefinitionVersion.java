package io.millrace.api.definition;

import java.time.Instant;
import java.util.List;

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
