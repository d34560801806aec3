package io.millrace.manager.partitioning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 200 cycles of 10,000 resources, with members that come and go in the midst of them. */
class ManyCyclesTest {
  private static final int CYCLES = 200;
  private static final int BATCH = 100;
  private static final List<String> RESOURCES =
      IntStream.range(0, 10_000).mapToObj(number -> "host-" + number).toList();

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void whoComesAndGoesInPeaceCausesNoSecondPollAndNoGap(long seed) {
    World world = new World(seed, false);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      Map<String, Integer> polls = world.run(cycle);
      assertThat(polls).hasSize(RESOURCES.size());
      assertThat(polls.values()).allMatch(count -> count == 1);
      assertThat(world.recorded).hasSize(RESOURCES.size());
    }
    assertThat(world.joins).isGreaterThan(CYCLES / 4);
    assertThat(world.leaves).isGreaterThan(CYCLES / 4);
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void afterAKillOnlyWhatWasInFlightIsPolledTwiceAndAllIsRecordedOnce(long seed) {
    World world = new World(seed, true);
    long again = 0;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      Map<String, Integer> polls = world.run(cycle);
      assertThat(polls).hasSize(RESOURCES.size());
      polls.forEach(
          (resource, count) ->
              assertThat(count).as(resource).isEqualTo(1 + world.cutOff.getOrDefault(resource, 0)));
      assertThat(world.recorded).hasSize(RESOURCES.size());
      again += polls.values().stream().filter(count -> count > 1).count();
    }
    assertThat(world.killed).isGreaterThan(CYCLES / 4);
    assertThat(again).isPositive();
  }

  @Test
  void oneKillInACycleHasEachResourcePolledTwiceAtMost() {
    List<Member> ten = IntStream.range(0, 10).mapToObj(one -> new Member("m" + one, one)).toList();
    CycleLedger ledger = new CycleLedger(1, RESOURCES, ten);
    ten.forEach(member -> ledger.take(member, BATCH));
    ledger.lose(ten.get(0));
    List<Assignment> rest = new ArrayList<>();
    ten.forEach(member -> rest.addAll(ledger.take(member, RESOURCES.size())));
    assertThat(rest.stream().filter(one -> one.number() == 2)).hasSize(BATCH);
    assertThat(rest).allMatch(one -> one.number() <= 2).hasSize(RESOURCES.size() - 9 * BATCH);
  }

  /** Ten members or so that poll in batches, told what happens by a seeded random number. */
  private static final class World {
    private final Random random;
    private final boolean kills;
    private final List<Member> living = new ArrayList<>();
    private long term;
    private int joins;
    private int leaves;
    private int killed;
    // Of one cycle:
    private final Set<String> recorded = new HashSet<>();
    private final Map<String, Integer> cutOff = new HashMap<>();
    private final Map<String, Integer> polls = new HashMap<>();
    private final Map<Member, Deque<Assignment>> hands = new HashMap<>();

    World(long seed, boolean kills) {
      this.random = new Random(seed);
      this.kills = kills;
      IntStream.range(0, 10).forEach(one -> living.add(born()));
    }

    Map<String, Integer> run(long cycle) {
      recorded.clear();
      cutOff.clear();
      polls.clear();
      hands.clear();
      CycleLedger ledger = new CycleLedger(cycle, RESOURCES, living);
      while (!ledger.finished()) {
        if (random.nextInt(100) == 0) {
          change(ledger);
        }
        step(ledger);
      }
      assertThat(ledger.inFlight()).isZero();
      return polls;
    }

    // One of those that hold something, or could get something, does a batch's begin or end.
    private void step(CycleLedger ledger) {
      List<Member> able = new ArrayList<>(living);
      hands.keySet().stream().filter(member -> !living.contains(member)).forEach(able::add);
      Member member = able.get(random.nextInt(able.size()));
      Deque<Assignment> held = hands.computeIfAbsent(member, one -> new ArrayDeque<>());
      if (held.isEmpty() && living.contains(member)) {
        for (Assignment assignment : ledger.take(member, BATCH)) {
          polls.merge(assignment.resource(), 1, Integer::sum);
          held.add(assignment);
        }
      } else {
        while (!held.isEmpty()) {
          Assignment assignment = held.poll();
          assertThat(ledger.done(assignment)).isTrue();
          assertThat(recorded.add(assignment.resource())).as("recorded once").isTrue();
        }
        hands.remove(member);
      }
    }

    private void change(CycleLedger ledger) {
      boolean joins = living.size() <= 5 || (living.size() < 15 && random.nextBoolean());
      if (joins) {
        Member member = born();
        living.add(member);
        ledger.join(member);
        this.joins++;
        return;
      }
      Member member = living.remove(random.nextInt(living.size()));
      if (kills && random.nextBoolean()) {
        kill(ledger, member);
      } else {
        ledger.leave(member);
        leaves++;
      }
    }

    private void kill(CycleLedger ledger, Member member) {
      ledger.lose(member);
      killed++;
      Deque<Assignment> held = hands.remove(member);
      if (held != null) {
        held.forEach(one -> cutOff.merge(one.resource(), 1, Integer::sum));
        // It may have been frozen and not dead: what it says later counts for nothing.
        assertThat(held).noneMatch(ledger::done);
      }
    }

    private Member born() {
      term++;
      return new Member("agent-" + random.nextInt(1_000_000) + "-" + term, term);
    }
  }
}
