package io.millrace.manager.deletion;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionRemoval;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Deletes definitions that are only stored, such as those of jobs: a job that was submitted with
 * one is not changed. Stateless.
 *
 * @param kind the kind's keyword
 */
public record StoredOnlyRemoval(String kind) implements DefinitionRemoval {
  @Override
  public RemovalPlan plan(
      Handle handle, DefinitionRow inForce, DeletionMode mode, DeletionRow before) {
    if (mode != null && mode != DeletionMode.NONE) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a %s is deleted without a mode, not with %s".formatted(kind, mode));
    }
    return new RemovalPlan(DeletionMode.NONE, DeletionState.DELETED, 0, List.of());
  }

  @Override
  public void begin(Handle handle, DeletionRow begun, Instant now) {
    // Nothing else is known of it.
  }

  @Override
  public void advance(DeletionRow open) {
    // It is deleted at once.
  }

  @Override
  public List<String> waitsFor(DeletionRow open) {
    return List.of();
  }

  @Override
  public void tidy(Handle handle, DeletionRow done) {
    // Nothing is added to it.
  }
}
