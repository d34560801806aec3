package io.millrace.manager.task;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.task.ChunkDefinition;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Chunks that a definition itself tells. Pure. */
final class ChunkSource {
  private ChunkSource() {}

  /** How many chunks there are; for those of a command, none is known here. */
  static long total(ChunkDefinition chunks) {
    if (chunks.list() != null) {
      return chunks.list().size();
    }
    return chunks.range() == null ? 0 : chunks.range().size();
  }

  /** Chunks from a position on, fewer at the end. */
  static List<String> from(ChunkDefinition chunks, long position, int count) {
    if (chunks.list() != null) {
      List<String> all = chunks.list();
      return IntStream.range(0, count)
          .mapToObj(i -> position + i)
          .filter(at -> at < all.size())
          .map(at -> all.get(Math.toIntExact(at)))
          .toList();
    }
    ArrayRange range = chunks.range();
    return LongStream.range(position, Math.min(position + count, range.size()))
        .mapToObj(at -> Long.toString(range.first() + at * range.step()))
        .toList();
  }
}
