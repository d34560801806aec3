package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExclusionTest {
  @Test
  void consecutiveRunsAreAccepted() {
    Map<String, List<ProcessRun>> groups =
        Map.of(
            "a",
            runs(
                "start 1.1 7 10.00 n a",
                "end 1.1 7 11.00 0",
                "start 1.2 8 11.00 n a",
                "beat 1.2 8 12.00",
                "start 2.1 9 12.10 n a"),
            "b",
            runs("start 3.1 10 10.50 n b", "end 3.1 10 12.00 0"));

    assertThat(Exclusion.overlaps(groups)).isEmpty();
    assertThat(Exclusion.outOfOrder(groups)).isEmpty();
  }

  @Test
  void overlappingRunsAreReported() {
    assertThat(
            overlaps(
                "start 1.1 7 10.00 n a",
                "end 1.1 7 11.00 0",
                "start 1.2 8 10.99 n a",
                "end 1.2 8 12.00 0"))
        .singleElement()
        .asString()
        .contains("1.1", "1.2");
  }

  @Test
  void outputOfAKilledJobCountsAsRunning() {
    assertThat(
            overlaps(
                "start 1.1 7 10.00 n a",
                "start 1.2 8 20.00 m a",
                "beat 1.2 8 20.10",
                "beat 1.1 7 20.20"))
        .hasSize(1);
  }

  @Test
  void aLongRunIsComparedWithAllLaterRuns() {
    assertThat(
            overlaps(
                "start 1.1 7 10.00 n a",
                "end 1.1 7 50.00 0",
                "start 1.2 8 20.00 n a",
                "end 1.2 8 21.00 0",
                "start 1.3 9 30.00 n a",
                "end 1.3 9 31.00 0"))
        .hasSize(2);
  }

  @Test
  void aLaneJobThatStartedAfterALaterOneIsReported() {
    List<ProcessRun> lane =
        runs(
            "start 2.1 7 10.00 n a",
            "end 2.1 7 11.00 0",
            "start 1.1 8 12.00 n a",
            "end 1.1 8 13.00 0");

    assertThat(Exclusion.outOfOrder(Map.of("lane", lane)))
        .singleElement()
        .asString()
        .contains("started after job 2");
  }

  @Test
  void anAttemptStartedTwiceIsReported() {
    assertThat(
            Exclusion.startedTwice(
                runs("start 1.1 7 10.00 n a", "start 1.2 8 11.00 n a", "start 1.1 9 12.00 n a")))
        .singleElement()
        .asString()
        .contains("attempt 1.1", "pid 7", "pid 9");
    assertThat(Exclusion.startedTwice(runs("start 1.1 7 10.00 n a", "start 1.2 8 11.00 n a")))
        .isEmpty();
  }

  private static List<String> overlaps(String... lines) {
    return Exclusion.overlaps(Map.of("a", runs(lines)));
  }

  private static List<ProcessRun> runs(String... lines) {
    return RunJournal.of(List.of(lines)).runs();
  }
}
