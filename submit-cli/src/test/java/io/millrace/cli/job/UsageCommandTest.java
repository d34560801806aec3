package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.UsageReport;
import io.millrace.api.insight.UsageReport.UsageBy;
import io.millrace.api.insight.UsageReport.UsageRow;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageCommandTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theLargestNamesAreShownWithTheirTotal() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.TASK,
            "2026-03-01",
            "2026-03-08",
            "2025-02-01",
            List.of(
                new UsageRow("nightly", 1_200, 3, 7200, 14_400, 1800, 1.5),
                new UsageRow("\u001b[2J", 1, 0, 36, 36, 0, 0)),
            3,
            new UsageRow("total", 1_202, 3, 7300, 14_500, 1800, 1.5)));
    assertThat(run.run("usage", "--by", "task", "--since", "7d", "--until", "1d")).isZero();
    assertThat(cluster.asked()).containsExactly("GET /v1/usage?by=task&since=7d&until=1d");
    assertThat(run.output())
        .isEqualTo(
            """
            TASK      RUNS  FAILED  SLOT HOURS  CPU HOURS  MEMORY GB HOURS
            nightly  1,200       3        4.00       0.50             1.50
            \\x1b[2J      1       0        0.01       0.00             0.00
            total    1,202       3        4.03       0.50             1.50
            """);
    assertThat(run.messages()).contains("only the largest 2 of 3 are shown");
  }

  @Test
  void aUseThatIsTooSmallForTwoDecimalsIsNotShownAsNone() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.OWNER,
            "2026-03-01",
            "2026-03-08",
            "2025-02-01",
            List.of(new UsageRow("ann", 1, 0, 1, 17, 18, 0)),
            1,
            new UsageRow("total", 1, 0, 1, 17, 18, 0)));
    assertThat(run.run("usage")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            OWNER  RUNS  FAILED  SLOT HOURS  CPU HOURS  MEMORY GB HOURS
            ann       1       0       <0.01       0.01             0.00
            """);
  }

  @Test
  void aPeriodThatEndsBeforeItBeginsIsRefusedWithBothOptionsBeforeAnythingIsAsked() {
    assertThat(run.run("usage", "--since", "2026-02-10", "--until", "2026-02-09")).isEqualTo(2);
    assertThat(run.messages()).contains("--until: 2026-02-09 is before --since 2026-02-10");
    assertThat(run.run("usage", "--until", "2025-01-01")).isEqualTo(2);
    assertThat(run.messages()).contains("--until: 2025-01-01 is before --since 7d");
    assertThat(run.run("usage", "--since", "1d", "--until", "3d")).isEqualTo(2);
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anEmptyPeriodIsNamed() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.OWNER,
            "2026-03-01",
            "2026-03-08",
            "2025-02-01",
            List.of(),
            0,
            new UsageRow("total", 0, 0, 0, 0, 0, 0)));
    run.run("usage");
    assertThat(run.messages()).isEqualTo("nothing ran by owner from 2026-03-01 to 2026-03-08\n");
    assertThat(run.run("usage", "--by", "colour")).isEqualTo(2);
  }

  @Test
  void aServerThatDoesNotSayFromWhenFiguresAreKeptIsAskedWithoutTheNote() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.OWNER,
            "2025-02-01",
            "2026-03-08",
            null,
            List.of(new UsageRow("ann", 1, 0, 1, 17, 18, 0)),
            1,
            new UsageRow("total", 1, 0, 1, 17, 18, 0)));
    assertThat(run.run("usage", "--since", "2024-12-31")).isZero();
    assertThat(run.output()).contains("ann");
    assertThat(run.messages()).isEmpty();
  }

  @Test
  void daysOfWhichNoFiguresAreKeptAreNamed() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.OWNER,
            "2025-02-01",
            "2026-03-08",
            "2025-02-01",
            List.of(new UsageRow("ann", 1, 0, 1, 17, 18, 0)),
            1,
            new UsageRow("total", 1, 0, 1, 17, 18, 0)));
    run.run("usage", "--since", "2024-12-31");
    assertThat(run.messages())
        .isEqualTo("figures are kept from 2025-02-01 on; earlier days are not counted\n");
    CommandRun kept = new CommandRun(cluster);
    kept.run("usage", "--since", "2025-02-01");
    assertThat(kept.messages()).isEmpty();
    CommandRun json = new CommandRun(cluster);
    json.run("usage", "--since", "2024-12-31", "--json");
    assertThat(json.messages()).isEmpty();
    assertThat(json.output()).containsPattern("\"keptFrom\" *: *\"2025-02-01\"");
  }

  @Test
  void ofAPeriodBeforeTheFirstDayWithFiguresItIsNotSaidThatNothingRan() {
    cluster.answering(
        "GET /v1/usage",
        new UsageReport(
            UsageBy.OWNER,
            "2020-01-01",
            "2020-02-01",
            "2025-02-01",
            List.of(),
            0,
            new UsageRow("total", 0, 0, 0, 0, 0, 0)));
    assertThat(run.run("usage", "--since", "2020-01-01", "--until", "2020-02-01")).isZero();
    assertThat(run.messages())
        .isEqualTo("figures are kept from 2025-02-01 on; there are none of this period\n");
    CommandRun json = new CommandRun(cluster);
    json.run("usage", "--since", "2020-01-01", "--until", "2020-02-01", "--json");
    assertThat(json.output()).containsPattern("\"keptFrom\" *: *\"2025-02-01\"");
    assertThat(json.messages()).isEmpty();
  }
}
