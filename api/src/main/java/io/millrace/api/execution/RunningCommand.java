package io.millrace.api.execution;

import io.millrace.api.job.AttemptId;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A command that a backend was asked to run. Thread-safe; no method blocks. */
public interface RunningCommand {
  /** The attempt. */
  AttemptId id();

  /**
   * By what the backend finds it again after a restart of the node, such as a job number: at most
   * 1,000 characters, without secrets. The node asks once, when {@link OpenBackend#start} returns,
   * and keeps it with the attempt; empty if the backend needs none.
   */
  default Optional<String> reference() {
    return Optional.empty();
  }

  /**
   * Completed with the time of its start, by the wall clock of this host, once it runs; never if it
   * does not, and never exceptionally. The time limit counts from there.
   */
  CompletableFuture<Instant> started();

  /**
   * Completed when all its processes have ended and its outputs are complete; never exceptionally,
   * and never once the backend is closed. Dependents do not block.
   */
  CompletableFuture<CommandEnd> ending();

  /**
   * Requests its end: TERM to all its processes and, after the order's grace, KILL to those that
   * are left. One that has not begun never begins. It ends as {@link CommandEnd.Kind#STOPPED}, with
   * {@code "stopped: "} and the text as reason. Only the first request counts, this or {@link
   * #timeOut}, and none if it has ended.
   */
  void stop(StopReason reason);

  /**
   * Like {@link #stop}, because of a time limit that the node watches itself. It ends as {@link
   * CommandEnd.Kind#TIMED_OUT}, with {@code "killed: "} and the text as reason.
   */
  void timeOut(StopReason reason);

  /**
   * Its standard input, if its order asked for a pipe and this process has started it; writing
   * blocks as long as the command does not read.
   */
  Optional<OutputStream> input();

  /**
   * Why a command is stopped.
   *
   * @param text human-readable, such as {@code cancelled by alice}
   */
  record StopReason(String text) {}

  /**
   * A command that has ended before anybody could follow it.
   *
   * @param id the attempt
   * @param started completed if it is known when it began
   * @param ending completed
   */
  record EndedCommand(
      AttemptId id, CompletableFuture<Instant> started, CompletableFuture<CommandEnd> ending)
      implements RunningCommand {
    /** One of which no start is known. */
    public static EndedCommand of(AttemptId id, CommandEnd end) {
      return new EndedCommand(
          id, new CompletableFuture<>(), CompletableFuture.completedFuture(end));
    }

    @Override
    public void stop(StopReason reason) {
      // There is nothing to stop.
    }

    @Override
    public void timeOut(StopReason reason) {
      // There is nothing to stop.
    }

    @Override
    public Optional<OutputStream> input() {
      return Optional.empty();
    }
  }
}
