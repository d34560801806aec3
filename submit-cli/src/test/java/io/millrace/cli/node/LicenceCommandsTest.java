package io.millrace.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Licence;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class LicenceCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aTotalOfZeroRemovesALicenceThatNobodyHolds() {
    set(0, 0);
    assertThat(run.output()).isEqualTo("licence solver removed\n");
  }

  @Test
  void aLicenceInUseIsNotRemovedYet() {
    set(0, 2);
    assertThat(run.output())
        .isEqualTo(
            "licence solver: total 0, in use 2; repeat this to remove it once none is in use\n");
  }

  @Test
  void theTotalIsSet() {
    set(5, 2);
    assertThat(run.output()).isEqualTo("licence solver: total 5, in use 2\n");
  }

  private void set(int total, int used) {
    cluster.answering("PUT /v1/licences/solver", new Licence("solver", total, used, List.of()));
    assertThat(run.run("licence", "set", "solver", "--total", Integer.toString(total))).isZero();
  }
}
