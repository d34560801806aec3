package io.millrace.platform.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a schema and the data are, a check ends with a short answer. */
class DataSchemaTest {
  private static final List<String> DRAFTS =
      List.of(
          "http://json-schema.org/draft-04/schema#",
          "http://json-schema.org/draft-06/schema#",
          "http://json-schema.org/draft-07/schema#",
          "https://json-schema.org/draft/2019-09/schema",
          "https://json-schema.org/draft/2020-12/schema");

  private static DataSchema schema(String text) {
    return DataSchema.of(Json.read(text, JsonNode.class));
  }

  private static List<String> problems(String schema, String data) {
    return schema(schema).problems(data.getBytes(UTF_8));
  }

  @Test
  void dataThatMatchHaveNoProblems() {
    assertThat(
            problems(
                "{\"properties\":{\"k\":{\"pattern\":\"^\\\\p{Letter}+$\"}}}", "{\"k\":\"aé\"}"))
        .isEmpty();
    assertThat(
            problems("{\"properties\":{\"k\":{\"$ref\":\"#\"}},\"type\":\"object\"}", "{\"k\":{}}"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"$ref\":\"#\"}",
        "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}",
        "{\"$defs\":{\"d\":{\"patternProperties\":{\"[\":{}}}},\"items\":{\"$ref\":\"#/$defs/d\"}}",
        "{\"pattern\":\"(\"}",
        "{\"$ref\":\"#/$defs/missing\"}",
        "{\"$ref\":\"file:///etc/hostname\"}",
        "{\"$schema\":\"http://127.0.0.1:1/x\"}"
      })
  void aSchemaThatIsNotUsableIsRefusedWithAShortReason(String schema) {
    assertThatThrownBy(() -> schema(schema))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(refusal -> assertThat(refusal.getMessage()).isNotBlank().hasSizeLessThan(300));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"properties\":{\"n\":{\"minimum\":\"5\"}}} | /properties/n/minimum: string found, number",
        "{\"maxLength\":\"3\"}                      | /maxLength: string found, integer expected",
        "{\"maxLength\":-1}                         | /maxLength: must have a minimum value of 0",
        "{\"allOf\":[{\"uniqueItems\":\"true\"}]}      | /allOf/0/uniqueItems: string found, boolean",
        "{\"type\":\"sting\"}                       | /type: does not have a value in the enumeration",
        "{\"required\":\"a\"}                       | /required: string found, array expected",
        "{\"properties\":[\"a\"]}                   | /properties: array found, object expected",
      })
  void aWrittenSchemaThatItsDraftDoesNotAllowIsRefusedWithThePlace(String text, String problem) {
    for (String draft : DRAFTS) {
      ObjectNode schema = Json.read(text, ObjectNode.class).put("$schema", draft);
      assertThatThrownBy(() -> DataSchema.written(schema))
          .as(draft)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(problem);
    }
    assertThatThrownBy(() -> DataSchema.written(Json.read(text, JsonNode.class)))
        .hasMessageContaining(problem);
  }

  @Test
  void aWrittenSchemaThatItsDraftAllowsIsUsable() {
    for (String draft : DRAFTS) {
      ObjectNode schema =
          Json.read(
              "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"minimum\":5,"
                  + "\"multipleOf\":0.5},\"t\":{\"pattern\":\"^a\",\"enum\":[\"a\",null,1,true]}}}",
              ObjectNode.class);
      schema.put("$schema", draft);
      assertThat(DataSchema.written(schema).problems("{\"n\":5.5,\"t\":\"a\"}".getBytes(UTF_8)))
          .as(draft)
          .isEmpty();
    }
  }

  @Test
  void theLargestAndDeepestSchemasAreCompared() {
    String many =
        IntStream.range(0, 6_000)
            .mapToObj(i -> "\"%04d\":{}".formatted(i))
            .collect(Collectors.joining(","));
    DataSchema.written(Json.read("{\"properties\":{" + many + "}}", JsonNode.class));
    String deep = "{\"not\":".repeat(98) + "{\"maxLength\":-1}" + "}".repeat(98);
    assertThatThrownBy(() -> DataSchema.written(Json.read(deep, JsonNode.class)))
        .hasMessageContaining("must have a minimum value of 0");
  }

