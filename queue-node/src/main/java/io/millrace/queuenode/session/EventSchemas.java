package io.millrace.queuenode.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.schema.CheckBudget;
import io.millrace.platform.schema.DataSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the data of events against the JSON Schema of their queue. A schema is compiled once for
 * each version of a definition. Thread-safe.
 */
final class EventSchemas {
  private static final Logger LOGGER = LoggerFactory.getLogger(EventSchemas.class);

  /** Queues whose schemas are kept compiled; more are compiled again. */
  private static final int MOST = 200;

  private record Compiled(int version, DataSchema schema, String problem) {}

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
   * @param checks of all events of the request
   * @throws MillraceException INVALID_REQUEST with the places that do not match; RATE_LIMITED for
   *     this event and all later ones if the request needs too many steps
   */
  void require(String queue, int version, JsonNode schema, byte[] data, CheckBudget checks) {
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
    List<String> problems = checks.spent() ? List.of() : rule.schema().problems(data, checks);
    if (checks.spent()) {
      throw new MillraceException(
          ErrorCode.RATE_LIMITED,
          "the events of this request take too long to be checked with the schema of queue "
              + queue
              + ", so that this one was not; send fewer events of large checks at once");
    }
    if (!problems.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the event does not match the schema of queue "
              + queue
              + ": "
              + String.join("; ", problems));
    }
  }

  private synchronized Compiled compiled(String queue, int version, JsonNode schema) {
    Compiled known = compiled.get(queue);
    if (known == null || known.version() != version) {
      known = compile(queue, version, schema);
      compiled.put(queue, known);
    }
    return known;
  }

  // Central managers refuse a schema that is not usable; one of before may be stored.
  private static Compiled compile(String queue, int version, JsonNode schema) {
    try {
      return new Compiled(version, DataSchema.of(schema), null);
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "no events of queue {} are accepted: the schema of its version {} is not usable: {}",
          queue,
          version,
          e.getMessage());
      return new Compiled(version, null, e.getMessage());
    }
  }
}
