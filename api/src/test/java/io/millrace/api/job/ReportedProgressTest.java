package io.millrace.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportedProgressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "42%|42|-|-|-",
        "42.5 %  half of it |42.5|-|-|half of it",
        "17/400|4.25|17|400|-",
        "17 / 400 reading a.csv|4.25|17|400|reading a.csv",
        "80% 17/400 weighted|80|17|400|weighted",
        "0/0 nothing found|-|0|0|nothing found",
        "500/400|100|500|400|-",
        "150%|100|-|-|-",
        "reading a.csv|-|-|-|reading a.csv",
        "42|-|-|-|42",
        "2024/05/06 is loaded|-|-|-|2024/05/06 is loaded",
        "99999999999999999999/3|-|-|-|99999999999999999999/3"
      })
  void aLineHasAPercentageOrCountsAndAMessage(
      String line, Double percent, Long done, Long total, String message) {
    assertThat(ReportedProgress.parse(line))
        .contains(new ReportedProgress(percent, done, total, message));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "\t", "\u001b"})
  void aLineWithNothingToShowIsNoReport(String line) {
    assertThat(ReportedProgress.parse(line)).isEmpty();
  }

  @Test
  void whatCouldChangeATerminalIsRemovedFromMessages() {
    assertThat(ReportedProgress.parse("5% \u001b[31mred\u0007\u202egnp.exe\u2028x"))
        .map(ReportedProgress::message)
        .contains("[31mred gnp.exe x");
  }

  @Test
  void aLongMessageIsCut() {
    String message = new ReportedProgress(1.0, null, null, "𝄞".repeat(500)).message();
    assertThat(message).hasSizeLessThanOrEqualTo(ReportedProgress.LONGEST_MESSAGE).endsWith("𝄞…");
  }

  @Test
  void invalidNumbersCountAsUnknown() {
    assertThat(new ReportedProgress(Double.NaN, -1L, 5L, null))
        .isEqualTo(new ReportedProgress(null, null, null, null));
    assertThat(new ReportedProgress(-3.0, 7L, null, null))
        .isEqualTo(new ReportedProgress(0.0, null, null, null));
  }
}
