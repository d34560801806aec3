package io.millrace.cli.job;

import io.millrace.api.Sizes;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.Usage;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Formats attempts, with what they used. */
public final class AttemptTable {
  private AttemptTable() {}

  /** The attempts, oldest first. */
  public static Table of(List<AttemptView> attempts, Instant now) {
    Table table =
        new Table(
            Column.right("TRY"),
            Column.left("NODE", 16),
            Column.left("STATE"),
            Column.right("AGE"),
            Column.right("TOOK"),
            Column.right("CPU"),
            Column.right("MEMORY"),
            Column.left("CAUSE", 32),
            Column.left("RESULT"),
            Column.left("REASON", 48));
    for (AttemptView attempt : attempts) {
      Usage usage = attempt.usage();
      table.row(
          String.valueOf(attempt.number()),
          attempt.node(),
          JobFormatter.state(attempt.state()),
          Ages.since(attempt.recordedAt(), now),
          Ages.between(attempt.startedAt(), attempt.endedAt() == null ? now : attempt.endedAt()),
          usage == null ? "-" : Ages.took(Duration.ofMillis(usage.cpuMillis())),
          usage == null ? "-" : Sizes.readable(usage.memoryBytes()),
          attempt.cause(),
          JobFormatter.result(attempt.outcome(), attempt.exitCode(), attempt.signal()),
          attempt.reason() == null ? "" : attempt.reason());
    }
    return table;
  }
}
