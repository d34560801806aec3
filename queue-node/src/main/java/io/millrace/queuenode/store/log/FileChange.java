package io.millrace.queuenode.store.log;

import java.util.List;

/**
 * What the keeper has done to the files, for the log's thread to take note of.
 *
 * @param gone no longer part of the log; already without a name
 * @param instead what stands for them now; null when they held nothing live
 */
record FileChange(List<LogFile> gone, LogFile instead) {}
