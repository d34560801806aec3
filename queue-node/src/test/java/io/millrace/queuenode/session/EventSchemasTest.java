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
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EventSchemasTest {
  private final EventSchemas schemas = new EventSchemas();

  private void check(int version, String schema, String data) {
    schemas.require(
        "orders",
        version,
        schema == null ? null : Json.read(schema, JsonNode.class),
        data.getBytes(StandardCharsets.UTF_8));
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
      schemas.require("other", 1, null, new byte[0]);
    }
  }

  @Test
  void aSchemaMayNameItsDraft() {
    String schema =
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"integer\"}";
    assertThatCode(() -> check(4, schema, "1")).doesNotThrowAnyException();
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
