package io.millrace.api.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.NextRequest.NextAnswer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NextRequestTest {
  @Test
  void theShortestRequestContinuesTheCurrentCycle() {
    NextRequest request = Json.read("{\"member\":\"a\",\"term\":3}", NextRequest.class);
    assertThat(request)
        .isEqualTo(new NextRequest("a", 3, null, null, 0, List.of(), NextRequest.LARGEST / 10));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'\"term\":3'; member is missing",
        "'\"member\":\"a\",\"resources\":[]'; belong together",
        "'\"member\":\"a\",\"interval\":\"1m\"'; belong together",
        "'\"member\":\"a\",\"resources\":[],\"interval\":\"1ms\"'; interval must be from 1s to 1d",
        "'\"member\":\"a\",\"resources\":[\"\"],\"interval\":\"1m\"'; 1 to 500 characters",
        "'\"member\":\"a\",\"resources\":[\"x \"],\"interval\":\"1m\"'; without blanks",
        "'\"member\":\"a\",\"done\":[\"x\"]'; cycle is missing",
        "'\"member\":\"a\",\"most\":1001'; most must be from 0 to 1000",
        "'\"member\":\"a\",\"most\":-1'; most must be from 0 to 1000"
      })
  void saysWhatIsWrong(String fields, String words) {
    assertThatThrownBy(() -> Json.read("{" + fields + "}", NextRequest.class))
        .hasMessageContaining(words);
  }

  @Test
  void aRequestReportsAThousandResourcesAndNoMore() {
    assertThat(reporting(NextRequest.LARGEST).done()).hasSize(NextRequest.LARGEST);
    assertThatThrownBy(() -> reporting(NextRequest.LARGEST + 1))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
  }

  private static NextRequest reporting(int count) {
    NextAnswer before =
        new NextAnswer(1, Collections.nCopies(count, "x"), 0, false, false, Duration.ZERO);
    return NextRequest.after("a", 3, before, 5);
  }
}
