package io.millrace.tests.partition.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.tests.drill.cluster.DrillProgress;
import io.millrace.tests.drill.cluster.FaultCell;
import io.millrace.tests.drill.cluster.FaultKind;
import io.millrace.tests.drill.cluster.FaultRole;
import io.millrace.tests.drill.cluster.FaultSelection;
import io.millrace.tests.drill.cluster.FaultTally;
import io.millrace.tests.partition.drill.Agent.Order;
import io.millrace.tests.server.SqlSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents of a group are killed and frozen in the middle of each cycle, several at a time, until the
 * given number of faults or minutes; not part of an ordinary build:
 *
 * <pre>
 * mvn package -Dtest=LongPartitionDrill -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dmillrace.drill.faults=100 -Dmillrace.drill.seed=1 -Dmillrace.drill.progress=FILE
 * </pre>
 *
 * <p>A fault counts if the agent held resources. A frozen agent resumes when the others have
 * finished the cycle without it, polls the rest of its batch and reports it.
 */
class LongPartitionDrill {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Map<FaultKind, Order> ORDER_OF =
      Map.of(FaultKind.KILL, Order.VANISH, FaultKind.SHORT_FREEZE, Order.FREEZE);
  private static final FaultSelection WANTED = FaultSelection.wanted();
  private static final List<Order> ORDERS =
      ORDER_OF.keySet().stream()
          .sorted()
          .filter(kind -> WANTED.takes(new FaultCell(kind, FaultRole.PARTITION_AGENT)))
          .map(ORDER_OF::get)
          .toList();

  private static final int MEMBERS = 8;
  private static final int MOST_VICTIMS = 4;
  private static final Duration LONG = Duration.ofMinutes(2);

  // None of these is lost because the machine is slow.
  private static final Duration PATIENT = Duration.ofMinutes(10);
  private static final Duration HASTY = Duration.ofSeconds(8);

  @TempDir private Path folder;

  @Test
  void resourcesOfKilledAndFrozenAgentsArePolledAtMostTwiceAndRecordedOnceInTheSameCycle()
      throws Exception {
    assertThat(ORDERS).as("faults of %s among %s", ORDER_OF.keySet(), WANTED).isNotEmpty();
    DrillProgress progress = DrillProgress.open("LongPartitionDrill");
    Random names = new Random(progress.seed() + progress.rounds());
    try (GroupOnManager group = new GroupOnManager(SCHEMA.settings(), folder, names)) {
      IntStream.range(0, MEMBERS).forEach(one -> group.group().join(group.name(), PATIENT));
      while (progress.goesOn()) {
        FaultTally tally = new FaultTally();
        try {
          cycle(group, new Random(progress.seed() + progress.rounds() + 1), tally);
        } catch (Exception | AssertionError e) {
          progress.violated(e);
          throw e;
        }
        progress.passed(tally);
      }
    } finally {
      System.out.println(progress);
    }
  }

  private static void cycle(GroupOnManager on, Random random, FaultTally tally) throws Exception {
    AgentGroup group = on.group();
    Map<Agent, Order> victims = new LinkedHashMap<>();
    int count = 1 + random.nextInt(MOST_VICTIMS);
    for (int i = 0; i < count; i++) {
      victims.put(group.join(on.name(), HASTY), ORDERS.get(random.nextInt(ORDERS.size())));
    }
    CycleJournal journal = new CycleJournal(1_000 + random.nextInt(4_000));
    Map<Agent, Future<?>> polling = group.beginByAgent(journal);
    journal.awaitMiddle(LONG);
    victims.forEach(Agent::order);
    List<Future<?>> others = new ArrayList<>();
    polling.forEach(
        (agent, future) -> {
          if (victims.get(agent) != Order.FREEZE) {
            others.add(future);
          }
        });
    group.end(others);
    victims.keySet().forEach(Agent::thaw);
    PartitionCycle ended = group.end(List.copyOf(polling.values()));
    judge(journal, ended, victims.keySet());
    victims.forEach(
        (agent, order) -> {
          FaultKind kind = order == Order.VANISH ? FaultKind.KILL : FaultKind.SHORT_FREEZE;
          boolean counted = !agent.dropped().isEmpty();
          tally.add(new FaultCell(kind, FaultRole.PARTITION_AGENT), counted);
          group.gone(agent);
          agent.leave();
        });
  }

  private static void judge(CycleJournal journal, PartitionCycle ended, Set<Agent> victims) {
    Set<String> dropped = new HashSet<>();
    victims.forEach(agent -> dropped.addAll(agent.dropped()));
    assertThat(journal.resources()).containsExactlyInAnyOrderElementsOf(GroupOnManager.RESOURCES);
    assertThat(journal.repeated().keySet()).as("polled twice").isSubsetOf(dropped);
    assertThat(journal.repeated().values()).allSatisfy(pollers -> assertThat(pollers).hasSize(2));
    assertThat(ended.total()).isEqualTo(GroupOnManager.RESOURCES.size());
    assertThat(ended.done()).as("recorded once").isEqualTo(ended.total());
    assertThat(ended.again()).as("assigned to another member").isEqualTo(dropped.size());
  }
}
