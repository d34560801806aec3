package io.millrace.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.io.IOException;
import java.io.StringReader;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All forms in which decisions are printed are read. */
class DecisionReaderTest {
  private static final String ONE =
      "{\"at\":\"2026-03-01T12:00:00Z\",\"node\":\"q1\",\"attempt\":\"7/1\",\"start\":2,"
          + "\"policy\":\"demand\",\"gate\":\"NONE\",\"reason\":\"why\",\"inputs\":{\"waiting\":7.0}}";

  private static List<RecordedDecision> read(String text) throws IOException {
    return DecisionReader.read(new StringReader(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ONE + "\n" + ONE + "\n",
        "\n[" + ONE + ",\n" + ONE + "]\n",
        "{\"queue\":\"alert\",\"words\":[],\"decisions\":[" + ONE + "," + ONE + "]}",
        """
        at,node,attempt,start,policy,gate,reason,waiting,runSeconds
        2026-03-01T12:00:00Z,"q1",7/1,2,"demand","NONE","a, ""b""
        c",7.0,
        2026-03-01T12:00:00Z,"q1",7/1,2,"demand","NONE","why",7.0,
        """
      })
  void everyFormOfTheExportIsRead(String text) throws IOException {
    assertThat(read(text))
        .hasSize(2)
        .allSatisfy(
            one -> {
              assertThat(one.at()).isEqualTo(Instant.parse("2026-03-01T12:00:00Z"));
              assertThat(one.node()).isEqualTo("q1");
              assertThat(one.start()).isEqualTo(2);
              assertThat(one.gate()).isEqualTo("NONE");
              assertThat(one.figure("waiting")).isEqualTo(7);
              assertThat(one.isComplete("runSeconds")).isFalse();
            });
  }

  @Test
  void emptyInputHasNoDecisions() throws IOException {
    assertThat(read(" \n")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"start\":1", "{\"a\":1}", "hello", "[1,2]", "a,b\n1,2\n"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not a ");
  }
}
