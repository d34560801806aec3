package io.millrace.manager.definition;

import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** What the deletion of a kind of definition does to its work. Thread-safe. */
public interface DefinitionRemoval {
  /** The kind's keyword. */
  String kind();

  /**
   * Decides how a definition is deleted, in the transaction that records it and holds the lock of
   * its version in force.
   *
   * @param mode asked for; null if nothing may be lost or stopped
   * @param before the deletion in progress; null for none
   * @throws io.millrace.api.MillraceException CONFLICT if there is work that the mode does not say
   *     what becomes of, or INVALID_REQUEST if it says what this kind does not know
   */
  RemovalPlan plan(Handle handle, DefinitionRow inForce, DeletionMode mode, DeletionRow before);

  /** Does what the plan means for the present, after it was recorded in the same transaction. */
  void begin(Handle handle, DeletionRow begun, Instant now);

  /** Goes on with a deletion that is not done; called again and again. Blocks on the database. */
  void advance(DeletionRow open);

  /** What a deletion that is not done waits for, human-readable. Blocks on the database. */
  List<String> waitsFor(DeletionRow open);

  /**
   * Removes what was added to a definition after its deletion by somebody who had read it before;
   * called repeatedly for a while after the end.
   */
  void tidy(Handle handle, DeletionRow done);

  /**
   * The highest version that servers refuse as deleted, 0 for none; higher than any known version
   * if the database was restored from before the deletion.
   */
  default int lastRefused(Handle handle, String name) {
    return 0;
  }

  /**
   * How a definition is deleted.
   *
   * @param mode what becomes of its work
   * @param state how far that is at once
   * @param dropped events that are dropped, as last reported
   * @param work what the definition has to do, human-readable
   */
  record RemovalPlan(DeletionMode mode, DeletionState state, long dropped, List<String> work) {}
}
