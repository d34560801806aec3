package io.millrace.tests.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.PartitionCoordinator;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.PartitionGroup.PartitionMember;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several agents of one group that share discovered resources through a running cluster. */
class AgentsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final List<String> RESOURCES =
      IntStream.range(0, 1000).mapToObj(number -> "vm-" + number).toList();

  private String group;
  private PartitionCoordinator one;
  private PartitionCoordinator two;
  private PartitionCoordinator three;

  @AfterEach
  void close() {
    Stream.of(one, two, three).filter(agent -> agent != null).forEach(PartitionCoordinator::close);
  }

  @Test
  void everyResourceBelongsToOneAgentAndJoinsAndLeavesMoveOnlyTheirShare() {
    group = "moving";
    one = started("one");
    two = started("two");
    List<String> before = one.mine(RESOURCES);
    assertThat(Stream.of(before, two.mine(RESOURCES)).flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(RESOURCES);
    three = started("three");
    List<String> after = one.mine(RESOURCES);
    assertThat(before).containsAll(after);
    assertThat(Stream.of(after, two.mine(RESOURCES), three.mine(RESOURCES)).flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(RESOURCES);
    three.close();
    assertThat(one.mine(RESOURCES)).isEqualTo(before);
  }

  @Test
  void aSilentAgentIsLostAndItsShareGoesToTheOthers() {
    group = "dying";
    one = started("one");
    two = agent("two");
    two.beat();
    assertThat(one.mine(RESOURCES)).hasSizeLessThan(RESOURCES.size());
    await().atMost(LONG).until(() -> one.mine(RESOURCES).size() == RESOURCES.size());
    assertThat(members()).containsExactly("one");
    assertThat(two.mine(RESOURCES)).as("it joins again when it resumes").isNotEmpty();
    assertThat(members()).containsExactly("one", "two");
  }

  @Test
  void aNewAgentWaitsForTheNextCycle() {
    group = "waiting";
    one = started("one");
    MineAnswer answer = one.mine(RESOURCES, Duration.ofDays(1));
    assertThat(answer.waits()).isTrue();
    assertThat(answer.resources()).isEmpty();
    assertThat(answer.cycle()).isNotNull();
  }

  @Test
  void onlyOneOfTwoProcessesWithTheSameNamePolls() {
    group = "twins";
    one = started("same");
    two = started("same");
    assertThat(two.mine(RESOURCES)).isEqualTo(RESOURCES);
    assertThatThrownBy(() -> one.mine(RESOURCES))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    one.close();
    assertThat(members())
        .as("the leave of the first process does not remove the second")
        .hasSize(1);
  }

  private PartitionCoordinator started(String name) {
    PartitionCoordinator agent = agent(name);
    agent.start();
    return agent;
  }

  private PartitionCoordinator agent(String name) {
    return new PartitionCoordinator(CLUSTER.central(Role.PRODUCER), group, name, TTL);
  }

  private List<String> members() {
    return CLUSTER.central().partitions().show(group).members().stream()
        .map(PartitionMember::name)
        .toList();
  }
}
