package io.millrace.api.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import org.junit.jupiter.api.Test;

class AttemptReportTest {
  private static final AttemptId ATTEMPT = new AttemptId(7, 2);

  @Test
  void fieldsOfTheResultAreFieldsOfTheReport() {
    AttemptResult result =
        new AttemptResult(
            Outcome.FAILED,
            3,
            null,
            "it broke",
            "disk full",
            5,
            40,
            new Usage(1, 2, 3, 4),
            "e1",
            null);
    AttemptReport report = AttemptReport.ended(ATTEMPT, result, 50, 10);

    assertThat(Json.write(report))
        .isEqualTo(
            "{\"attempt\":\"7.2\",\"ended\":true,\"outcome\":\"FAILED\",\"exitCode\":3,"
                + "\"reason\":\"it broke\",\"stderrTail\":\"disk full\",\"events\":5,"
                + "\"runMillis\":40,\"usage\":{\"cpuMillis\":1,\"memoryBytes\":2,\"readBytes\":3,"
                + "\"writtenBytes\":4},\"event\":\"e1\",\"startedAgoMillis\":50,"
                + "\"endedAgoMillis\":10}");
    assertThat(Json.read(Json.write(report), AttemptReport.class)).isEqualTo(report);
  }

  @Test
  void aStartHasNoResult() {
    AttemptReport report = AttemptReport.started(ATTEMPT, 5);

    assertThat(Json.read(Json.write(report), AttemptReport.class)).isEqualTo(report);
    assertThat(Json.read("{\"attempt\":\"7.2\",\"startedAgoMillis\":5}", AttemptReport.class))
        .isEqualTo(report);
  }

  @Test
  void anEndWithoutAnOutcomeIsRefused() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> Json.read("{\"attempt\":\"7.2\",\"ended\":true}", AttemptReport.class))
        .withMessageContaining("without an outcome");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> Json.read("{\"ended\":false}", AttemptReport.class))
        .withMessageContaining("attempt is missing");
  }
}
