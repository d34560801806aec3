package io.millrace.simulator.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.simulator.containers.CapacityComparison.ConsumersDay;
import io.millrace.simulator.containers.CapacityDay.TaskType;
import io.millrace.simulator.containers.CapacityResult.CapacitySample;
import io.millrace.simulator.containers.ConsumerNode.Container;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Solution A does what the publication says of it. */
class ContainersArrangementTest {
  private static final int HOUR = 3600;

  private final CapacityDay day = CapacityDay.usual();
  private final ContainerSettings settings = ContainerSettings.usual();

  private ConsumerCluster cluster(List<TaskType> types) {
    return new ConsumerCluster(day, types, 1);
  }

  private static void pass(ConsumerCluster cluster, Arrangement arrangement, int from, int until) {
    IntStream.range(from, until)
        .forEach(
            second -> {
              arrangement.decide(cluster, second);
              cluster.pass(second);
            });
  }

  private static long holders(ConsumerCluster cluster, int type) {
    return cluster.nodes().stream().filter(node -> node.count(type) > 0).count();
  }

  @Test
  void aContainerIsAFixedSetOfConsumers_H260() {
    ConsumerCluster cluster = cluster(day.types());
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    arrangement.begin(cluster);

    pass(cluster, arrangement, 0, 8 * HOUR);

    assertThat(cluster.nodes())
        .flatExtracting(ConsumerNode::containers)
        .isNotEmpty()
        .allSatisfy(one -> assertThat(one.consumers()).isEqualTo(settings.consumers()));
  }

  @Test
  void aNodeThatIsTooBusyMovesAWholeContainer_H261() {
    // Two nodes hold everything, and both would have to work more than they can.
    ConsumerCluster cluster = cluster(List.of(new TaskType("alert", 400, 1, false)));
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    for (int node = 0; node < 2; node++) {
      for (int i = 0; i < 5; i++) {
        cluster.nodes().get(node).containers().add(new Container(0, settings.consumers(), 0));
      }
    }
    pass(cluster, new Idle(), 10 * HOUR, 10 * HOUR + 60);
    assertThat(cluster.nodes().get(0).state()).isEqualTo(NodeState.TOOBUSY);
    int before = cluster.held();

    while (cluster.moves() == 0) {
      arrangement.decide(cluster, 10 * HOUR + 60);
    }

    assertThat(cluster.held() - cluster.starts() * settings.consumers()).isEqualTo(before);
    assertThat(cluster.nodes().subList(2, 8)).anyMatch(node -> node.count(0) > 0);
  }

  @Test
  void aContainerThatFitsNowhereElseStays_H261() {
    ConsumerCluster cluster = cluster(List.of(new TaskType("alert", 2000, 1, false)));
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    for (ConsumerNode node : cluster.nodes()) {
      for (int i = 0; i < day.slots(); i++) {
        node.containers().add(new Container(0, settings.consumers(), 0));
      }
    }
    pass(cluster, new Idle(), 10 * HOUR, 10 * HOUR + 60);

    pass(cluster, arrangement, 10 * HOUR + 60, 10 * HOUR + 600);

    assertThat(cluster.moves()).isZero();
    assertThat(cluster.held()).isEqualTo(day.nodes() * day.slots() * settings.consumers());
  }

  @Test
  void aKindWhoseContainersMostlyRequestCapacityGetsAnother_H262() {
    ConsumerCluster cluster = cluster(List.of(new TaskType("alert", 100, 1, false)));
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    arrangement.begin(cluster);

    // 40 events a second are all that two containers can do; at noon come 77.
    pass(cluster, arrangement, 0, 8 * HOUR);

    assertThat(cluster.starts()).isPositive();
    assertThat(cluster.waiting(0)).isLessThan(1000);
  }

  @Test
  void aKindThatKeepsUpGetsNoFurtherContainer_H262() {
    ConsumerCluster cluster = cluster(List.of(new TaskType("sms", 20, 1, false)));
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    arrangement.begin(cluster);

    pass(cluster, arrangement, 0, 12 * HOUR);

    assertThat(cluster.starts()).as("but for the two of the lost node").isLessThanOrEqualTo(2);
  }

  @Test
  void aLostContainerIsRestartedElsewhereSoThatTwoNodesRunEachKind_H263() {
    ConsumerCluster cluster = cluster(day.types());
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    arrangement.begin(cluster);
    int loss = (int) day.lossFrom();
    pass(cluster, arrangement, 0, loss);
    pass(cluster, arrangement, loss, loss + (int) day.noticed() + 2 * 60);

    assertThat(cluster.nodes().get(0).alive()).isFalse();
    assertThat(IntStream.range(0, day.types().size()))
        .allSatisfy(type -> assertThat(holders(cluster, type)).isGreaterThanOrEqualTo(2));
  }

  @Test
  void aSingleInstanceExistsOnceAndIsRestarted_H263() {
    ConsumerCluster cluster = cluster(List.of(new TaskType("singleton", 200, 1, true)));
    Arrangement arrangement = new ContainersArrangement(settings, 1);
    arrangement.begin(cluster);
    assertThat(holders(cluster, 0)).isEqualTo(1);
    assertThat(cluster.nodes().get(0).count(0)).isEqualTo(1);

    int loss = (int) day.lossFrom();
    pass(cluster, arrangement, 0, loss + (int) day.noticed() + 2 * 60);

    assertThat(cluster.nodes().get(0).count(0)).isZero();
    assertThat(holders(cluster, 0)).isEqualTo(1);
    assertThat(cluster.held()).isEqualTo(settings.consumers());
  }

  @Test
  void capacityIsKeptUntilNight_H264() {
    ConsumersDay passed = new ConsumersDay(day, new ContainersArrangement(settings, 1), 1);
    passed.run();
    List<CapacitySample> samples = passed.samples();
    double evening = at(samples, 17 * HOUR).held();

    // At 21:00 the day's peak is over for five hours and nothing was given back.
    assertThat(evening).isGreaterThan(2 * at(samples, 17 * HOUR).needed());
    assertThat(at(samples, 24 * HOUR - 240).held()).isLessThan(0.7 * evening);
  }

  private static CapacitySample at(List<CapacitySample> samples, int second) {
    return samples.stream().filter(one -> one.second() >= second).findFirst().orElseThrow();
  }

  /** Decides nothing. */
  private static final class Idle implements Arrangement {
    @Override
    public String name() {
      return "idle";
    }

    @Override
    public void begin(ConsumerCluster cluster) {}

    @Override
    public void decide(ConsumerCluster cluster, long step) {}
  }
}
