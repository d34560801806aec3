package io.millrace.platform.claim;

import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/**
 * Deletions that share one duty: in each round every deletion gets one bounded transaction, so that
 * neither a long nor a failing one keeps the others from running.
 *
 * <p>Not thread-safe; made for one run. A run ends after {@value #MOST_ROUNDS} rounds, what is left
 * then is for the next one.
 */
public final class RetentionRounds {
  private static final int MOST_ROUNDS = 400;

  /** One bounded piece of a deletion. */
  @FunctionalInterface
  public interface Step {
    /** Deletes a piece in the caller's transaction; whether there may be more of it. */
    boolean deleteSome(Handle handle);
  }

  private final Database database;
  private final Predicate<Handle> allowed;
  private final List<Step> steps = new ArrayList<>();

  /**
   * Rounds without a deletion yet.
   *
   * @param allowed asked first in each transaction, such as for the lock of a claim; once it says
   *     no, nothing more is deleted
   */
  public RetentionRounds(Database database, Predicate<Handle> allowed) {
    this.database = database;
    this.allowed = allowed;
  }

  /** Adds a deletion. */
  public RetentionRounds add(Step step) {
    steps.add(step);
    return this;
  }

  /**
   * Runs all of them; blocks for as long as that takes. A deletion that fails is left out of the
   * further rounds.
   *
   * @throws RuntimeException the first failure, with the others suppressed, after all have run
   */
  public void run() {
    List<Step> unfinished = new ArrayList<>(steps);
    RuntimeException failure = null;
    for (int round = 0; round < MOST_ROUNDS && !unfinished.isEmpty(); round++) {
      Iterator<Step> each = unfinished.iterator();
      while (each.hasNext() && !Thread.currentThread().isInterrupted()) {
        Step step = each.next();
        try {
          if (!database.transaction(handle -> allowed.test(handle) && step.deleteSome(handle))) {
            each.remove();
          }
        } catch (RuntimeException failed) {
          each.remove();
          failure = joined(failure, failed);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException joined(RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    if (!first.equals(next)) {
      first.addSuppressed(next);
    }
    return first;
  }
}
