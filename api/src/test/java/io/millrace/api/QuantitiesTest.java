package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuantitiesTest {
  private static final JsonMapper WRITTEN =
      Json.mapper().rebuild().addModule(Json.written()).build();

  @Test
  void writtenDurationsAreOfTenYearsAtMost() {
    assertThat(Durations.parse("3650d")).isEqualTo(Durations.LONGEST);
    for (String tooLong : new String[] {"3650d1ms", "99999999h", "PT99999999H", "-PT99999999H"}) {
      assertThatThrownBy(() -> Durations.parse(tooLong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + tooLong + "' is longer than 10 years (3650d)");
    }
  }

  @Test
  void durationsBeyondWhatCanBeCountedAreRefusedToo() {
    String sum = "999999999999d".repeat(200);
    for (String endless : List.of("PT-9223372036854775808S", "P999999999999999999D", sum)) {
      assertThatThrownBy(() -> Durations.parse(endless))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void storedAndAnsweredDurationsMayBeLonger() throws Exception {
    String json = "\"99999999h\"";
    assertThat(Json.read(json, Duration.class)).isEqualTo(Duration.ofHours(99_999_999));
    assertThatThrownBy(() -> WRITTEN.readValue(json, Duration.class))
        .hasMessageContaining("longer than 10 years");
    assertThat(WRITTEN.readValue("\"1h30m\"", Duration.class)).isEqualTo(Duration.ofMinutes(90));
  }

  @Test
  void sizesAreReadableToOneDecimalOfTheirLargestUnit() {
    assertThat(Sizes.readable(0)).isEqualTo("0B");
    assertThat(Sizes.readable(512)).isEqualTo("512B");
    assertThat(Sizes.readable(512L << 20)).isEqualTo("512MB");
    assertThat(Sizes.readable(10_847L << 20)).isEqualTo("10.6GB");
    assertThat(Sizes.readable(3L << 50)).isEqualTo("3072TB");
    assertThat(Sizes.format(10_847L << 20)).as("exact").isEqualTo("10847MB");
  }

  private enum Example {
    TIMED_OUT
  }

  @Test
  void constantsAreWordsInMessages() {
    assertThat(MessageText.of(Example.TIMED_OUT)).isEqualTo("timed out");
    assertThat(MessageText.counted(1, "event")).isEqualTo("1 event");
    assertThat(MessageText.counted(0, "event")).isEqualTo("0 events");
    assertThat(MessageText.choice(List.of("queue", "task", "job"))).isEqualTo("job, queue or task");
    assertThat(MessageText.choice(List.of("queue"))).isEqualTo("queue");
  }
}
