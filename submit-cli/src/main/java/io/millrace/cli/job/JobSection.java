package io.millrace.cli.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette.Style;
import java.io.IOException;

/**
 * Prints the outputs of several jobs one after the other, each below a heading. Not thread-safe.
 */
public final class JobSection {
  private final Invocation invocation;
  private final AttemptOutput output;

  public JobSection(Invocation invocation, AttemptOutput output) {
    this.invocation = invocation;
    this.output = output;
  }

  /**
   * Prints the output of a job's current or last attempt.
   *
   * @param what the job in the heading, such as {@code worker}
   */
  public void print(String what, JobView job) throws IOException {
    if (!invocation.json()) {
      String heading =
          "== %s %d.%d on %s, %s%s =="
              .formatted(
                  Escaping.text(what),
                  job.id(),
                  job.attempt(),
                  Escaping.text(job.node()),
                  JobFormatter.ending(job),
                  job.endedAt() == null
                      ? ""
                      : ", " + Ages.since(job.endedAt(), invocation.now()) + " ago");
      invocation.line(invocation.palette().paint(Style.FAINT, heading));
    }
    try {
      output.print(job.id(), job.attempt(), AttemptOutput.BOTH);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNKNOWN_ATTEMPT) {
        throw e;
      }
      invocation.note("(output no longer available: " + e.getMessage() + ")");
    }
  }
}
