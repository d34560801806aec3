package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.platform.schema.CheckBudget;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EventSchemasTest {
  // A text below so many lists is compared in each of them.
  private static final String LISTS = "{\"uniqueItems\":true,\"items\":{\"$ref\":\"#\"}}";

  private final EventSchemas schemas = new EventSchemas();

  private void check(int version, String schema, String data) {
    check(version, schema, data, new CheckBudget());
  }

  private void check(int version, String schema, String data, CheckBudget checks) {
    schemas.require(
        "orders",
        version,
        schema == null ? null : Json.read(schema, JsonNode.class),
        data.getBytes(StandardCharsets.UTF_8),
        checks);
  }

  @Test
  void aQueueWithoutSchemaTakesEverything() {
    assertThatCode(() -> check(1, null, "17")).doesNotThrowAnyException();
  }

  @Test
  void dataThatDoNotMatchAreRefusedWithThePlace() {
    String schema =
        "{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{\"lines\":{\"type\":\"array\","
            + "\"items\":{\"type\":\"integer\"}}}}";
    assertThatCode(() -> check(1, schema, "{\"id\":1,\"lines\":[1,2]}")).doesNotThrowAnyException();
    assertThatThrownBy(() -> check(1, schema, "{\"id\":1,\"lines\":[1,\"x\"]}"))
        .hasMessageContaining("does not match the schema of queue orders")
        .hasMessageContaining("/lines/1");
    assertThatThrownBy(() -> check(1, schema, "{}")).hasMessageContaining("id");
  }

  @Test
  void aNewVersionOfTheDefinitionBringsItsOwnSchema() {
    check(1, "{\"type\":\"string\"}", "\"a\"");
    assertThatThrownBy(() -> check(2, "{\"type\":\"integer\"}", "\"a\""))
        .hasMessageContaining("integer");
  }

  @Test
  void aSchemaReadsNothingFromElsewhere() {
    for (String place :
        new String[] {
          "http://127.0.0.1:9/schema", "file:///etc/hostname", "classpath:logback-test.xml"
        }) {
      assertThatThrownBy(() -> check(3, "{\"$ref\":\"" + place + "\"}", "1"))
          .as(place)
          .hasMessageContaining("is not usable");
      schemas.require("other", 1, null, new byte[0], new CheckBudget());
    }
  }

  @Test
  void aSchemaMayNameItsDraft() {
    String schema =
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"integer\"}";
    assertThatCode(() -> check(4, schema, "1")).doesNotThrowAnyException();
  }

  @Test
  void theDataOfOneEventChangeNothingForOthers() {
    String schema =
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"format\":\"regex\",\"pattern\":\".\"}";
    for (String text : new String[] {"\"a+\"", "\"(\"", "\"a+\""}) {
      assertThatCode(() -> check(5, schema, text)).doesNotThrowAnyException();
    }
    assertThatThrownBy(() -> check(5, schema, "\"\"")).hasMessageContaining("regex pattern");
    assertThatCode(() -> check(5, schema, "\"a\"")).doesNotThrowAnyException();
  }

  @Test
  void whatCannotBeCheckedIsRefusedAsTheEventsFault() {
    String text = "\"" + "ab".repeat(20_000) + "\"";
    for (String schema : new String[] {"{\"pattern\":\"^(a|b)*$\"}", "{\"$ref\":\"#\"}"}) {
      assertThatThrownBy(() -> check(schema.length(), schema, text))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> {
                assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
                assertThat(refusal.getCause()).isNull();
              });
    }
  }

  @Test
  void theEventsOfARequestAreCheckedWithinOneBudgetAndTheOthersAreRefusedForNow() {
    CheckBudget request = new CheckBudget();
    check(1, LISTS, nested(60), request);
    check(1, LISTS, nested(60), request);

    for (String left : new String[] {nested(60), "[]"}) {
      assertThatThrownBy(() -> check(1, LISTS, left, request))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RATE_LIMITED))
          .hasMessageContaining("send fewer events of large checks at once");
      assertThatCode(() -> check(1, LISTS, left)).doesNotThrowAnyException();
    }
  }

  @Test
  void anEventThatAloneExceedsTheBoundIsRefusedForEverAndLeavesEnoughForAnother() {
    CheckBudget request = new CheckBudget();
    assertThatThrownBy(() -> check(1, LISTS, nested(90), request))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("takes too long");
    assertThatCode(() -> check(1, LISTS, nested(60), request)).doesNotThrowAnyException();
  }

  private static String nested(int lists) {
    return "[".repeat(lists) + "\"" + "x".repeat(250_000) + "\"" + "]".repeat(lists);
  }

  @Test
  void anUnusableSchemaIsLoggedOnceForEachVersion() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(EventSchemas.class);
    logger.addAppender(lines);
    lines.start();
    try {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> check(1, "{\"$ref\":\"#\"}", "1")).hasMessageContaining("itself");
      }
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list).hasSize(1);
  }
}
