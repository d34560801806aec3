package io.millrace.queuenode.store.log;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;

/** What keeps a log from being opened. */
final class LogDamage {
  private LogDamage() {}

  static MillraceException at(Path file, long offset, String reason) {
    return of("file " + file + " is damaged at offset " + offset + ": " + reason);
  }

  static MillraceException of(String what) {
    return new MillraceException(
        ErrorCode.STORE_FAILURE,
        what
            + ". Nothing was changed. Bring back a whole copy of the folder, or move it away to"
            + " begin with an empty store");
  }
}
