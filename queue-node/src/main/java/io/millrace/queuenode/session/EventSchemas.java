package io.millrace.queuenode.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the data of events against the JSON Schema of their queue (draft 2020-12 unless the schema
 * names another one). A schema is compiled once for each version of a definition, and refers to
 * nothing outside itself. Thread-safe.
 */
final class EventSchemas {
  /** Queues whose schemas are kept compiled; more are compiled again. */
  private static final int MOST = 200;

  private static final int SHOWN = 3;

  private record Compiled(int version, Schema schema, String problem) {}

  // Guarded by this.
  private final Map<String, Compiled> compiled =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Compiled> eldest) {
          return size() > MOST;
        }
      };

  /**
   * Checks data.
   *
   * @param version of the queue's definition
   * @param schema null for none
   * @throws MillraceException INVALID_REQUEST with the places that do not match
   */
  void require(String queue, int version, JsonNode schema, byte[] data) {
    if (schema == null) {
      return;
    }
    Compiled rule = compiled(queue, version, schema);
    if (rule.problem() != null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the schema of queue "
              + queue
              + " (sessions.schema) is not usable, so that no event can be checked: "
              + rule.problem());
    }
    List<Error> errors;
    try {
      errors = rule.schema().validate(new String(data, StandardCharsets.UTF_8), InputFormat.JSON);
    } catch (SchemaException | IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the schema of queue " + queue + " (sessions.schema) is not usable: " + e.getMessage(),
          e);
    }
    if (!errors.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the event does not match the schema of queue " + queue + ": " + described(errors));
    }
  }

  private static String described(List<Error> errors) {
    StringBuilder text = new StringBuilder();
    for (Error error : errors.subList(0, Math.min(SHOWN, errors.size()))) {
      String place = String.valueOf(error.getInstanceLocation());
      text.append(text.isEmpty() ? "" : "; ")
          .append(place.isEmpty() ? "the data" : place)
          .append(": ")
          .append(error.getMessage());
    }
    return text + (errors.size() > SHOWN ? "; and " + (errors.size() - SHOWN) + " more" : "");
  }

  private synchronized Compiled compiled(String queue, int version, JsonNode schema) {
    Compiled known = compiled.get(queue);
    if (known == null || known.version() != version) {
      known = compile(version, schema);
      compiled.put(queue, known);
    }
    return known;
  }

  private static Compiled compile(int version, JsonNode schema) {
    try {
      SchemaRegistry registry =
          SchemaRegistry.withDefaultDialect(
              SpecificationVersion.DRAFT_2020_12,
              builder -> builder.schemaLoader(loader -> loader.block(location -> true)));
      Schema usable = registry.getSchema(schema);
      usable.initializeValidators();
      return new Compiled(version, usable, null);
    } catch (RuntimeException e) {
      // The library throws various kinds for schemas that it cannot read.
      return new Compiled(version, null, e.getMessage());
    }
  }
}
