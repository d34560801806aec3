package io.millrace.tests.drill.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrillProgressTest {
  private static final FaultCell KILL = new FaultCell(FaultKind.KILL, FaultRole.CENTRAL_MANAGER);

  @TempDir private Path folder;

  private static FaultTally tally(boolean... counted) {
    FaultTally tally = new FaultTally();
    for (boolean one : counted) {
      tally.add(KILL, one);
    }
    return tally;
  }

  private DrillProgress open(String drill, long seed) {
    return DrillProgress.open(drill, folder.resolve("progress"), seed, 3);
  }

  @Test
  void aResumedRunContinuesWithItsSeedRoundsAndCounts() {
    open("d", 5).passed(tally(true, false));
    DrillProgress again = open("d", 6);
    assertThat(again.seed()).isEqualTo(5);
    assertThat(again.rounds()).isEqualTo(1);

    again.passed(tally(true));
    DrillProgress third = open("d", 7);
    assertThat(third.rounds()).isEqualTo(2);
    assertThat(third.toString())
        .contains("2/3")
        .contains("seed 5, 2 rounds, 3 faults dealt, 2 of them hit work in progress, 0 violations");
  }

  @Test
  void theFaultsOfAFailedRoundCountOnceTheRoundIsRepeatedAndPasses() throws IOException {
    open("d", 5).violated(new AssertionError("lost"));
    assertThat(open("d", 5).toString()).contains("1 rounds, 0 faults dealt", "1 violations");

    Path file = folder.resolve("progress");
    Files.writeString(file, Files.readString(file).replace("\"rounds\":1", "\"rounds\":0"));
    open("d", 5).passed(tally(true));
    assertThat(open("d", 5).toString())
        .contains("1 rounds, 1 faults dealt, 1 of them hit work in progress, 0 violations");
  }

  @Test
  void aRunContinuesUntilEnoughFaultsHitWork() {
    DrillProgress progress = open("d", 5);
    progress.passed(tally(true, true, false, false));
    assertThat(progress.goesOn()).isTrue();
    progress.passed(tally(true));
    assertThat(progress.goesOn()).isFalse();
  }

  @Test
  void theFileOfAnotherDrillIsRefused() {
    open("d", 5).passed(tally(true));
    assertThatThrownBy(() -> open("e", 5)).hasMessageContaining("is the progress of d");
  }
}
