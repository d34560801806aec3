package io.millrace.cli.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadSelection;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that choose dead letters. Filled by the parser. */
final class DeadOptions {
  @Option(
      names = "--handle",
      paramLabel = "HANDLE",
      description = "This one, as the list names it; may be repeated.")
  private List<String> handles;

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "Those of the event with this id; may be repeated.")
  private List<String> ids;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Those whose reason contains this.")
  private String reason;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = "Those that died at least so long ago, such as 2h.")
  private Duration olderThan;

  @Option(names = "--all", description = "All of the queue.")
  private boolean all;

  @Option(names = "--max", paramLabel = "N", description = "At most so many, the oldest first.")
  private Integer max;

  /** What was chosen; every condition holds. */
  DeadSelection selection() {
    DeadSelection selection = new DeadSelection(handles, ids, reason, olderThan, all, max);
    if (selection.unbounded() && !all) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "which dead letters? choose with --handle, --id, --reason or --older-than, or say --all");
    }
    if (!selection.unbounded() && all) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "--all goes with no other choice than --max");
    }
    return selection;
  }
}