  @Test
  void aSchemaIsBoundedInSizeAndDepth() {
    String large = "{\"description\":\"" + "x".repeat(DataSchema.LONGEST) + "\"}";
    assertThatThrownBy(() -> schema(large)).hasMessageContaining("at most 65536 are allowed");
    String deep = "{\"not\":".repeat(DataSchema.DEEPEST) + "{}" + "}".repeat(DataSchema.DEEPEST);
    assertThatThrownBy(() -> schema(deep)).hasMessageContaining("deeper than 100 levels");
  }

  @Test
  void aSchemaThatAsksTheSameWithoutEndIsRefused() {
    String branches =
        IntStream.range(0, 60)
            .mapToObj(
                i ->
                    "\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]}"
                        .formatted(i, i + 1, i + 1))
            .collect(Collectors.joining(","));
    assertThatThrownBy(
            () -> schema("{\"$ref\":\"#/$defs/d0\",\"$defs\":{" + branches + ",\"d60\":false}}"))
        .hasMessageContaining("takes too long");
  }

  @Test
  void aPatternThatTakesTooLongDoesNotMatch() {
    assertThat(problems("{\"pattern\":\"^(.*a){15}b\"}", "\"" + "a".repeat(60) + "\""))
        .singleElement()
        .asString()
        .contains("takes too long");
  }

  @Test
  void aPatternThatNeedsTooMuchStackDoesNotMatch() {
    assertThat(problems("{\"pattern\":\"^(a|b)*$\"}", "\"" + "ab".repeat(5_000) + "\""))
        .singleElement()
        .asString()
        .contains("cannot be checked");
  }

  @Test
  void longTextsAreNotComparedWithPatterns() {
    String text = "\"" + "a".repeat(BoundedPatterns.LONGEST + 1) + "\"";
    assertThat(problems("{\"pattern\":\"^a\"}", text)).singleElement().asString().contains("10001");
    assertThat(problems("{\"type\":\"string\"}", text)).isEmpty();
  }

  /**
   * Texts, and arrays of numbers, that have one hash code each: 400 million comparisons if they
   * were compared by it.
   */
  @Test
  void manyItemsWithOneHashCodeAreComparedInFewSteps() {
    String texts =
        IntStream.range(0, 30_000)
            .mapToObj(
                i ->
                    IntStream.range(0, 15)
                        .mapToObj(bit -> ((i >> bit) & 1) == 0 ? "Aa" : "BB")
                        .collect(Collectors.joining("", "\"", "\"")))
            .collect(Collectors.joining(","));
    String numbers =
        LongStream.rangeClosed(1, 18_000)
            .mapToObj(i -> "[" + ((i << 32) | (i ^ 12_345)) + "]")
            .collect(Collectors.joining(","));
    for (String draft : DRAFTS) {
      String schema = "{\"$schema\":\"" + draft + "\",\"uniqueItems\":true}";
      for (String items : List.of(texts, numbers)) {
        assertThat(problems(schema, "[" + items + "]")).as(draft).isEmpty();
      }
      assertThat(problems(schema, "[" + texts + "," + texts + "]"))
          .as(draft)
          .containsExactly("the whole: must have only unique items in the array");
    }
  }

  @Test
  void itemsComparedInEveryLevelAreBounded() {
    String data = "[".repeat(90) + "\"" + "x".repeat(300_000) + "\"" + "]".repeat(90);
    assertThat(problems("{\"uniqueItems\":true,\"items\":{\"$ref\":\"#\"}}", data))
        .singleElement()
        .asString()
        .contains("takes too long");
  }

  @Test
  void aTextThatIsNoRegularExpressionChangesNothingForLaterData() {
    for (String draft : DRAFTS) {
      DataSchema schema =
          schema(
              "{\"$schema\":\"%s\",\"properties\":{\"p\":{\"format\":\"regex\"},\"n\":{\"pattern\":\"^a\"}}}"
                  .formatted(draft));
      for (String text : List.of("a+", "(", "a+")) {
        String data = "{\"p\":\"" + text + "\",\"n\":\"a\"}";
        assertThat(schema.problems(data.getBytes(UTF_8))).as(draft + ": " + text).isEmpty();
      }
    }
  }

