package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.AttemptId;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunJournalTest {
  @Test
  void aRunSpansFromItsFirstToItsLastLineOfAnyKind() {
    RunJournal journal =
        RunJournal.of(
            List.of(
                "start 1.1 77 10.00 node-a long",
                "beat 1.1 77 10.20",
                "start 2.1 78 10.30 node-b short",
                "end 2.1 78 10.40 7",
                "beat 1.1 77 10.50"));

    assertThat(journal.runs())
        .containsExactly(
            new ProcessRun(new AttemptId(1, 1), 77, "node-a", "long", 10, 10.5, null),
            new ProcessRun(new AttemptId(2, 1), 78, "node-b", "short", 10.3, 10.4, 7));
  }

  @Test
  void twoProcessesOfOneAttemptAreTwoRuns() {
    RunJournal journal = RunJournal.of(List.of("start 1.1 77 10.00 n a", "start 1.1 78 10.10 n a"));

    assertThat(journal.runs()).hasSize(2);
    assertThat(journal.of(new AttemptId(1, 1))).get().extracting(ProcessRun::pid).isEqualTo(77L);
    assertThat(journal.of(new AttemptId(1, 2))).isEmpty();
  }

  @Test
  void anUnknownLineIsRejected() {
    assertThatThrownBy(() -> RunJournal.of(List.of("stop 1.1 77 10.00")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
