package io.millrace.executor.run;

import io.millrace.api.Durations;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import io.millrace.platform.lifecycle.Threads;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An attempt that is a thread of this JVM. A thread cannot be killed: one that ignores its
 * interruption beyond the grace is abandoned, and its further requests are refused because of their
 * attempt number.
 */
final class ProgramRun implements AttemptRun {
  private final AttemptRecord record;
  private final AttemptDirectory directory;
  private final ProgramHost host;
  private final LaunchPlan plan;
  private final Finisher finisher;
  private final CompletableFuture<Instant> started = new CompletableFuture<>();
  private final CompletableFuture<CompletedRun> result = new CompletableFuture<>();
  // Guarded by this.
  private Thread thread;
  private CommandEnd.Kind askedKind;
  private String askedReason;
  private final List<Future<?>> scheduled = new ArrayList<>();
  private boolean over;

  ProgramRun(
      AttemptRecord record,
      AttemptDirectory directory,
      ProgramHost host,
      LaunchPlan plan,
      Finisher finisher) {
    this.record = record;
    this.directory = directory;
    this.host = host;
    this.plan = plan;
    this.finisher = finisher;
  }

  @Override
  public AttemptId attempt() {
    return record.attempt();
  }

  @Override
  public CompletableFuture<Instant> started() {
    return started;
  }

  @Override
  public CompletableFuture<CompletedRun> result() {
    return result;
  }

  @Override
  public boolean outlivesAgent() {
    return false;
  }

  @Override
  public void stop(StopReason reason) {
    ask(CommandEnd.Kind.STOPPED, "stopped: " + reason.text());
  }

  /** Starts the thread. */
  void begin(BuiltinProgram program) {
    JobSpec spec = record.assignment().spec();
    synchronized (this) {
      thread = Threads.daemon("attempt-" + attempt() + " " + spec.program(), () -> live(program));
      thread.start();
    }
    if (spec.timeout() != null) {
      String message =
          "killed: ran "
              + Durations.format(spec.timeout())
              + ", limit "
              + Durations.format(spec.timeout());
      after(spec.timeout(), () -> ask(CommandEnd.Kind.TIMED_OUT, message));
    }
  }

  /** Ends the attempt as one that could not be started. */
  void refuse(String message) {
    end(ending(CommandEnd.Kind.START_FAILED, OptionalInt.empty(), message));
  }

  private synchronized void ask(CommandEnd.Kind kind, String reason) {
    if (over || askedKind != null || thread == null) {
      return;
    }
    askedKind = kind;
    askedReason = reason;
    thread.interrupt();
    after(record.assignment().spec().grace(), () -> host.pool().execute(this::giveUp));
  }

  private void giveUp() {
    CommandEnd.Kind kind;
    String message;
    synchronized (this) {
      kind = askedKind;
      message = askedReason + "; its thread ignores the interruption and was abandoned";
    }
    end(ending(kind, OptionalInt.empty(), message));
  }

  private void live(BuiltinProgram program) {
    try {
      directory.createWithoutWork();
      KeptFile.ASSIGNMENT.write(directory, record);
    } catch (IOException e) {
      refuse("cannot prepare the attempt's directory: " + e);
      return;
    }
    started.complete(host.clock().now());
    end(run(program));
  }

  private CommandEnd run(BuiltinProgram program) {
    try (ProgramOutput output = new ProgramOutput(() -> append(LogStream.STDOUT))) {
      int code = program.run(new AttemptContext(record.assignment(), host, plan, output));
      return asked()
          .orElseGet(
              () -> ending(CommandEnd.Kind.EXITED, OptionalInt.of(code), "returned " + code));
    } catch (InterruptedException e) {
      return asked().orElseGet(() -> failed(e));
    } catch (Throwable e) { // an Error too: the attempt must end with words about it
      return failed(e);
    }
  }

  private CommandEnd failed(Throwable failure) {
    try (PrintStream errors = append(LogStream.STDERR)) {
      failure.printStackTrace(errors);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return ending(CommandEnd.Kind.EXITED, OptionalInt.empty(), "failed: " + failure);
  }

  private synchronized Optional<CommandEnd> asked() {
    return Optional.ofNullable(askedKind)
        .map(kind -> ending(kind, OptionalInt.empty(), askedReason));
  }

  private void end(CommandEnd ending) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      scheduled.forEach(step -> step.cancel(false));
    }
    clearInterruption();
    Instant startedAt = started.getNow(record.acceptedAt());
    result.complete(finisher.finish(record, directory, startedAt, ending));
  }

  // One that came too late for the program would break the writing of its result.
  @SuppressWarnings("ReturnValueIgnored") // it is the clearing that is wanted
  private static void clearInterruption() {
    Thread.interrupted();
  }

  // Not a channel: a program that is interrupted may still print a last message.
  private PrintStream append(LogStream stream) throws IOException {
    return new PrintStream(
        new FileOutputStream(directory.output(stream).toFile(), true),
        true,
        StandardCharsets.UTF_8);
  }

  private CommandEnd ending(CommandEnd.Kind kind, OptionalInt exitCode, String message) {
    return new CommandEnd(kind, exitCode, OptionalInt.empty(), message, host.clock().now());
  }

  private synchronized void after(Duration delay, Runnable step) {
    scheduled.add(host.timer().schedule(step, delay.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * The standard output of a program, opened at its first line, because most print nothing.
   * Thread-safe.
   */
  static final class ProgramOutput implements AutoCloseable {
    /** Opens the file. */
    @FunctionalInterface
    interface Opening {
      PrintStream open() throws IOException;
    }

    private final Opening opening;
    // Guarded by this.
    private PrintStream stream;
    private boolean closed;

    ProgramOutput(Opening opening) {
      this.opening = opening;
    }

    /** Writes a line; one that comes after the end is dropped. */
    synchronized void println(String line) {
      if (closed) {
        return;
      }
      try {
        stream = stream == null ? opening.open() : stream;
        stream.println(line);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot open the program's output", e);
      }
    }

    @Override
    public synchronized void close() {
      closed = true;
      if (stream != null) {
        stream.close();
      }
    }
  }
}
