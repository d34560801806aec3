package io.millrace.executor.run;

import io.millrace.api.job.Outcome;
import io.millrace.executor.batch.BatchVerdict;
import io.millrace.executor.batch.LeasedBatch;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.Ending;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows the end of every attempt, however it was started and whoever watched it: the events
 * are closed first, the working directory goes, and the result is kept on disk. Stateless.
 */
final class Finisher {
  private static final Logger LOGGER = LoggerFactory.getLogger(Finisher.class);
  private static final int LONGEST_TAIL = 4_000;
  // A character takes up to four bytes.
  private static final int TAIL_BYTES = 4 * LONGEST_TAIL;

  /** The end of an attempt without events; reads and writes the disk. */
  RunResult finish(
      AttemptRecord record, AttemptDirectory directory, Instant startedAt, Ending ending) {
    String lastWords = lastWords(record, directory, ending);
    RunResult result =
        result(record, startedAt, ending, lastWords, 0, new BatchClosing(Optional.empty()));
    keep(directory, result);
    return result;
  }

  /** The end of an attempt that has perhaps events; reads and writes the disk. */
  CompletableFuture<RunResult> finish(
      AttemptRecord record,
      AttemptDirectory directory,
      Optional<LeasedBatch> batch,
      Instant startedAt,
      Ending ending) {
    if (batch.isEmpty()) {
      return CompletableFuture.completedFuture(finish(record, directory, startedAt, ending));
    }
    String lastWords = lastWords(record, directory, ending);
    int events = batch.get().size();
    return batch
        .get()
        .close(BatchVerdict.of(ending, lastWords))
        .thenApply(
            closed -> {
              RunResult result =
                  result(record, startedAt, ending, lastWords, events, closed)
                      .on(batch.get().alone());
              keep(directory, result);
              return result;
            });
  }

  private static RunResult result(
      AttemptRecord record,
      Instant startedAt,
      Ending ending,
      String lastWords,
      int events,
      BatchClosing closed) {
    return new RunResult(
        record.attempt(),
        record.assignment().kind(),
        outcome(record, ending),
        boxed(ending.exitCode()),
        boxed(ending.signal()),
        reason(record, ending, closed),
        lastWords,
        events,
        startedAt,
        notBefore(startedAt, ending.endedAt()),
        ending.usage().orElse(null));
  }

  // The time of an end comes from a file, whose clock runs some milliseconds behind.
  private static Instant notBefore(Instant earliest, Instant time) {
    return time.isBefore(earliest) ? earliest : time;
  }

  private static boolean succeeded(AttemptRecord record, Ending ending) {
    return outcome(record, ending).success();
  }

  /** An exit code that the job declares to mean "nothing to do" is a success (H-022). */
  private static Outcome outcome(AttemptRecord record, Ending ending) {
    boolean idle =
        ending.kind() == Ending.Kind.EXITED
            && ending.exitCode().isPresent()
            && record.assignment().spec().idleExitCodes().contains(ending.exitCode().getAsInt());
    return idle ? Outcome.IDLE : outcome(ending);
  }

  private static Outcome outcome(Ending ending) {
    return switch (ending.kind()) {
      case EXITED -> ending.exitCode().orElse(-1) == 0 ? Outcome.SUCCEEDED : Outcome.FAILED;
      case SIGNALLED -> Outcome.SIGNALLED;
      case TIMED_OUT -> Outcome.TIMED_OUT;
      case MEMORY_EXCEEDED -> Outcome.MEMORY_EXCEEDED;
      case STOPPED -> Outcome.STOPPED;
      case START_FAILED -> Outcome.START_FAILED;
      case LOST, UNKILLABLE -> Outcome.LOST;
    };
  }

  private static String reason(AttemptRecord record, Ending ending, BatchClosing closed) {
    if (succeeded(record, ending)) {
      return closed.note().orElse(null);
    }
    return ending.reason() + closed.note().map(note -> "; " + note).orElse("");
  }

  private static Integer boxed(OptionalInt number) {
    return number.isPresent() ? number.getAsInt() : null;
  }

  private static String lastWords(AttemptRecord record, AttemptDirectory directory, Ending ending) {
    if (succeeded(record, ending)) {
      return null;
    }
    try {
      String text = directory.tail(LogStream.STDERR, TAIL_BYTES).text().strip();
      return text.isEmpty() ? null : text.substring(Math.max(0, text.length() - LONGEST_TAIL));
    } catch (IOException e) {
      LOGGER.warn("cannot read the error output in {}", directory.path(), e);
      return null;
    }
  }

  private static void keep(AttemptDirectory directory, RunResult result) {
    if (!Files.isDirectory(directory.path())) {
      return;
    }
    try {
      directory.deleteWork();
    } catch (IOException e) {
      LOGGER.warn("cannot delete {}; it goes with the attempt's logs", directory.work(), e);
    }
    try {
      KeptFile.RESULT.write(directory, result);
    } catch (IOException e) {
      // It is reported all the same; only a restart of the agent before that would lose it.
      LOGGER.warn("cannot keep the result of attempt {} on disk", result.attempt(), e);
    }
  }
}
