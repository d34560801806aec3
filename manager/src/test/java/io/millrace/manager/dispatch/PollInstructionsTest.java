package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.BookingDao.Booking;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollInstructionsTest {
  private static final AttemptId ONE = new AttemptId(1, 1);

  @Test
  void aRecordedAttemptThatTheNodeDoesNotHoldIsOfferedAgain() {
    assertThat(PollInstructions.of(List.of(recorded(false, false)), List.of(), true).start())
        .containsExactly(ONE);
  }

  @Test
  void anAttemptThatTheNodeHoldsIsNotOfferedAgain() {
    assertThat(PollInstructions.of(List.of(recorded(false, false)), List.of(ONE), true))
        .isEqualTo(nothing());
  }

  @Test
  void aStartedAttemptThatIsNoLongerHeldIsNotOfferedAgain() {
    // Its end is on the way in a report.
    assertThat(PollInstructions.of(List.of(recorded(true, false)), List.of(), true))
        .isEqualTo(nothing());
  }

  @Test
  void aHeldAttemptThatIsNotCurrentIsStopped() {
    assertThat(PollInstructions.of(List.of(), List.of(ONE), true).stop()).containsExactly(ONE);
  }

  @Test
  void aCancelledAttemptIsStoppedWhereItIsHeldAndWithdrawnWhereItIsNot() {
    assertThat(PollInstructions.of(List.of(recorded(false, true)), List.of(ONE), true).stop())
        .containsExactly(ONE);
    assertThat(PollInstructions.of(List.of(recorded(false, true)), List.of(), true).withdraw())
        .containsExactly(ONE);
  }

  @Test
  void aDrainingNodeReturnsAttemptsItDoesNotHold() {
    PollInstructions orders =
        PollInstructions.of(List.of(recorded(false, false)), List.of(), false);
    assertThat(orders.start()).isEmpty();
    assertThat(orders.withdraw()).containsExactly(ONE);
  }

  @Test
  void anAttemptReportedMissingIsNeitherOfferedAgainNorWithdrawn() {
    for (boolean stopRequested : new boolean[] {true, false}) {
      Booking missing = new Booking(ONE, false, stopRequested, true, true);
      assertThat(PollInstructions.of(List.of(missing), List.of(), true)).isEqualTo(nothing());
    }
  }

  private static Booking recorded(boolean running, boolean stopRequested) {
    return new Booking(ONE, running, stopRequested, true, false);
  }

  private static PollInstructions nothing() {
    return new PollInstructions(List.of(), List.of(), List.of(), List.of(), true);
  }
}
