package io.millrace.manager.queue;

import io.millrace.manager.queue.store.BalancingDecisionTable;
import io.millrace.manager.queue.store.DecisionTable;
import io.millrace.manager.queue.store.OverrideTable;
import io.millrace.manager.queue.store.SampleTable;
import io.millrace.manager.queue.store.WeightHistoryTable;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/**
 * Forgets old samples, decisions and versions of weights, in short transactions; runs as a claimed
 * duty.
 */
final class QueueRetention {
  private static final Duration SAMPLES = Duration.ofDays(1);
  private static final Duration DECISIONS = Duration.ofDays(30);

  /** A run ends well before its claim does; what is left is for the next. */
  private static final int CHUNKS_PER_RUN = 20;

  private final Database database;
  private final QueueDefinitions definitions;

  QueueRetention(Database database, QueueDefinitions definitions) {
    this.database = database;
    this.definitions = definitions;
  }

  /** Forgets what is due, or a part of it. Blocks. */
  void forget() {
    Instant now = database.now();
    definitions
        .all()
        .forEach(queue -> forgetSamples(queue.definition().name(), now.minus(SAMPLES)));
    Instant before = now.minus(DECISIONS);
    forget(handle -> DecisionTable.forgetSome(handle, before));
    forget(handle -> BalancingDecisionTable.forgetSome(handle, before));
    forget(handle -> WeightHistoryTable.forgetSome(handle, before));
    forget(handle -> OverrideTable.forgetSome(handle, before));
  }

  private void forgetSamples(String queue, Instant before) {
    forget(handle -> SampleTable.forgetSome(handle, queue, before));
  }

  /** Each chunk in a transaction of its own. */
  private void forget(Predicate<Handle> some) {
    boolean more = true;
    for (int chunk = 0; more && chunk < CHUNKS_PER_RUN; chunk++) {
      more = database.transaction(some::test);
    }
  }
}
