package io.millrace.queuenode.agent;

import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import io.millrace.queuenode.balancing.BalancingMemory;
import io.millrace.queuenode.balancing.BalancingPolicy;
import io.millrace.queuenode.balancing.BalancingSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A policy that always wants what it is told to want, and keeps what it was given. */
final class ScriptedPolicy implements BalancingPolicy {
  static final WeightMove MOVE = new WeightMove("alert", 4, "q1", "q2", 180);

  BalancingMemory carriedOut = memory(null);

  final BalancingMemory refused = memory(null);
  final List<BalancingMemory> given = new ArrayList<>();
  BalancingKind wanted = BalancingKind.SHED;
  boolean draining;

  /** A memory with a shortage; told from others by identity. */
  static BalancingMemory memory(String shortage) {
    BalancingMemory empty = BalancingMemory.EMPTY;
    return new BalancingMemory(
        empty.history(),
        empty.ticksOver(),
        empty.awaited(),
        shortage,
        empty.shortageRecordedNanos(),
        empty.selectionNanos());
  }

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public BalancingDecision decide(
      String self,
      boolean drainingNow,
      BalancingSnapshot snapshot,
      BalancingMemory memory,
      long nowNanos,
      RandomGenerator random) {
    given.add(memory);
    draining = drainingNow;
    List<PlannedMove> moves =
        wanted == null || wanted == BalancingKind.SHORTAGE
            ? List.of()
            : List.of(new PlannedMove(MOVE, 0.2));
    return new BalancingDecision(wanted, moves, "q1 at 0.81 > 0.70", carriedOut, refused);
  }
}
