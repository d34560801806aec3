package io.millrace.executor.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.execution.CommandEnd;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchVerdictTest {
  @Test
  void acknowledgesOnExitCodeZeroOnly() {
    assertThat(BatchVerdict.of(exited(0), null)).isEqualTo(new BatchVerdict.Acknowledge());
    assertThat(BatchVerdict.of(exited(1), null))
        .isEqualTo(new BatchVerdict.Refuse(RefusalKind.FAILED, "the reason"));
  }

  @ParameterizedTest
  @EnumSource(names = {"SIGNALLED", "TIMED_OUT"})
  void chargesTheWorkerWithAnEndThatItMayHaveCaused(CommandEnd.Kind kind) {
    assertThat(BatchVerdict.of(ending(kind), "last words"))
        .isEqualTo(new BatchVerdict.Refuse(RefusalKind.FAILED, "the reason: last words"));
  }

  @ParameterizedTest
  @EnumSource(names = {"START_FAILED", "STOPPED", "LOST", "UNKILLABLE"})
  void doesNotChargeTheWorkerWithWhatWasDoneToIt(CommandEnd.Kind kind) {
    assertThat(BatchVerdict.of(ending(kind), "last words"))
        .isEqualTo(new BatchVerdict.Refuse(RefusalKind.RETURNED, "the reason"));
  }

  @Test
  void keepsTheEndOfLongLastLines() {
    BatchVerdict verdict = BatchVerdict.of(exited(1), "x".repeat(5_000) + "the cause");

    assertThat(verdict)
        .isInstanceOfSatisfying(
            BatchVerdict.Refuse.class,
            refusal ->
                assertThat(refusal.reason())
                    .hasSize(BatchVerdict.LONGEST_REASON)
                    .startsWith("the reason: ")
                    .endsWith("the cause"));
  }

  private static CommandEnd exited(int code) {
    return new CommandEnd(
        CommandEnd.Kind.EXITED,
        OptionalInt.of(code),
        OptionalInt.empty(),
        "the reason",
        Instant.EPOCH);
  }

  private static CommandEnd ending(CommandEnd.Kind kind) {
    return new CommandEnd(
        kind, OptionalInt.empty(), OptionalInt.empty(), "the reason", Instant.EPOCH);
  }
}