  @Test
  void formatsAreNotComparedInAnyDraft() {
    String text = "@".repeat(1_000_000) + " x";
    for (String draft : DRAFTS) {
      for (String format : List.of("email", "style", "date-time", "regex", "ipv6", "uri")) {
        String schema = "{\"$schema\":\"%s\",\"format\":\"%s\"}".formatted(draft, format);
        assertThat(problems(schema, "\"" + text + "\"")).as(draft + ": " + format).isEmpty();
      }
    }
  }

  private static String listOf(int values, IntFunction<String> value) {
    return IntStream.range(0, values).mapToObj(value).collect(Collectors.joining(","));
  }

  private static String quoted(int number) {
    return "\"" + Integer.toString(number, 36) + "\"";
  }

  /** Schemas of many parts, and data for which all of them are compared at many places. */
  static Stream<Arguments> largeChecks() {
    String objects = "[" + "{},".repeat(300_000) + "{}]";
    String numbers = "[" + "1,".repeat(400_000) + "1]";
    String fields = "{" + listOf(90_000, i -> "\"%05d\":0".formatted(i)) + "}";
    String text = "\"" + "x".repeat(1_000_000) + "\"";
    String longNumbers = "[" + listOf(1_000, i -> "7".repeat(1_000)) + "]";
    String names = listOf(9_000, DataSchemaTest::quoted);
    return Stream.of(
        arguments("required", "{\"items\":{\"required\":[" + names + "]}}", objects),
        arguments(
            "properties",
            "{\"items\":{\"properties\":{" + listOf(5_000, i -> quoted(i) + ":true") + "}}}",
            objects),
        arguments(
            "patternProperties",
            "{\"patternProperties\":{%s}}"
                .formatted(listOf(3_000, i -> "\"aaaaaaa%04d\":true".formatted(i))),
            fields),
        arguments(
            "additionalProperties",
            "{\"anyOf\":[%s]}"
                .formatted(
                    listOf(900, i -> "{\"additionalProperties\":true,\"minProperties\":99999}")),
            fields),
        arguments(
            "items",
            "{\"anyOf\":[%s]}".formatted(listOf(2_000, i -> "{\"items\":{},\"maxItems\":1}")),
            numbers),
        arguments("propertyNames", "{\"propertyNames\":{\"enum\":[" + names + "]}}", fields),
        arguments(
            "enum",
            "{\"anyOf\":[" + listOf(3_000, i -> "{\"enum\":[[" + i + "]]}") + "]}",
            numbers),
        arguments(
            "const",
            "{\"$defs\":{\"c\":{\"const\":[%s3]}},\"items\":{\"anyOf\":[%s]}}"
                .formatted("1,".repeat(15_000), listOf(1_000, i -> "{\"$ref\":\"#/$defs/c\"}")),
            "[" + listOf(30, i -> "[" + "1,".repeat(15_000) + "2]") + "]"),
        arguments("not", "{\"items\":{\"not\":{\"enum\":[1," + names + "]}}}", numbers),
        arguments(
            "dependencies",
            "{\"$schema\":\"%s\",\"dependencies\":{\"00000\":[%s]}}"
                .formatted(DRAFTS.get(2), names),
            fields),
        arguments(
            "maxLength",
            "{\"allOf\":[" + listOf(2_000, i -> "{\"maxLength\":9999999}") + "]}",
            text),
        arguments(
            "contentMediaType",
            "{\"$schema\":\"%s\",\"allOf\":[%s]}"
                .formatted(
                    DRAFTS.get(2),
                    listOf(1_000, i -> "{\"contentMediaType\":\"application/json\"}")),
            "\"" + "1".repeat(1) + " ".repeat(1_000_000) + "\""),
        arguments(
            "minimum",
            "{\"items\":{\"allOf\":[" + listOf(2_000, i -> "{\"minimum\":" + i + "}") + "]}}",
            longNumbers),
        arguments(
            "unevaluatedProperties",
            "{\"items\":{\"allOf\":[%s,%s]}}"
                .formatted(
                    listOf(1_000, i -> "{\"properties\":{}}"),
                    listOf(1_000, i -> "{\"unevaluatedProperties\":true}")),
            objects));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("largeChecks")
  void whatEachKeywordLooksAtIsBounded(String keyword, String schema, String data) {
    assertThat(problems(schema, data)).as(keyword).singleElement().asString().contains("too long");
  }

  @Test
  void usualLargeDataAreCheckedWithinTheBound() {
    String order =
        """
        {"type":"object","required":["id","kind","lines"],"additionalProperties":false,
         "patternProperties":{"^x-":{}},"propertyNames":{"maxLength":20},
         "properties":{"id":{"type":"string","pattern":"^[a-z0-9-]+$"},
          "kind":{"enum":["created","paid",null]},
          "lines":{"type":"array","minItems":1,"items":{"oneOf":[
           {"required":["sku","n"],"properties":{"sku":{"type":"string"},"n":{"minimum":1}}},
           {"required":["text"],"properties":{"text":{"maxLength":200}}}]}}}}
        """;
    String line = "{\"sku\":\"a-1\",\"n\":2.5},{\"text\":\"gift\"}";
    String orders =
        listOf(
            5_000,
            i -> "{\"id\":\"o-%d\",\"kind\":\"paid\",\"x-a\":1,\"lines\":[%s]}".formatted(i, line));
    for (String draft : DRAFTS) {
      String schema = "{\"$schema\":\"%s\",\"items\":%s}".formatted(draft, order);
      assertThat(problems(schema, "[" + orders + "]")).as(draft).isEmpty();
    }
    assertThat(
            problems(
                "{\"items\":{\"type\":\"integer\",\"minimum\":0}}",
                "[" + "1,".repeat(500_000) + "1]"))
        .isEmpty();
  }

  @Test
  void eachNameThatDoesNotMatchIsOneProblem() {
    String schema = "{\"propertyNames\":{\"maxLength\":2,\"pattern\":\"^a\"}}";
    assertThat(problems(schema, "{\"a\":1,\"ab\":1}")).isEmpty();
    assertThat(problems(schema, "{\"a\":1,\"bcd\":1,\"abc\":1}"))
        .hasSize(2)
        .allSatisfy(problem -> assertThat(problem).startsWith("the whole: property '"));
    assertThat(problems(schema, "[1]")).isEmpty();
  }

  @Test
  void objectsAreTheSameItemInWhateverOrderTheirFieldsAre() {
    String unique = "{\"uniqueItems\":true}";
    assertThat(problems(unique, "[{\"a\":1,\"b\":[{}]},{\"b\":[{}],\"a\":1}]")).hasSize(1);
    assertThat(problems(unique, "[1,\"1\",[1],{\"a\":1},true,\"true\",null]")).isEmpty();
    assertThat(problems("{\"uniqueItems\":false}", "[1,1]")).isEmpty();
    assertThat(problems(unique, "{\"a\":1,\"b\":1}")).isEmpty();
  }

  @Test
  void dataNestedTooDeepDoNotMatch() {
    assertThat(problems("{}", "[".repeat(101) + "]".repeat(101)))
        .singleElement()
        .asString()
        .contains("deeper than 100 levels");
    assertThat(problems("{}", "[".repeat(100) + "]".repeat(100))).isEmpty();
  }

  @Test
  void problemsAreFewAndShort() {
    String values =
        IntStream.range(0, 5_000).mapToObj(i -> "\"v" + i + "\"").collect(Collectors.joining(","));
    String place = "p".repeat(40_000);
    List<String> problems =
        problems(
            "{\"additionalProperties\":{\"enum\":[" + values + "]}}",
            "{\"%s\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}".formatted(place));
    assertThat(problems).hasSize(4).last().isEqualTo("and 2 more");
    assertThat(String.join("; ", problems)).hasSizeLessThan(600);
    assertThat(problems("{\"additionalProperties\":false}", "{\"" + "p".repeat(300_000) + "\":1}"))
        .singleElement()
        .asString()
        .hasSizeLessThan(300);
  }
}
