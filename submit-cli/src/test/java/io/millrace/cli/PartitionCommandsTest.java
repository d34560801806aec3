package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.api.partition.PartitionGroup.PartitionMember;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionCommandsTest {
  private static final Instant LONG_AGO = Instant.EPOCH;
  private static final PartitionGroup GROUP =
      new PartitionGroup(
          "compute-h1-discovery",
          9,
          List.of(
              new PartitionMember("a1", 4, Duration.ofSeconds(10), LONG_AGO, LONG_AGO),
              new PartitionMember("a2", 9, Duration.ofSeconds(10), LONG_AGO, LONG_AGO)),
          List.of(new PartitionCycle(7, LONG_AGO, Duration.ofMinutes(1), 500, 498, 3)));

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void groupsAreListedWithTheirMembers() {
    cluster.answering("GET /v1/partitions", List.of(GROUP));
    assertThat(run.run("partition", "list")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            GROUP                 REVISION  LIVING  MEMBERS
            compute-h1-discovery         9       2  a1 a2
            """);
  }

  @Test
  void membersOfAGroupAreShown() {
    cluster.answering("GET /v1/partitions/compute-h1-discovery", GROUP);
    assertThat(run.run("partition", "show", "compute-h1-discovery")).isZero();
    assertThat(run.output().lines().map(String::strip))
        .anyMatch(line -> line.startsWith("MEMBER") && line.endsWith("LOST AFTER"))
        .anyMatch(line -> line.startsWith("a1") && line.endsWith("10.0s"))
        .anyMatch(line -> line.startsWith("a2"));
  }

  @Test
  void cyclesOfAGroupAreShown() {
    cluster.answering("GET /v1/partitions/compute-h1-discovery", GROUP);
    assertThat(run.run("partition", "cycles", "compute-h1-discovery")).isZero();
    assertThat(run.output().lines().map(line -> line.strip().replaceAll(" +", " ")))
        .anyMatch(line -> line.equals("CYCLE BEGAN EVERY RESOURCES DONE AGAIN"))
        .anyMatch(line -> line.startsWith("7 ") && line.endsWith(" 1m00s 500 498 3"));
  }
}
