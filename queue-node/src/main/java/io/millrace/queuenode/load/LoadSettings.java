package io.millrace.queuenode.load;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/**
 * The thresholds of load states; loads are 0 to 1.
 *
 * @param newShare weight of the newest sample, α of H-114
 * @param machine whether the process's processor usage and the machine's disk stalls count; not if
 *     several roles share one process, because they do not measure the node then
 * @param busyEnter load from which a node is BUSY
 * @param busyLeave load below which it is NORMAL again
 * @param tooBusyEnter load from which a node is TOOBUSY
 * @param tooBusyLeave load below which it is at most BUSY again
 */
public record LoadSettings(
    double newShare,
    boolean machine,
    double busyEnter,
    double busyLeave,
    double tooBusyEnter,
    double tooBusyLeave) {
  public LoadSettings {
    require(newShare > 0 && newShare <= 1, "newShare must be above 0 and at most 1");
    require(0 <= busyLeave && busyLeave <= busyEnter, "busyLeave must be from 0 to busyEnter");
    require(tooBusyLeave <= tooBusyEnter, "tooBusyLeave must be at most tooBusyEnter");
    require(
        busyEnter <= tooBusyEnter && busyLeave <= tooBusyLeave,
        "the thresholds of TOOBUSY must not be below those of BUSY");
  }

  /** One sample a second counts for a fifth; BUSY .50/.40, TOOBUSY .70/.50. */
  public static LoadSettings defaults() {
    return new LoadSettings(0.2, true, 0.50, 0.40, 0.70, 0.50);
  }

  /** These settings for a node that shares its process with other roles. */
  public LoadSettings storeOnly() {
    return new LoadSettings(newShare, false, busyEnter, busyLeave, tooBusyEnter, tooBusyLeave);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.CONFIGURATION, rule);
    }
  }
}
