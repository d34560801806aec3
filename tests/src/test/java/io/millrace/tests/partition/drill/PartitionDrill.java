package io.millrace.tests.partition.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.partition.drill.Agent.Order;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * About ten agents share 10,000 resources through the API of a central manager, while members join,
 * leave and vanish at random; a subclass provides the database. The short form runs some cycles on
 * an embedded one; in full, on both:
 *
 * <pre>
 * mvn test -Pdrills -pl tests -am -Dtest='*PartitionDrill*' -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dpartition.cycles=200 -Dpartition.kills=40
 * </pre>
 */
@Tag("drill")
abstract class PartitionDrill {
  private static final long SEED = Long.getLong("partition.seed", 1);
  private static final int CYCLES = Integer.getInteger("partition.cycles", 4);
  private static final int KILLS = Integer.getInteger("partition.kills", 1);
  private static final int FEWEST = 8;
  private static final int MOST = 12;
  private static final int MEMBERS = 10;
  private static final Duration LONG = Duration.ofMinutes(2);

  // None of these is lost because the machine is slow.
  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration HASTY = Duration.ofSeconds(6);

  private static final List<String> RESOURCES = GroupOnManager.RESOURCES;

  @TempDir private Path folder;
  private final Random random = new Random(SEED);
  private final ResourceMoves movement = new ResourceMoves();
  private GroupOnManager groupOnManager;
  private AgentGroup group;
  private int joins;
  private int leaves;

  /** The database of the central manager. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void start() throws Exception {
    groupOnManager = new GroupOnManager(settings(), folder, random);
    group = groupOnManager.group();
    IntStream.range(0, MEMBERS).forEach(one -> group.join(name(), PATIENT));
  }

  @AfterEach
  void stop() {
    if (groupOnManager != null) {
      groupOnManager.close();
    }
  }

  private String name() {
    return groupOnManager.name();
  }

  @Test
  void everyResourceIsPolledExactlyOncePerCycleWhileMembersJoinAndLeave() throws Exception {
    long began = System.nanoTime();
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      boolean within = random.nextBoolean();
      if (!within) {
        changeBetweenCycles();
      }
      int members = group.agents().size();
      CycleJournal journal = new CycleJournal(1_000 + random.nextInt(7_000));
      List<Future<?>> polling = group.begin(journal);
      if (within) {
        journal.awaitMiddle(LONG);
        changeWithinCycle();
      }
      PartitionCycle ended = group.end(polling);
      assertThat(CycleChecker.violations(RESOURCES, journal, ended, null, List.of()))
          .as("cycle %d", cycle)
          .isEmpty();
      if (!within) {
        movement.settled(journal.pollers(), members);
      }
    }
    System.out.printf(
        "%s: %d cycles of %d resources in %.0f s, %d joins, %d leaves: each polled once;"
            + " moved at most %.2f of the ideal, largest share %.2f of the mean%n",
        getClass().getSimpleName(),
        CYCLES,
        RESOURCES.size(),
        (System.nanoTime() - began) / 1e9,
        joins,
        leaves,
        movement.mostMoved(),
        movement.worstLoad());
    assertThat(joins + leaves).isEqualTo(CYCLES);
    assertThat(movement.mostMoved()).isPositive().isLessThanOrEqualTo(1.5);
    assertThat(movement.worstLoad()).isGreaterThanOrEqualTo(1).isLessThanOrEqualTo(1.25);
  }

  @Test
  void resourcesOfAVanishedMemberArePolledAtMostTwiceAndRecordedOnceInTheSameCycle()
      throws Exception {
    long began = System.nanoTime();
    int twice = 0;
    int dropped = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Agent victim = group.join(name(), HASTY);
      CycleJournal journal = new CycleJournal(1_000 + random.nextInt(6_000));
      List<Future<?>> polling = group.begin(journal);
      journal.awaitMiddle(LONG);
      victim.order(Order.VANISH);
      PartitionCycle ended = group.end(polling);
      group.gone(victim);
      assertThat(
              CycleChecker.violations(RESOURCES, journal, ended, victim.name(), victim.dropped()))
          .as("after %s vanished", victim.name())
          .isEmpty();
      twice += journal.repeated().size();
      dropped += victim.dropped().size();
    }
    System.out.printf(
        "%s: %d members vanished in %.0f s that held %d resources, %d were polled twice,"
            + " all recorded once in the same cycle%n",
        getClass().getSimpleName(), KILLS, (System.nanoTime() - began) / 1e9, dropped, twice);
    assertThat(twice).isPositive();
  }

  private void changeBetweenCycles() {
    int members = group.agents().size();
    if (joinsNext()) {
      movement.joined(members, RESOURCES.size());
      group.join(name(), PATIENT);
    } else {
      Agent agent = leaver(members);
      agent.leave();
      group.gone(agent);
    }
  }

  private void changeWithinCycle() {
    int members = group.agents().size();
    if (joinsNext()) {
      movement.joined(members, RESOURCES.size());
      NextAnswer answer = group.ask(group.join(name(), PATIENT));
      assertThat(answer.waits()).isTrue();
      assertThat(answer.resources()).isEmpty();
    } else {
      Agent agent = leaver(members);
      agent.order(Order.LEAVE);
      group.gone(agent);
    }
  }

  private boolean joinsNext() {
    int members = group.agents().size();
    boolean joining = members <= FEWEST || (members < MOST && random.nextBoolean());
    if (joining) {
      joins++;
    } else {
      leaves++;
    }
    return joining;
  }

  private Agent leaver(int members) {
    movement.gone(members, RESOURCES.size());
    return group.agents().get(random.nextInt(members));
  }
}
