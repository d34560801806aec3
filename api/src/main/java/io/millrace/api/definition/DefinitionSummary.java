package io.millrace.api.definition;

import java.time.Instant;

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
