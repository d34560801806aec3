package io.millrace.platform.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class EventBodiesTest {
  @Example
  void aJsonObjectIsOneEventAndAnArrayIsAnEventForEachElement() {
    assertThat(texts(json("{\"a\": 1}"))).containsExactly("{\"a\": 1}");
    assertThat(texts(json(" [ {\"a\": 1} , 2, \"x y\" ,null,[3, 4], -1.50e+3]\n")))
        .containsExactly("{\"a\": 1}", "2", "\"x y\"", "null", "[3, 4]", "-1.50e+3");
    assertThat(texts(json("17"))).containsExactly("17");
  }

  @Example
  void eventsAreNamedAfterTheirBatch() {
    assertThat(json("[1,2]")).extracting(SentEvent::id).containsExactly("b7-0", "b7-1");
  }

  @Example
  void dataIsKeptAsItWasWritten() {
    String exact = "{\"n\":[1e400,0.1000,12345678901234567890.5],\"s\":\"\\u00e9 \\\"\\\\ é\"}";
    assertThat(texts(json(exact))).containsExactly(exact);
    assertThat(texts(lines(exact))).containsExactly(exact);
    assertThat(texts(envelopes("{\"data\": " + exact + " }"))).containsExactly(exact);
  }

  @Example
  void linesHoldOneEventEachAndBlankOnesNone() {
    assertThat(texts(lines("{\"a\":1}\r\n\n \"b\u2028\" \n3")))
        .containsExactly("{\"a\":1}", "\"b\u2028\"", "3");
  }

  @Example
  void envelopesCarryIdsAndAttributes() {
    List<SentEvent> events =
        envelopes(
            "{\"id\":\"order-1\",\"data\":{\"a\":1},\"attributes\":{\"k\":\"v\"}}\n"
                + "{\"later\":{\"x\":1},\"data\":null}");
    assertThat(events.get(0).id()).isEqualTo("order-1");
    assertThat(events.get(0).attributesText()).isEqualTo("{\"k\":\"v\"}");
    assertThat(events.get(0).attributes()).isEqualTo(Map.of("k", "v"));
    assertThat(events.get(1).id()).isEqualTo("b7-1");
    assertThat(texts(events).get(1)).isEqualTo("null");
    assertThat(events.get(1).attributes()).isNull();
  }

  @Example
  void eventsOfAPartAreNamedByTheirPlaceInTheWhole() {
    List<SentEvent> events =
        EventBodies.read(
            EventMedia.LINES, new byte[] {'1', '\n', '2'}, new EventDefaults("b7", 0, 0, 1_000));
    assertThat(events).extracting(SentEvent::id).containsExactly("b7-1000", "b7-1001");
  }

  @Example
  void envelopesOfLoadBalancersSayUnderWhichEpochTheyKnowTheSlot() {
    assertThat(envelopes("{\"data\":1,\"slotEpoch\":7}\n{\"data\":2,\"slotEpoch\":null}"))
        .extracting(SentEvent::slotEpoch)
        .containsExactly(7L, 0L);
    for (String other : List.of("-1", "\"7\"", "1.5", "12345678901234567890")) {
      refused(
          () -> envelopes("{\"data\":1,\"slotEpoch\":" + other + "}"),
          ErrorCode.INVALID_REQUEST,
          "slotEpoch");
    }
  }

  @Example
  void delayAndPriorityOfAnEventTakePrecedenceOverTheRequests() {
    List<SentEvent> events =
        EventBodies.read(
            EventMedia.ENVELOPES,
            ("{\"data\":1}\n{\"data\":2,\"delay\":\"10s\",\"priority\":9}\n"
                    + "{\"delay\":\"0\",\"priority\":0,\"data\":3}\n{\"delay\":null,\"data\":4}")
                .getBytes(StandardCharsets.UTF_8),
            new EventDefaults("b7", 2_000, 3));
    assertThat(events)
        .extracting(SentEvent::delayMillis)
        .containsExactly(2_000L, 10_000L, 0L, 2_000L);
    assertThat(events).extracting(SentEvent::priority).containsExactly(3, 9, 0, 3);
    refused(() -> envelopes("{\"data\":1,\"priority\":10}"), ErrorCode.INVALID_REQUEST, "0 to 9");
    refused(() -> envelopes("{\"data\":1,\"delay\":\"soon\"}"), ErrorCode.INVALID_REQUEST, "delay");
    refused(() -> envelopes("{\"data\":1,\"delay\":\"366d\"}"), ErrorCode.INVALID_REQUEST, "365d");
  }

  @Example
  void eachLineHoldsOneCompleteValue() {
    assertThat(texts(lines(" 1 \r\n[1,  2]\r\n-3.5e1\n\"\\n\"")))
        .containsExactly("1", "[1,  2]", "-3.5e1", "\"\\n\"");
    refused(() -> lines("{\"a\":\n1}\n"), ErrorCode.MALFORMED_BODY, "one line");
    refused(() -> lines("{\"a\":1}{\"b\":2}"), ErrorCode.MALFORMED_BODY, "there is more text");
    refused(() -> lines("1\n[1"), ErrorCode.MALFORMED_BODY, "line 2");
  }

  @Example
  void otherEncodingsAreRefused() {
    for (Charset other : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16)) {
      byte[] body = "{\"a\":\"b\"}".getBytes(other);
      refused(
          () -> EventBodies.read(EventMedia.JSON, body, EventDefaults.of("b")),
          ErrorCode.MALFORMED_BODY,
          "UTF-8");
    }
    refused(() -> json("\ufeff1"), ErrorCode.MALFORMED_BODY, "UTF-8");
  }

  @Example
  void malformedBodiesNameThePosition() {
    refused(() -> json("[1,\n{\"a\" 1}]"), ErrorCode.MALFORMED_BODY, "line 2");
    refused(() -> json("[1,2"), ErrorCode.MALFORMED_BODY, "line 1");
    refused(() -> json("{} {}"), ErrorCode.MALFORMED_BODY, "there is more text");
    refused(() -> lines("1\n2\n{]\n"), ErrorCode.MALFORMED_BODY, "line 3");
    refused(() -> lines("1\n2 2\n"), ErrorCode.MALFORMED_BODY, "line 2");
    refused(() -> json("NaN"), ErrorCode.MALFORMED_BODY, "line 1");
    refused(
        () ->
            EventBodies.read(
                EventMedia.JSON, new byte[] {'"', (byte) 0xff, '"'}, EventDefaults.of("b")),
        ErrorCode.MALFORMED_BODY,
        "UTF-8");
  }

  @Example
  void brokenRulesNameTheLine() {
    refused(() -> envelopes("{\"data\":1}\n{\"datas\":1}"), ErrorCode.INVALID_REQUEST, "line 2");
    refused(() -> envelopes("[1]"), ErrorCode.INVALID_REQUEST, "line 1");
    refused(() -> envelopes("{\"id\":\"\",\"data\":1}"), ErrorCode.INVALID_REQUEST, "id");
    refused(() -> envelopes("{\"id\":7,\"data\":1}"), ErrorCode.INVALID_REQUEST, "id");
    refused(
        () -> envelopes("{\"data\":1,\"attributes\":{\"k\":1}}"), ErrorCode.INVALID_REQUEST, "'k'");
  }

  @Example
  void emptyAndOversizedBatchesAreRefused() {
    refused(() -> json("[]"), ErrorCode.INVALID_REQUEST, "no event");
    refused(() -> lines("\n\n"), ErrorCode.INVALID_REQUEST, "no event");
    refused(() -> lines("1\n".repeat(10_001)), ErrorCode.INVALID_REQUEST, "10001");
    String large = '"' + "x".repeat(SentEvent.MAX_DATA) + '"';
    refused(() -> json("[1," + large + "]"), ErrorCode.BODY_TOO_LARGE, "event 2");
  }

  @Example
  void anEmptyBodyIsNotJson() {
    refused(() -> json(""), ErrorCode.MALFORMED_BODY, "line 1");
  }

  @Example
  void anUnknownMediaTypeIsRefusedWithTheThreeKnown() {
    assertThatThrownBy(() -> EventBodies.read("text/csv", new byte[0], EventDefaults.of("b")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(EventMedia.JSON)
        .hasMessageContaining(EventMedia.LINES)
        .hasMessageContaining(EventMedia.ENVELOPES);
    assertThat(texts(read("Application/JSON; charset=utf-8", "1"))).containsExactly("1");
  }

  @Property(tries = 300)
  void anySentValueIsReturnedAsTheSameJsonOnOneLine(@ForAll("values") List<Object> values)
      throws Exception {
    String pretty = Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(values);
    JsonNode tree = Json.mapper().readTree(pretty);
    if (tree.isEmpty()) {
      return;
    }
    List<String> texts = texts(json(pretty));
    assertThat(texts).hasSize(tree.size());
    for (int i = 0; i < texts.size(); i++) {
      assertThat(texts.get(i)).doesNotContain("\n");
      assertThat(Json.mapper().readTree(texts.get(i))).isEqualTo(tree.get(i));
    }
  }

  @Provide
  Arbitrary<List<Object>> values() {
    Arbitrary<Object> leaf =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(40).map(text -> text),
            Arbitraries.longs().map(number -> number),
            Arbitraries.of(true, false));
    Arbitrary<Object> nested =
        Arbitraries.oneOf(
            leaf,
            leaf.list().ofMaxSize(4).map(list -> list),
            Arbitraries.maps(Arbitraries.strings().ofMaxLength(8), leaf)
                .ofMaxSize(4)
                .map(EventBodiesTest::sorted));
    return nested.list().ofMaxSize(8);
  }

  private static Object sorted(Map<String, Object> map) {
    return new TreeMap<>(map);
  }

  private static void refused(Runnable reading, ErrorCode code, String message) {
    assertThatThrownBy(reading::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  private static List<SentEvent> json(String body) {
    return read(EventMedia.JSON, body);
  }

  private static List<SentEvent> lines(String body) {
    return read(EventMedia.LINES, body);
  }

  private static List<SentEvent> envelopes(String body) {
    return read(EventMedia.ENVELOPES, body);
  }

  private static List<SentEvent> read(String mediaType, String body) {
    return EventBodies.read(
        mediaType, body.getBytes(StandardCharsets.UTF_8), EventDefaults.of("b7"));
  }

  private static List<String> texts(List<SentEvent> events) {
    return events.stream().map(event -> new String(event.data(), StandardCharsets.UTF_8)).toList();
  }
}
