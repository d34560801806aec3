package io.millrace.tests.golden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.platform.openapi.ApiDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds exchanges against the OpenAPI documents of their servers: statuses, media types, codes of
 * refusals, and the schemas of accepted requests and of all answers in JSON, in which fields that
 * are not described count as errors. Not thread-safe.
 */
final class DescribedExchanges {
  private static final String JSON = "application/json";

  private final Map<String, JsonNode> documents;
  private final Map<String, Schema> schemas = new HashMap<>();
  private final Map<String, SchemaRegistry> registries = new TreeMap<>();

  /**
   * Checks against these documents.
   *
   * @param documents by server
   */
  DescribedExchanges(Map<String, JsonNode> documents) {
    this.documents = documents;
    documents.forEach(
        (server, document) ->
            registries.put(
                server,
                SchemaRegistry.withDefaultDialect(
                    Dialects.getOpenApi31(),
                    builder ->
                        builder.schemas(Map.of(address(server), closed(document).toString())))));
  }

  /** The document with schemas that allow no fields but the described ones. */
  private static JsonNode closed(JsonNode document) {
    JsonNode copy = document.deepCopy();
    for (JsonNode schema : copy.at("/components/schemas")) {
      if (schema.has("properties") && !schema.has("additionalProperties")) {
        ((ObjectNode) schema).put("additionalProperties", false);
      }
    }
    return copy;
  }

  /** What differs from the description; empty if nothing does. */
  List<String> differences(List<Exchange> exchanges) {
    List<String> found = new ArrayList<>();
    for (Exchange one : exchanges) {
      if (!one.route().isEmpty()) {
        check(one, found);
      }
    }
    return found;
  }

  private void check(Exchange one, List<String> found) {
    String[] route = one.route().split(" ", 2);
    String path =
        route[1].replace('<', '{').replace('>', '}').replace("~", "~0").replace("/", "~1");
    String pointer = "/paths/" + path + "/" + route[0].toLowerCase(Locale.ROOT);
    String name = one.server() + " " + one.route() + " (" + one.title() + ")";
    JsonNode document = documents.get(one.server());
    String answer = pointer + "/responses/" + one.status();
    if (document.at(answer).isMissingNode()) {
      found.add(name + ": answered " + one.status() + ", which is not described: " + one.body());
      return;
    }
    String type = one.headers().getOrDefault("content-type", "").replaceFirst(";.*", "");
    JsonNode content = document.at(answer + "/content");
    if (type.equals(Problem.MEDIA_TYPE)) {
      String code = Json.read(one.body(), Problem.class).code();
      if (!document.at(answer + "/" + ApiDocument.CODES).toString().contains('"' + code + '"')) {
        found.add(name + ": the code " + code + " is not described");
      }
    } else if (!one.body().isEmpty() && !content.has(type) && !known(one)) {
      found.add(name + ": content of " + type + " is not described");
    }
    if (type.equals(JSON) && content.has(type)) {
      validate(one.server(), answer + "/content/application~1json/schema", one.body(), name, found);
    }
    String taken = pointer + "/requestBody/content/application~1json/schema";
    if (one.request() != null && one.status() < 300 && !document.at(taken).isMissingNode()) {
      validate(one.server(), taken, one.request(), name + " takes", found);
    }
  }

  // Files of the dashboard have many types.
  private static boolean known(Exchange one) {
    return one.route().startsWith("GET /assets/");
  }

  private void validate(
      String server, String pointer, String text, String name, List<String> found) {
    Schema schema =
        schemas.computeIfAbsent(
            server + pointer,
            none ->
                registries
                    .get(server)
                    .getSchema(SchemaLocation.of(address(server) + "#" + pointer)));
    schema.validate(text, InputFormat.JSON).forEach(error -> found.add(name + ": " + error));
  }

  private static String address(String server) {
    return "https://millrace.invalid/" + server + "/openapi.json";
  }
}
