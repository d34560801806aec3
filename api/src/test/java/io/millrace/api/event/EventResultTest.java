package io.millrace.api.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventResultTest {
  @Test
  void aResultHasTheFieldsOfARefusal() {
    assertThat(EventResult.parse(" {\"id\": \"e-1\", \"ok\": true}\r"))
        .contains(new EventResult("e-1", true, RefusalKind.FAILED, null, null));
    assertThat(
            EventResult.parse(
                "{\"id\":\"e\",\"ok\":false,\"kind\":\"RETURNED\",\"delay\":\"10s\",\"reason\":\"busy\"}"))
        .contains(
            new EventResult("e", false, RefusalKind.RETURNED, Duration.ofSeconds(10), "busy"));
  }

  @Test
  void aRefusalWithADetailThatCannotBeReadIsStillARefusal() {
    assertThat(EventResult.parse("{\"id\":\"e\",\"ok\":false,\"kind\":\"odd\",\"delay\":\"soon\"}"))
        .contains(new EventResult("e", false, RefusalKind.FAILED, null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "done",
        "{",
        "{}",
        "{\"id\":\"e\"}",
        "{\"id\":7,\"ok\":true}",
        "{\"id\":\"e\",\"ok\":\"yes\"}",
        "[{\"id\":\"e\",\"ok\":true}]",
        "{\"id\":\"e\",\"ok\":true} trailing {}"
      })
  void otherLinesAreOrdinaryOutput(String line) {
    assertThat(EventResult.parse(line)).isEmpty();
  }
}
