package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bench.session.OpenSessionsBench.OpenCost;
import io.millrace.bench.session.SessionRound.RoundResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionResultsTest {
  @Test
  void theMedianRunCountsWithTheMistakesOfAll() {
    SessionsBench.Result result =
        SessionsBench.Result.of(
            List.of(run(1, 0, 0, 0, 5, 5), run(4, 1, 0, 0, 5, 5), run(2, 0, 2, 0, 5, 4)), 1_000);
    assertThat(result.eventsPerSecond()).isEqualTo(500);
    assertThat(result.ratio()).isEqualTo(0.5);
    assertThat(result.lost()).isEqualTo(1);
    assertThat(result.orderViolations()).isEqualTo(2);
    assertThat(result.duplicatesSent()).isEqualTo(15);
    assertThat(result.duplicatesReported()).isEqualTo(14);
    assertThat(result.passed()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0,0,0,3,3,true",
    "1,0,0,3,3,false",
    "0,1,0,3,3,false",
    "0,0,1,3,3,false",
    "0,0,0,3,2,false",
  })
  void aRunPassesIfNothingWasLostDisorderedLeftOrDoubled(
      int lost, int disordered, int unfinished, int sent, int reported, boolean passed) {
    RoundResult run = run(1, lost, disordered, unfinished, sent, reported);
    assertThat(SessionsBench.Result.of(List.of(run), 1).passed()).isEqualTo(passed);
    assertThat(
            new SessionReplayBench.Result(
                    1, 1, 0, 0, 0, unfinished, 9, 3, 9, lost, disordered, sent, reported)
                .passed())
        .isEqualTo(passed);
  }

  @ParameterizedTest
  @CsvSource({
    "1000,10,5,0,0,true",
    "1001,10,5,0,0,false",
    "900,0,5,0,0,false",
    "900,10,0,0,0,false",
    "900,10,5,1,0,false",
    "900,10,5,0,1,false",
  })
  void anOverloadPassesIfTheCapHeldAndNothingWasRefusedForEver(
      long most, long samples, long refusals, long refusedForEver, long lost, boolean passed) {
    assertThat(
            new SessionOverloadBench.Result(
                    1_000, most, samples, 10, refusals, 0, 100, 10, 50, refusedForEver, lost, 0)
                .passed())
        .isEqualTo(passed);
  }

  @ParameterizedTest
  @CsvSource({"true,3,0,true", "false,1,0,false", "true,3.1,0,false", "true,1,1,false"})
  void openSessionsPassIfTheNodeLivesAndTheCostHardlyDependsOnThem(
      boolean alive, double ratio, long wrong, boolean passed) {
    assertThat(
            new OpenSessionsBench.Result(
                    10, 1, 5, 1, 1, 1, alive, List.of(new OpenCost(10, 3)), ratio, wrong)
                .passed())
        .isEqualTo(passed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"10|10", "1000|1000", "25000|1000,10000,25000", "100000|1000,10000,100000"})
  void theCostIsMeasuredAtEachPowerOfTenAndAtTheEnd(int open, String levels) {
    assertThat(OpenSessionsBench.levels(open))
        .isEqualTo(List.of(levels.split(",", -1)).stream().map(Integer::valueOf).toList());
  }

  private static RoundResult run(
      double seconds, long lost, long disordered, long unfinished, long sent, long reported) {
    return new RoundResult(
        1_000,
        10,
        seconds,
        seconds,
        lost,
        disordered,
        unfinished,
        sent,
        reported,
        0,
        0,
        0,
        0,
        List.of());
  }
}
