package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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
}
