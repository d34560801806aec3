package io.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.bench.BenchOptions.CountConverter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobsBenchArgumentsTest {
  private final CommandRun run = new CommandRun(new FakeCluster());

  @ParameterizedTest
  @CsvSource({
    "--jobs 0,'--jobs must be from 1 to 1000000, not 0'",
    "--jobs 1000001,'--jobs must be from 1 to 1000000'",
    "--backlog 2M,'--backlog must be from 0 to 1000000, not 2000000'",
    "--backlog many,'is not a number such as 500, 10k or 1M'",
    "--backlog -1,'is not a number such as 500, 10k or 1M'",
    "--managers 0,'--managers must be from 1 to 5, not 0'",
    "--managers 3,'--managers: more than one require --store mysql'",
    "--nodes 0,'--nodes must be from 1 to 20'",
    "--slots 0,'--slots must be from 1 to 1000'",
    "--runs 0,'--runs must be from 1 to 100'",
    "--reference-at-a-time 0,'--reference-at-a-time must be from 1 to 1000, not 0'",
    "--store oracle,'oracle'",
    "--database jdbc:mysql://localhost/,'--database: also set --store mysql'",
    "--store mysql --database h2:mem,'--database: use jdbc:mysql://HOST:3306/, not h2:mem'",
    "--latency --backlog 10,'--backlog: --latency measures an idle cluster'",
  })
  void badOptionsAreRefusedWithTheSolution(String options, String message) {
    assertThat(bench(options)).isEqualTo(2);
    assertThat(run.messages()).startsWith("error: ").contains(message);
    assertThat(run.output()).isEmpty();
  }

  @Test
  void aMissingDatabaseServerIsReportedInOneLine() {
    assertThat(bench("--store mysql")).isEqualTo(2);
    assertThat(run.messages())
        .contains("--database jdbc:mysql://HOST:3306/")
        .contains("--database-user")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"0,0", "500,500", "1k,1000", "10K,10000", "1M,1000000"})
  void countsCanHaveAUnit(String text, int count) {
    assertThat(new CountConverter().convert(text)).isEqualTo(count);
  }

  private int bench(String options) {
    return run.run(("bench jobs " + options).split(" ", -1));
  }
}
