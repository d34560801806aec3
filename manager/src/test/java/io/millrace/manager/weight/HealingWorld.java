package io.millrace.manager.weight;

import io.millrace.manager.node.QueueNodeLoss;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** One central manager's healing over a world's database, without threads. */
final class HealingWorld {
  static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(10);

  final ClaimDao claims;
  final AtomicInteger hints = new AtomicInteger();
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final WeightHealing healing;

  HealingWorld(QueueWorld world) {
    claims = new ClaimDao(world.database);
    healing =
        new WeightHealing(
            world.database,
            claims,
            "c1",
            world.weights,
            world.queues,
            world.queueNodes,
            new QueueNodeLoss(
                world.database,
                claims,
                clock,
                new WriteProof(world.database, clock),
                QueueWorld.LEASE,
                GRACE),
            hints::incrementAndGet);
  }

  /** The claim, taken or renewed for somebody. */
  Claim claim(String claimant) {
    return claims.acquireOrRenew("heal-weights", claimant, LONG).orElseThrow();
  }

  /** One run under the claim. */
  void heal(Claim claim) {
    healing.observe();
    healing.run(claim);
  }

  /** Looks until a node that says nothing is lost, and once more. */
  void settle(Claim claim) {
    settle(claim, QueueWorld.LEASE.plus(GRACE));
  }

  /** Looks for so long, several times in a lease, and once more. */
  void settle(Claim claim, Duration time) {
    Duration step = QueueWorld.LEASE.dividedBy(3).plusMillis(1);
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
      heal(claim);
      clock.advance(step);
    }
    heal(claim);
  }
}
