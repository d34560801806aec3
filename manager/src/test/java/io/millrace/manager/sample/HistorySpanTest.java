package io.millrace.manager.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistorySpanTest {
  private static final Instant NOW = Instant.parse("2026-03-29T12:34:56.789Z");
  private static final Duration HOUR = Duration.ofHours(1);

  @ParameterizedTest
  @CsvSource({"PT1M, 5", "PT15M, 5", "PT1H, 10", "PT6H, 60", "P1D, 300", "P7D, 1800", "P30D, 7200"})
  void theStepFollowsFromTheLength(Duration length, long seconds) {
    HistorySpan span = HistorySpan.of(null, null, length, NOW);

    assertThat(span.step()).isEqualTo(Duration.ofSeconds(seconds));
    assertThat(span.to()).isEqualTo(NOW);
    assertThat(span.from()).isEqualTo(NOW.minus(length));
  }

  @Test
  void anHourOfLastWeekHasMinutes() {
    Instant then = NOW.minus(Duration.ofDays(7));

    assertThat(HistorySpan.of(then, then.plus(HOUR), HOUR, NOW).step()).isEqualTo(RollUp.MINUTE);
  }

  @Test
  void noSpanHasMoreStepsThanAllowed() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      long length = random.nextLong(1, Duration.ofDays(40).toMillis());
      Instant to = NOW.minusMillis(random.nextLong(Duration.ofDays(29).toMillis()));
      HistorySpan span = HistorySpan.of(to.minusMillis(length), to, HOUR, NOW);

      long first = RollUp.begin(span.from(), span.step()).getEpochSecond();
      long last = RollUp.begin(span.to().minusNanos(1), span.step()).getEpochSecond();
      assertThat((last - first) / span.step().toSeconds() + 1)
          .as("steps of %s", span)
          .isLessThanOrEqualTo(HistorySpan.MAX_SAMPLES);
    }
  }

  @Test
  void anEndInTheFutureIsNow() {
    HistorySpan span = HistorySpan.of(NOW.minus(HOUR), NOW.plus(HOUR), HOUR, NOW);

    assertThat(span.to()).isEqualTo(NOW);
  }

  @Test
  void aBeginningBeforeWhatIsKeptIsMovedThere() {
    HistorySpan span = HistorySpan.of(Instant.EPOCH, null, HOUR, NOW);

    assertThat(span.from()).isEqualTo(NOW.minus(Duration.ofDays(30)));
  }

  @Test
  void anEndBeforeTheBeginningIsRefused() {
    assertThatThrownBy(() -> HistorySpan.of(NOW, NOW.minus(HOUR), HOUR, NOW))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("from must be before to");
  }

  @Test
  void aSpanInTheFutureIsRefusedWithTheTimeOfTheServer() {
    assertThatThrownBy(() -> HistorySpan.of(NOW.plus(HOUR), NOW.plus(HOUR).plus(HOUR), HOUR, NOW))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("from must be before now, which is " + NOW);
  }

  @Test
  void aSpanOfWhichNothingIsKeptIsRefused() {
    Instant to = NOW.minus(Duration.ofDays(31));

    assertThatThrownBy(() -> HistorySpan.of(to.minus(HOUR), to, HOUR, NOW))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("samples are kept for 30 days: to must be after");
  }
}
