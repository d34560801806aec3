package io.millrace.api.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

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
    String text) {}
