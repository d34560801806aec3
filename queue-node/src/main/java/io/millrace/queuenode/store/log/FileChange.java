package io.millrace.queuenode.store.log;

import java.nio.file.Path;
import java.util.List;

/**
 * What the keeper has done to the files, for the log's thread to take note of.
 *
 * @param gone no longer part of the log; already without a name
 * @param instead what stands for them now; null when they held nothing live
 * @param spare a file that may be overwritten once this and all changes before are noted, because
 *     nobody reads it then; null for none
 */
record FileChange(List<LogFile> gone, LogFile instead, Path spare) {
  /** Nothing but a spare file. */
  static FileChange of(Path spare) {
    return new FileChange(List.of(), null, spare);
  }
}
