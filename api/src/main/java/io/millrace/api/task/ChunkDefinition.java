package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The chunks of known work (H-020, H-084), given in one of three ways. A worker gets its chunk in
 * the variable {@code MILLRACE_CHUNK}; {@code {chunk}} in its command is replaced by it.
 *
 * @param list the chunks themselves
 * @param range a range of numbers, such as 1-500
 * @param command prints one chunk per line; run at the beginning of each run
 */
public record ChunkDefinition(List<String> list, ArrayRange range, List<String> command) {
  public ChunkDefinition {
    if (Stream.of(list == null, range == null, command == null).filter(none -> !none).count()
        != 1) {
      throw refuse("give exactly one of list, range or command");
    }
    list = list == null ? null : List.copyOf(list);
    command = command == null ? null : List.copyOf(command);
    if ((list != null && list.isEmpty()) || (command != null && command.isEmpty())) {
      throw refuse("list and command must not be empty");
    }
  }

  /** How many chunks it lists; 0 if a command prints them. */
  public long total() {
    if (list != null) {
      return list.size();
    }
    return range == null ? 0 : range.size();
  }

  /** Up to that many of the chunks that it lists, from a position on. */
  public List<String> listed(long position, int count) {
    if (list != null) {
      return list.stream().skip(position).limit(count).toList();
    }
    return LongStream.range(position, Math.min(position + count, total()))
        .mapToObj(at -> Long.toString(range.first() + at * range.step()))
        .toList();
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "chunks: " + rule);
  }
}
