package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The OpenAPI document of every server: valid, and complete. */
class OpenApiTest {
  private static final int LARGEST = 1 << 20;
  private static final int LONG = 100_000;

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final HttpClient http = HttpClient.newHttpClient();

  private record Operation(String method, String path, JsonNode description) {}

  static List<String> servers() {
    return EveryRouteTest.servers();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void theDocumentIsValid(String server) throws Exception {
    HttpResponse<String> answer = fetch(server, null);

    assertThat(answer.body()).hasSizeLessThan(LARGEST);
    assertThat(document(answer).path("openapi").asText()).startsWith("3.1.");
    SwaggerParseResult parsed =
        new OpenAPIV3Parser().readContents(answer.body(), List.of(), new ParseOptions());
    assertThat(parsed.getMessages()).isEmpty();
    assertThat(parsed.isOpenapi31()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyRouteIsInTheDocumentWithItsRoles(String server) throws Exception {
    JsonNode paths = document(fetch(server, null)).path("paths");
    Map<String, Set<String>> described = new TreeMap<>();
    paths
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        one ->
                            described.put(
                                one.getKey() + " " + path.getKey(), roles(one.getValue()))));
    Map<String, Set<String>> served = new TreeMap<>();
    for (Route route : CLUSTER.servers().get(server).routes()) {
      Set<String> roles = new TreeSet<>();
      route.roles().forEach(role -> roles.add(role.label()));
      String path = route.path().replace('<', '{').replace('>', '}');
      served.put(route.method().toLowerCase(Locale.ROOT) + " " + path, roles);
    }
    assertThat(described).isEqualTo(served);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyReferenceHasATarget(String server) throws Exception {
    JsonNode document = document(fetch(server, null));

    assertThat(document.findValuesAsText("$ref"))
        .isNotEmpty()
        .allSatisfy(it -> assertThat(document.at(it.substring(1)).isMissingNode()).isFalse());
  }

  /** Generated clients name their methods by them. */
  @ParameterizedTest
  @MethodSource("servers")
  void everyOperationHasANameOfItsOwn(String server) throws Exception {
    List<String> names =
        document(fetch(server, null)).path("paths").findValuesAsText("operationId");

    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z][A-Za-z]+"));
    assertThat(names).hasSize(CLUSTER.servers().get(server).routes().size());
  }

  /** The short form of GeneratedClientTest, with a client that knows only two operations' names. */
  @Test
  void theDocumentIsAllThatAClientNeedsToSubmitAJobAndToWaitForItsEnd() throws Exception {
    JsonNode document = document(fetch("manager", null));
    JsonNode submitted =
        call(document, "submitJob", "", "{\"name\":\"described\",\"command\":[\"true\"]}");
    JsonNode ended = call(document, "awaitJob", submitted.path("id").asText(), null);

    assertThat(ended.path("name").asText()).isEqualTo("described");
    assertThat(ended.path("state").asText()).isEqualTo("SUCCEEDED");
  }

  /** Calls an operation as the document says, and returns an answer that has only its fields. */
  private JsonNode call(JsonNode document, String name, String id, String body) throws Exception {
    Operation operation = operation(document, name);
    String token = CLUSTER.token(Principal.of(Role.OPERATOR, "tester"));
    HttpRequest request =
        HttpRequest.newBuilder(
                CLUSTER
                    .servers()
                    .get("manager")
                    .address()
                    .resolve(operation.path().replace("{id}", id)))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(
                operation.method(),
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    String content = "/responses/" + answer.statusCode() + "/content/application~1json";
    String schema = operation.description().at(content + "/schema/$ref").asText().substring(1);
    JsonNode value = Json.read(answer.body(), JsonNode.class);
    assertThat(document.at(schema + "/properties").properties())
        .extracting(Map.Entry::getKey)
        .containsAll(value.properties().stream().map(Map.Entry::getKey).toList());
    return value;
  }

  private static Operation operation(JsonNode document, String name) {
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> one : path.getValue().properties()) {
        if (one.getValue().path("operationId").asText().equals(name)) {
          String method = one.getKey().toUpperCase(Locale.ROOT);
          return new Operation(method, path.getKey(), one.getValue());
        }
      }
    }
    throw new AssertionError("no operation " + name);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aClientThatHasTheDocumentDoesNotGetItAgain(String server) throws Exception {
    String tag = fetch(server, null).headers().firstValue("ETag").orElseThrow();

    HttpResponse<String> again = fetch(server, tag);

    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }

  /** Also of fields that this test does not know by name: the document has them all. */
  @ParameterizedTest
  @MethodSource("servers")
  void aRefusalDoesNotRepeatALongValueWhole(String server) throws Exception {
    JsonNode document = document(fetch(server, null));
    List<String> faults = new ArrayList<>();
    for (Route route : CLUSTER.servers().get(server).routes()) {
      Class<?> type = route.description().body() == null ? null : route.description().body().type();
      if (type == null || !route.roles().contains(Role.OPERATOR)) {
        continue;
      }
      JsonNode properties =
          document.at("/components/schemas/" + type.getSimpleName() + "/properties");
      for (String field : properties.properties().stream().map(Map.Entry::getKey).toList()) {
        HttpResponse<String> answer = post(server, route, body(properties, field));
        if (answer.statusCode() >= 400 && answer.body().length() > LONG / 4) {
          faults.add("%s %s: %s".formatted(route.path(), field, answer.body().substring(0, 300)));
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  /** A body whose texts are short, except for those of one field. */
  private static String body(JsonNode properties, String longField) {
    ObjectNode body = Json.mapper().createObjectNode();
    properties
        .properties()
        .forEach(
            property -> {
              String text = property.getKey().equals(longField) ? "x".repeat(LONG) : "a";
              JsonNode schema = property.getValue();
              if (schema.path("type").asText().equals("string")) {
                body.put(property.getKey(), text);
              } else if (schema.at("/items/type").asText().equals("string")) {
                body.putArray(property.getKey()).add(text);
              } else if (property.getKey().equals(longField)) {
                body.put(longField, text);
              }
            });
    return body.toString();
  }

  private HttpResponse<String> post(String server, Route route, String body) throws Exception {
    String path = route.path().replaceAll("[{<][a-z]+[}>]", "7");
    HttpRequest request =
        HttpRequest.newBuilder(CLUSTER.servers().get(server).address().resolve(path))
            .header(
                "Authorization", "Bearer " + CLUSTER.token(Principal.of(Role.OPERATOR, "tester")))
            .header("Content-Type", "application/json")
            .method(route.method(), HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static Set<String> roles(JsonNode operation) {
    Set<String> roles = new TreeSet<>();
    operation
        .path("security")
        .forEach(one -> one.forEach(list -> list.forEach(role -> roles.add(role.asText()))));
    return roles;
  }

  private static JsonNode document(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(200);
    return Json.read(answer.body(), JsonNode.class);
  }

  private HttpResponse<String> fetch(String server, String tag) throws Exception {
    URI address = CLUSTER.servers().get(server).address().resolve("/v1/openapi.json");
    String token = CLUSTER.token(Principal.of(Role.PRODUCER, "tester"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address).header("Authorization", "Bearer " + token);
    if (tag != null) {
      request.header("If-None-Match", tag);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
