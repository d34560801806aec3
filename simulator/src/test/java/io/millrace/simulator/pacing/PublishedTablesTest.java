package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.simulator.pacing.PublishedTable.Comparison;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables 4.2 to 4.4: published, the published rule simulated, and demand (H-190 to H-199). */
class PublishedTablesTest {
  private static final Map<String, List<Comparison>> COMPARED = new HashMap<>();

  private static List<Comparison> rows(String table) {
    return COMPARED.computeIfAbsent(table, name -> PublishedTable.named(name).compare());
  }

  /** The reading of the published rule that reproduces its tables best, computed independently. */
  @ParameterizedTest
  @CsvSource({
    "4.2, 50, 10024, 0.40",
    "4.2, 250, 9660, 0.59",
    "4.2, 500, 8844, 0.88",
    "4.2, 1000, 9099, 1.25",
    "4.2, 2000, 8758, 2.70",
    "4.2, 5000, 8772, 7.97",
    "4.2, 15000, 8319, 33.6",
    "4.3, 50, 209995, 8.58",
    "4.3, 250, 202567, 8.66",
    "4.3, 500, 185736, 9.25",
    "4.3, 1000, 173756, 9.63",
    "4.3, 2000, 153312, 11.5",
    "4.3, 5000, 148309, 17.5",
    "4.3, 15000, 139903, 38.1",
    "4.4, 50, 72077, 22.1",
    "4.4, 250, 71385, 22.4",
    "4.4, 500, 76338, 22.4",
    "4.4, 1000, 73057, 22.9",
    "4.4, 2000, 70155, 24.8",
    "4.4, 5000, 60227, 28.8",
    "4.4, 15000, 60899, 44.4"
  })
  void theProductionThresholdRuleReproducesTheModelOrIsNearerToThePublishedFigures_H191(
      String table, long upperLimit, double modelRuns, double modelMillions) {
    Comparison row =
        rows(table).stream()
            .filter(one -> one.upperLimit() == upperLimit)
            .findFirst()
            .orElseThrow();
    assertNear((double) row.thresholdRuns(), modelRuns, (double) row.publishedRuns());
    assertNear(
        (double) row.thresholdWaiting(), modelMillions * 1e6, (double) row.publishedWaiting());
  }

  private static void assertNear(double simulated, double model, double published) {
    boolean asTheModel = Math.abs(simulated / model - 1) <= 0.05;
    boolean nearer = Math.abs(simulated - published) <= Math.abs(model - published);
    assertThat(asTheModel || nearer)
        .as("%.0f simulated, %.0f of the model, %.0f published", simulated, model, published)
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.2", "4.3", "4.4"})
  void demandNeedsFewerRunsAndLetsEventsWaitLessThanTheRuleWithAnyLimit_H197(String table) {
    assertThat(rows(table))
        .hasSize(7)
        .allSatisfy(
            row -> {
              assertThat(row.demandRuns()).isLessThan(row.thresholdRuns());
              assertThat(row.demandWaiting()).isLessThan(row.thresholdWaiting());
            });
  }

  @ParameterizedTest
  @CsvSource({"4.2, 1.25", "4.3, 1.10", "4.4, 1.10"})
  void demandWithDefaultsStaysNearTheFloorOfFullWorkers_H194(String table, double max) {
    Comparison row = rows(table).get(0);
    assertThat(row.demandRuns()).isLessThanOrEqualTo((long) (max * row.floorRuns()));
  }

  @Test
  void theFloorIsWhatArrivesByTheEventsPerWorker_H194() {
    assertThat(rows("4.2").get(0).floorRuns()).isEqualTo(6_000);
    assertThat(rows("4.3").get(0).floorRuns()).isEqualTo(120_000);
    assertThat(rows("4.4").get(0).floorRuns()).isEqualTo(45_000);
  }
}
