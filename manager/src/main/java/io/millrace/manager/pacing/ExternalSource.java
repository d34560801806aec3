package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.QueueDefinition.SourceDefinition;
import io.millrace.api.queue.SegmentFigures;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An external queue as its command sees it, in the figures of a segment. How many arrived and how
 * many were done is not known; arrivals are what the waiting events rose by, beside what finished
 * workers may have taken. Used by one thread.
 */
final class ExternalSource {
  private final ProgramContext context;
  private final String queue;
  private final String node;
  private long waitingBefore = -1;
  private long finishedBefore;
  private long inserted;
  private long acknowledged;
  private long waitingSince;

  ExternalSource(ProgramContext context, String queue, String node) {
    this.context = context;
    this.queue = queue;
    this.node = node;
  }

  /**
   * Runs the command.
   *
   * @throws MillraceException UNAVAILABLE when it fails or prints no number
   * @throws InterruptedException when the attempt is stopped meanwhile
   */
  SegmentFigures figures(PacingView view) throws InterruptedException {
    long waiting = waiting(view.queue().source(), view.queue().worker().env());
    count(waiting, view);
    long now = context.nanoTime();
    waitingSince = waiting == 0 || waitingBefore <= 0 ? now : waitingSince;
    waitingBefore = waiting;
    double oldest = waiting == 0 ? 0 : Duration.ofNanos(now - waitingSince).toMillis() / 1e3;
    return new SegmentFigures(
        queue,
        node,
        0,
        0,
        waiting,
        0,
        0,
        0,
        oldest,
        0,
        inserted,
        0,
        acknowledged,
        0,
        0,
        List.of(),
        null,
        null);
  }

  /** Each finished worker is taken to have done a full run, as far as that many were there. */
  private void count(long waiting, PacingView view) {
    if (waitingBefore >= 0) {
      long finished = Math.max(0, view.finished() - finishedBefore);
      int capacity = view.queue().worker().capacity(view.queue().batch());
      long gone = Math.max(0, waitingBefore - waiting);
      long done = Math.max(gone, Math.min(finished * capacity, waitingBefore));
      acknowledged += done;
      inserted += Math.max(0, waiting - waitingBefore + done);
    } else {
      inserted = waiting;
    }
    finishedBefore = view.finished();
  }

  private long waiting(SourceDefinition source, Map<String, String> environment)
      throws InterruptedException {
    CommandAnswer answer = context.command(source.waiting(), environment, source.timeout());
    if (answer.exitCode() != 0) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          source.waiting() + " ended with " + answer.exitCode() + ": " + answer.lastLine());
    }
    try {
      long waiting = Long.parseLong(answer.lastLine().strip());
      if (waiting >= 0) {
        return waiting;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new MillraceException(
        ErrorCode.UNAVAILABLE,
        source.waiting()
            + " printed '"
            + answer.lastLine()
            + "' as its last line, not how many events wait");
  }
}
