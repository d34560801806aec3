package io.millrace.platform.openapi;

import static io.millrace.platform.openapi.RouteDescription.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.ApiDocument.DescribedRoute;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApiDocumentTest {
  enum Fruit {
    APPLE,
    PEAR
  }

  record Inner(int weight, String colour) {}

  record Basket(
      Duration age,
      DataSize size,
      AttemptId attempt,
      ArrayRange range,
      Fruit fruit,
      Set<Fruit> fruits,
      Map<String, Integer> counts,
      JsonNode anything,
      Instant at,
      Double share,
      int number,
      @JsonProperty("for") String purpose,
      @JsonUnwrapped Inner inner,
      List<Inner> inners) {}

  record Order(int number, Inner inner) {}

  record Crate(
      int number, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean empty, boolean sealed) {}

  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  record Pallet(int number, boolean empty) {}

  private static final class Elsewhere {
    record Inner(String other) {}
  }

  private static JsonNode document(RouteDescription description) {
    return document("/v1/baskets", Set.of(Role.OPERATOR, Role.WORKER, Role.MANAGER), description);
  }

  private static JsonNode document(String path, Set<Role> roles, RouteDescription description) {
    DescribedRoute route = new DescribedRoute("POST", path, roles, description);
    return Json.read(ApiDocument.of("test", List.of(route)), JsonNode.class);
  }

  private static JsonNode operation(JsonNode document) {
    return document.at("/paths/~1v1~1baskets/post");
  }

  @Test
  void recordsAreDescribedAsTheyAreWritten() {
    JsonNode document = document(named("show", "Shows").answers(Basket.class));

    JsonNode basket = document.at("/components/schemas/Basket");
    JsonNode properties = basket.path("properties");
    for (String text : List.of("age", "size", "attempt", "range", "fruit", "for", "colour")) {
      assertThat(properties.at("/" + text + "/type").asText()).as(text).isEqualTo("string");
    }
    assertThat(properties.path("age").has("format")).as("30s is no ISO-8601 duration").isFalse();
    assertThat(properties.at("/fruit/enum")).hasToString("[\"APPLE\",\"PEAR\"]");
    assertThat(properties.at("/fruits/type").asText()).isEqualTo("array");
    assertThat(properties.at("/counts/additionalProperties/type").asText()).isEqualTo("integer");
    assertThat(properties.path("anything")).isEmpty();
    assertThat(properties.at("/at/format").asText()).isEqualTo("date-time");
    assertThat(properties.at("/weight/type").asText()).isEqualTo("integer");
    assertThat(properties.has("inner")).as("an unwrapped record has no key").isFalse();
    assertThat(properties.at("/inners/items/$ref").asText())
        .isEqualTo("#/components/schemas/Inner");
  }

  @Test
  void onlyNumbersAndFlagsOfAnswersAreAlwaysPresent() {
    JsonNode document = document(named("x", "X").takes(Order.class).answers(Basket.class));

    assertThat(document.at("/components/schemas/Basket/required")).hasToString("[\"number\"]");
    assertThat(document.at("/components/schemas/Order").has("required")).isFalse();
    assertThat(document.at("/components/schemas/Inner").has("required")).isFalse();
  }

  @Test
  void numbersAndFlagsThatAreLeftOutAsUsualMayBeAbsent() {
    JsonNode crate = document(named("x", "X").answers(Crate.class));
    JsonNode pallet = document(named("x", "X").answers(Pallet.class));

    assertThat(crate.at("/components/schemas/Crate/required"))
        .hasToString("[\"number\",\"sealed\"]");
    assertThat(pallet.at("/components/schemas/Pallet").has("required")).isFalse();
  }

  @Test
  void parametersHaveTheirBoundsAndDefaults() {
    JsonNode operation =
        operation(
            document(
                named("x", "X")
                    .reads(RequestParameter.number("limit", "the most", 10, 1, 100))
                    .reads(RequestParameter.choice("state", "which", "b", List.of("a", "b")))
                    .reads(
                        RequestParameter.duration(
                            "wait", "how long", Duration.ofSeconds(1), Duration.ofHours(1)))
                    .answersEmpty(204)));

    JsonNode limit = operation.at("/parameters/0/schema");
    assertThat(limit.path("default").asInt()).isEqualTo(10);
    assertThat(limit.path("minimum").asInt()).isEqualTo(1);
    assertThat(limit.path("maximum").asInt()).isEqualTo(100);
    assertThat(operation.at("/parameters/1/schema/enum")).hasToString("[\"a\",\"b\"]");
    assertThat(operation.at("/parameters/2/schema/default").asText()).isEqualTo("1s");
  }

  @Test
  void refusalsAreListedByStatusWithTheirCodes() {
    JsonNode operation =
        operation(
            document(
                named("x", "X")
                    .takes(Order.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_JOB, ErrorCode.UNKNOWN_NODE)));

    JsonNode responses = operation.path("responses");
    assertThat(responses.at("/404/" + ApiDocument.CODES))
        .hasToString("[\"UNKNOWN_JOB\",\"UNKNOWN_NODE\"]");
    assertThat(responses.at("/415/" + ApiDocument.CODES))
        .hasToString("[\"UNSUPPORTED_MEDIA_TYPE\"]");
    assertThat(responses.at("/404/content/application~1problem+json/schema/$ref").asText())
        .isEqualTo("#/components/schemas/Problem");
  }

  @Test
  void credentialsAreListedWithTheRolesTheyMayHave() {
    JsonNode security = operation(document(named("x", "X").answersEmpty(204))).path("security");

    assertThat(security)
        .hasToString(
            "[{\"token\":[\"operator\",\"worker\"]},{\"session\":[\"operator\"]},"
                + "{\"signature\":[\"manager\"]}]");
  }

  @Test
  void twoRecordsOfOneNameAreRefused() {
    RouteDescription both = named("x", "X").takes(Elsewhere.Inner.class).answers(Inner.class);

    assertThatThrownBy(() -> document(both)).hasMessageContaining("same name");
  }
}
