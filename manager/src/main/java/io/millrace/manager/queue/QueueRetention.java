package io.millrace.manager.queue;

import io.millrace.manager.queue.store.BalancingDecisionTable;
import io.millrace.manager.queue.store.DecisionTable;
import io.millrace.manager.queue.store.OverrideTable;
import io.millrace.manager.queue.store.PacingStateTable;
import io.millrace.manager.queue.store.RateTable;
import io.millrace.manager.queue.store.SampleTable;
import io.millrace.manager.queue.store.WeightHistoryTable;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;

/**
 * Forgets old samples, decisions and versions of weights, in short transactions; runs as a claimed
 * duty.
 */
final class QueueRetention {
  private static final Duration SAMPLES = Duration.ofDays(1);
  private static final Duration DECISIONS = Duration.ofDays(30);

  /** A run ends well before its claim does; what is left is for the next. */
  private final Database database;

  QueueRetention(Database database) {
    this.database = database;
  }

  /** Forgets what is due, or a part of it. Blocks. */
  void forget() {
    Instant now = database.now();
    RetentionRounds rounds = new RetentionRounds(database, handle -> true);
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
