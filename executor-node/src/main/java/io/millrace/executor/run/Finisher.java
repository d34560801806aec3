package io.millrace.executor.run;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import io.millrace.executor.batch.BatchVerdict;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.batch.WorkerEvents;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps after the end of every attempt: the events are closed, the working directory is
 * deleted, and the result is kept on disk. Stateless.
 */
final class Finisher {
  private static final Logger LOGGER = LoggerFactory.getLogger(Finisher.class);
  private static final Set<CommandEnd.Kind> NOTHING_RAN =
      EnumSet.of(CommandEnd.Kind.NEVER_BEGAN, CommandEnd.Kind.REFUSED);
  private static final int LONGEST_TAIL = 4_000;
  // A character takes up to four bytes.
  private static final int TAIL_BYTES = 4 * LONGEST_TAIL;

  /** The end of an attempt without events; reads and writes the disk. */
  CompletedRun finish(
      AttemptRecord record, AttemptDirectory directory, Instant startedAt, CommandEnd exit) {
    String stderrTail = stderrTail(record, directory, exit);
    CompletedRun run =
        run(
            record,
            startedAt,
            exit,
            stderrTail,
            0,
            new BatchClosing(Optional.empty()),
            Optional.empty());
    return keep(directory, run);
  }

  /** The end of an attempt that may have events; reads and writes the disk. */
  CompletableFuture<CompletedRun> finish(
      AttemptRecord record,
      AttemptDirectory directory,
      Optional<WorkerEvents> batch,
      Instant startedAt,
      CommandEnd exit) {
    if (batch.isEmpty()) {
      return CompletableFuture.completedFuture(finish(record, directory, startedAt, exit));
    }
    String stderrTail = stderrTail(record, directory, exit);
    return batch
        .get()
        .close(BatchVerdict.of(exit, stderrTail))
        .thenApply(
            closed -> {
              CompletedRun run =
                  run(
                      record,
                      startedAt,
                      exit,
                      stderrTail,
                      batch.get().size(),
                      closed,
                      batch.get().alone());
              return keep(directory, run);
            });
  }

  private static CompletedRun run(
      AttemptRecord record,
      Instant startedAt,
      CommandEnd exit,
      String stderrTail,
      int events,
      BatchClosing closed,
      Optional<String> event) {
    AttemptResult result =
        new AttemptResult(
            outcome(record, exit),
            boxed(exit.exitCode()),
            boxed(exit.signal()),
            reason(record, exit, closed),
            stderrTail,
            events,
            0,
            exit.usage().orElse(null),
            event.orElse(null),
            NOTHING_RAN.contains(exit.kind()) ? true : null);
    return CompletedRun.of(record, result, startedAt, notBefore(startedAt, exit.endedAt()));
  }

  // The time of an end is a file's timestamp, which may be some milliseconds behind.
  private static Instant notBefore(Instant earliest, Instant time) {
    return time.isBefore(earliest) ? earliest : time;
  }

  private static boolean succeeded(AttemptRecord record, CommandEnd exit) {
    return outcome(record, exit).success();
  }

  /** An exit code that the job declares to mean "nothing to do" is a success (H-022). */
  private static Outcome outcome(AttemptRecord record, CommandEnd exit) {
    boolean idle =
        exit.kind() == CommandEnd.Kind.EXITED
            && exit.exitCode().isPresent()
            && record.assignment().spec().idleExitCodes().contains(exit.exitCode().getAsInt());
    return idle ? Outcome.IDLE : outcome(exit);
  }

  private static Outcome outcome(CommandEnd exit) {
    return switch (exit.kind()) {
      case EXITED -> exit.exitCode().orElse(-1) == 0 ? Outcome.SUCCEEDED : Outcome.FAILED;
      case SIGNALLED -> Outcome.SIGNALLED;
      case TIMED_OUT -> Outcome.TIMED_OUT;
      case MEMORY_EXCEEDED -> Outcome.MEMORY_EXCEEDED;
      case STOPPED -> Outcome.STOPPED;
      case START_FAILED, REFUSED -> Outcome.START_FAILED;
      case NEVER_BEGAN, LOST, UNKILLABLE -> Outcome.LOST;
    };
  }

  private static String reason(AttemptRecord record, CommandEnd exit, BatchClosing closed) {
    if (succeeded(record, exit)) {
      return closed.note().orElse(null);
    }
    return exit.reason() + closed.note().map(note -> "; " + note).orElse("");
  }

  private static Integer boxed(OptionalInt number) {
    return number.isPresent() ? number.getAsInt() : null;
  }

  private static String stderrTail(
      AttemptRecord record, AttemptDirectory directory, CommandEnd exit) {
    if (succeeded(record, exit)) {
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

  private static CompletedRun keep(AttemptDirectory directory, CompletedRun ended) {
    if (!Files.isDirectory(directory.path())) {
      return ended;
    }
    CompletedRun run =
        ended.withProgress(ProgressFile.read(directory)).withOutputs(OutputValues.read(directory));
    try {
      directory.deleteWork();
    } catch (IOException e) {
      LOGGER.warn("cannot delete {}; it goes with the attempt's logs", directory.work(), e);
    }
    try {
      KeptFile.RESULT.write(directory, run);
    } catch (IOException e) {
      // It is reported nevertheless; only a restart of the agent before that would lose it.
      LOGGER.warn("cannot keep the result of attempt {} on disk", run.attempt(), e);
    }
    return run;
  }
}
