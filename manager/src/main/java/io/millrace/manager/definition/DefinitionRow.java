package io.millrace.manager.definition;

import java.time.Instant;

/**
 * One version of one definition.
 *
 * @param kind its kind's word
 * @param name its name
 * @param version from 1
 * @param body canonical JSON
 * @param author who applied it
 * @param appliedAt by the database's clock
 */
public record DefinitionRow(
    String kind, String name, int version, String body, String author, Instant appliedAt) {}
