package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import java.util.List;
import java.util.stream.Stream;

/**
 * The chunks of known work (H-020, H-084): one of the three. A worker finds its chunk in the
 * variable {@code MILLRACE_CHUNK}, and {@code {chunk}} in its command stands for it.
 *
 * @param list the chunks themselves
 * @param range numbers from and to, such as 1-500
 * @param command prints one chunk a line; run at the begin of each run
 */
public record ChunkDefinition(List<String> list, ArrayRange range, List<String> command) {
  public ChunkDefinition {
    if (Stream.of(list == null, range == null, command == null).filter(none -> !none).count()
        != 1) {
      throw refuse("write one of list, range and command");
    }
    list = list == null ? null : List.copyOf(list);
    command = command == null ? null : List.copyOf(command);
    if ((list != null && list.isEmpty()) || (command != null && command.isEmpty())) {
      throw refuse("list and command are not empty");
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "chunks: " + rule);
  }
}
