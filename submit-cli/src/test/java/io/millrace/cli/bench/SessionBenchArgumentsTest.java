package io.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionBenchArgumentsTest {
  private final CommandRun run = new CommandRun(new FakeCluster());

  @ParameterizedTest
  @CsvSource({
    "--events 13,'--events must be from 14 to 20000000, not 13'",
    "--events many,'is not a number such as 500, 10k or 1M'",
    "--events-per-session 0,'--events-per-session must be from 1 to 10000, not 0'",
    "--batch 0,'--batch must be from 1 to 10000, not 0'",
    "--runs 0,'--runs must be from 1 to 100, not 0'",
    "--producers 0,'--producers must be from 1 to 1000, not 0'",
    "--workers 0,'--workers must be from 1 to 1000, not 0'",
    "--duplicates 0.6,'--duplicates must be from 0 to 0.5, not 0.6'",
    "--duplicates -0.1,'--duplicates must be from 0 to 0.5, not -0.1'",
    "--open 0,'--open must be from 1 to 20000000, not 0'",
    "--open 10 --events-open 0,'--events-open must be from 1 to 1000, not 0'",
    "--open 10 --probes 0,'--probes must be from 1 to 20000000, not 0'",
    "--overload --cap 0,'--cap must be from 1 to 20000000, not 0'",
    "--open 10 --overload,'--open, --overload, --from: use only one of them'",
    "--open 10 --events 100,'--events: --open and --from say what is sent'",
    "--from /no/such/file,'--from: cannot read /no/such/file'",
    "--key jobId,'--key: use a JSON pointer such as /orderId, not jobId'",
    "--id x,'--id: use a JSON pointer such as /orderId, not x'",
    "--previous x,'--previous: use a JSON pointer such as /orderId, not x'",
    "--kill-every 5s,'--kill-every: also set --from FILE'",
    "--rate 5,'--rate: also set --from FILE'",
    "--from pom.xml --rate 0,'--rate must be from 1 to 1000000, not 0'",
    "--from pom.xml --kill-every 10ms,'--kill-every: use at least 1s'",
    "--heap much,'--heap: use a size such as 512m or 2g'",
    "--durability paper,'paper'",
  })
  void badOptionsAreRefusedWithTheSolution(String options, String message) {
    assertThat(bench(options)).isEqualTo(2);
    assertThat(run.messages()).startsWith("error: ").contains(message);
    assertThat(run.output()).isEmpty();
  }

  @Test
  void aFileThatHoldsNoEventsIsRefusedWithTheLine() {
    assertThat(bench("--from pom.xml")).isEqualTo(2);
    assertThat(run.messages()).contains("error: line 1 of pom.xml is not JSON");
  }

  private int bench(String options) {
    return run.run(("bench session " + options).split(" ", -1));
  }
}
