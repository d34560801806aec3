package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A definition in force.
 *
 * @param kind its kind's word
 * @param name its name
 * @param version from 1
 * @param author who applied this version
 * @param appliedAt by the database's clock
 * @param definition canonical
 */
public record AppliedDefinition(
    String kind, String name, int version, String author, Instant appliedAt, JsonNode definition) {}
