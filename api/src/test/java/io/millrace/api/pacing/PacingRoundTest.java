package io.millrace.api.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import org.junit.jupiter.api.Test;

class PacingRoundTest {
  private static final String ROUND =
      """
      {"decisions": [{"queue": "alert", "node": "q1", "secret": "x",
        "decision": {%s"start": 1, "policy": "demand", "gate": "NONE", "reason": "test"}}],
       "views": []}
      """;

  @Test
  void aDecisionWithoutItsAttemptIsABadRequest() {
    assertThat(Json.read(ROUND.formatted("\"attempt\": \"7.1\", "), PacingRound.class).decisions())
        .hasSize(1);

    assertThatThrownBy(() -> Json.read(ROUND.formatted(""), PacingRound.class))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code().status()).isEqualTo(400))
        .hasMessageContaining("the attempt that decided");
  }
}
