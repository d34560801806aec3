package io.millrace.manager.task;

import java.util.List;

/** What a job that prints chunks or resources has printed. */
@FunctionalInterface
public interface ChunkOutput {
  /**
   * Its lines without empty ones; blocks.
   *
   * @throws io.millrace.api.MillraceException UNREACHABLE when its node does not answer,
   *     UNKNOWN_ATTEMPT when the output is gone, INVALID_DEFINITION when it is not a list of chunks
   */
  List<String> lines(long job);
}
