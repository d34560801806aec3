package io.millrace.executor.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionLineTest {
  @Test
  void aResultNamesTheEventThroughWhichItCounts() {
    assertThat(SessionLine.parse(" {\"n\":3,\"ok\":true} "))
        .contains(new SessionLine(3, true, null, null));
    assertThat(SessionLine.parse("{\"n\":4,\"ok\":false,\"reason\":\"late\"}"))
        .contains(new SessionLine(4, false, "late", null));
  }

  @Test
  void aSnapshotIsAResult() {
    SessionLine line = SessionLine.parse("{\"snapshot\":{\"sum\":1},\"n\":3}").orElseThrow();
    assertThat(line.ok()).isTrue();
    assertThat(line.snapshot().path("sum").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ready",
        "{\"n\":3}",
        "{\"ok\":true}",
        "{\"n\":\"3\",\"ok\":true}",
        "{\"n\":3,\"ok\":1}",
        "{\"n\":3,\"ok\":true} {\"n\":4,\"ok\":true}",
        "{\"n\":3,\"ok\":true",
      })
  void everythingElseIsOrdinaryOutput(String line) {
    assertThat(SessionLine.parse(line)).isEmpty();
  }
}
