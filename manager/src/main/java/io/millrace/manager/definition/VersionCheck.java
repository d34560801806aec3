package io.millrace.manager.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ExpectedVersion;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Refuses a change that was made for another version than the one in force. Stateless; in the
 * transaction that stores the change.
 */
final class VersionCheck {
  private VersionCheck() {}

  /**
   * Checks that the version is in force.
   *
   * @param expected null accepts whatever is in force
   * @throws MillraceException STALE_VERSION
   */
  static void require(Handle handle, String kind, String name, Integer expected) {
    if (expected != null) {
      require(handle, new ExpectedVersion(kind, name, expected));
    }
  }

  /**
   * Locks the newest version, so that it is still the same when the change is stored.
   *
   * @throws MillraceException STALE_VERSION if another version, or none, is in force
   */
  static void require(Handle handle, ExpectedVersion expected) {
    Optional<DefinitionRow> newest =
        DefinitionDao.lockNewest(handle, expected.kind(), expected.name());
    Optional<DeletionRow> deleted =
        DeletionDao.latest(handle, expected.kind(), expected.name())
            .filter(row -> row.done())
            .filter(row -> newest.filter(one -> one.version() == row.version()).isPresent());
    Optional<DefinitionRow> inForce = newest.filter(row -> deleted.isEmpty());
    if (inForce.map(DefinitionRow::version).orElse(0) == expected.version()) {
      return;
    }
    String found =
        inForce
            .map(
                row ->
                    "has version %d, applied by %s at %s"
                        .formatted(row.version(), row.author(), row.appliedAt()))
            .or(() -> deleted.map(row -> "was deleted " + row.words()))
            .orElse("is not defined");
    throw new MillraceException(
        ErrorCode.STALE_VERSION,
        "nothing was changed: %s %s %s; %s"
            .formatted(
                expected.kind(),
                expected.name(),
                found,
                expected.version() == 0
                    ? "use another name, or change that version"
                    : "this change was made for version %d: read the definition again and repeat the change"
                        .formatted(expected.version())));
  }
}
