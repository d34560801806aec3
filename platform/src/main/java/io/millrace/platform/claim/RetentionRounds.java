package io.millrace.platform.claim;

import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/**
 * Deletions that share one duty: in each round every deletion gets one bounded transaction, so that
 * neither a long nor a failing deletion prevents the others.
 *
 * <p>Not thread-safe; used for one run. A run ends after {@value #MOST_ROUNDS} rounds; the rest is
 * left to the next run.
 */
public final class RetentionRounds {
  private static final int MAX_ROUNDS = 400;

  /** One bounded piece of a deletion. */
  @FunctionalInterface
  public interface Step {
    /** Deletes a piece in the caller's transaction; returns whether there may be more. */
    boolean deleteSome(Handle handle);
  }

  private final Database database;
  private final Predicate<Handle> allowed;
  private final List<Step> steps = new ArrayList<>();

  /**
   * Rounds without deletions.
   *
   * @param allowed checked first in each transaction, for instance by locking a claim; once it
   *     returns false, nothing more is deleted
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
   * Runs all deletions; blocks until they are done. A deletion that fails is omitted from the
   * following rounds.
   *
   * @throws RuntimeException the first failure, with the others suppressed, after all have run
   */
  public void run() {
    List<Step> unfinished = new ArrayList<>(steps);
    RuntimeException failure = null;
    for (int round = 0; round < MAX_ROUNDS && !unfinished.isEmpty(); round++) {
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
