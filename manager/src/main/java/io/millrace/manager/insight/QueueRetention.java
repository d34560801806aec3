package io.millrace.manager.insight;

import io.millrace.manager.pacing.DecisionTable;
import io.millrace.manager.pacing.OverrideTable;
import io.millrace.manager.pacing.PacingStateTable;
import io.millrace.manager.pacing.RateTable;
import io.millrace.manager.weight.BalancingDecisionTable;
import io.millrace.manager.weight.WeightHistoryTable;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimStore;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;

/**
 * Forgets old samples, decisions and versions of weights, in short transactions, each under the
 * claim of its duty. A run ends well before its claim does; what is left is for the next.
 */
public final class QueueRetention {
  private static final Duration SAMPLES = Duration.ofDays(1);
  private static final Duration DECISIONS = Duration.ofDays(30);

  private final Database database;
  private final ClaimStore claims;

  public QueueRetention(Database database, ClaimStore claims) {
    this.database = database;
    this.claims = claims;
  }

  /** Forgets what is due, or a part of it; nothing more once the claim is lost. Blocks. */
  public void forget(Claim claim) {
    Instant now = database.now();
    RetentionRounds rounds = new RetentionRounds(database, handle -> claims.lock(handle, claim));
    database
        .read(SampleTable::queues)
        .forEach(
            queue ->
                rounds.add(handle -> SampleTable.forgetSome(handle, queue, now.minus(SAMPLES))));
    Instant before = now.minus(DECISIONS);
    rounds
        .add(handle -> DecisionTable.forgetSome(handle, before))
        .add(handle -> BalancingDecisionTable.forgetSome(handle, before))
        .add(handle -> WeightHistoryTable.forgetSome(handle, before))
        .add(handle -> OverrideTable.forgetSome(handle, before))
        .add(handle -> PacingStateTable.forgetSome(handle, before))
        .add(handle -> RateTable.forgetSome(handle, before))
        .run();
  }
}
