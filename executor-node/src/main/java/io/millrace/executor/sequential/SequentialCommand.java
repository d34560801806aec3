package io.millrace.executor.sequential;

import io.millrace.api.Durations;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.OrderCheck;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.job.AttemptId;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One command of a sequence. {@link #run} is called by the thread of the sequence, which watches
 * its time and ends it; all other methods are thread-safe.
 */
final class SequentialCommand implements RunningCommand {
  private static final Logger LOGGER = LoggerFactory.getLogger(SequentialCommand.class);
  private static final int SIGNAL_BASE = 128;
  private static final int LAST_SIGNAL = 64;

  /** How long a killed process may take to go. */
  private static final Duration TO_GO = Duration.ofSeconds(10);

  private final CommandOrder order;
  private final CommandFiles files;
  private final BackendContext context;
  private final LastProcess last;
  private final CompletableFuture<Instant> started = new CompletableFuture<>();
  private final CompletableFuture<CommandEnd> ending = new CompletableFuture<>();
  private final CompletableFuture<Stop> stop = new CompletableFuture<>();
  private final CompletableFuture<Void> killed = new CompletableFuture<>();
  // Guarded by this.
  private Process process;
  private boolean abandoned;

  /** Why it is ended by the node. */
  private record Stop(CommandEnd.Kind kind, String reason) {}

  SequentialCommand(
      CommandOrder order, CommandFiles files, BackendContext context, LastProcess last) {
    this.order = order;
    this.files = files;
    this.context = context;
    this.last = last;
  }

  @Override
  public AttemptId id() {
    return order.id();
  }

  @Override
  public CompletableFuture<Instant> started() {
    return started;
  }

  @Override
  public CompletableFuture<CommandEnd> ending() {
    return ending;
  }

  @Override
  public void stop(StopReason reason) {
    ask(CommandEnd.Kind.STOPPED, "stopped: " + reason.text());
  }

  @Override
  public void timeOut(StopReason reason) {
    ask(CommandEnd.Kind.TIMED_OUT, "killed: " + reason.text());
  }

  private void ask(CommandEnd.Kind kind, String reason) {
    if (!stop.complete(new Stop(kind, reason))) {
      return;
    }
    synchronized (this) {
      if (process != null) {
        return;
      }
    }
    // It waits for its turn, and does not begin any more.
    end(new Stop(kind, reason), OptionalInt.empty());
  }

  @Override
  public Optional<OutputStream> input() {
    return Optional.empty();
  }

  /** Ends it without its grace. */
  void kill() {
    stop(new StopReason("the execution node was stopped"));
    killed.complete(null);
  }

  /** Ends its processes; its end is not completed any more. */
  void abandon() {
    Process alive;
    synchronized (this) {
      abandoned = true;
      alive = process;
    }
    if (alive != null) {
      family(alive).forEach(ProcessHandle::destroyForcibly);
      last.forget();
    }
  }

  /**
   * Runs it to its end, whatever fails: the thread of the sequence goes on with the next one. What
   * has been started of it is ended.
   */
  void runGuarded() throws InterruptedException {
    try {
      run();
    } catch (RuntimeException | Error e) {
      LOGGER.error("attempt {} could not be run", order.id(), e);
      Process left;
      synchronized (this) {
        left = process;
      }
      if (left != null) {
        family(left).forEach(ProcessHandle::destroyForcibly);
      }
      startFailed("could not start: %s; see the log of this node".formatted(e));
      last.forget();
    }
  }

  /** Runs it to its end. */
  private void run() throws InterruptedException {
    Optional<String> problem = OrderCheck.ofThisMachine().problem(order);
    if (problem.isPresent()) {
      startFailed(problem.get());
      return;
    }
    Process child;
    try {
      // Together, so that one that was stopped leaves no file after its end.
      synchronized (this) {
        if (abandoned || stop.isDone()) {
          return;
        }
        files.create();
        child = builder().start();
        process = child;
      }
    } catch (IOException e) {
      startFailed(
          "could not start: %s; check the command's name, its permissions and the PATH on this node"
              .formatted(e.getMessage()));
      return;
    }
    last.remember(child);
    started.complete(context.now());
    follow(child);
    last.forget();
  }

  private ProcessBuilder builder() {
    File input = Files.exists(files.stdin()) ? files.stdin().toFile() : new File("/dev/null");
    Path folder = order.workingDirectory().orElse(files.work());
    ProcessBuilder builder =
        new ProcessBuilder(order.argv())
            .directory(folder.toFile())
            .redirectInput(Redirect.from(input))
            .redirectOutput(Redirect.appendTo(files.stdout().toFile()))
            .redirectError(Redirect.appendTo(files.stderr().toFile()));
    builder.environment().clear();
    builder.environment().putAll(context.environment());
    builder.environment().putAll(order.environment());
    return builder;
  }

  private void follow(Process child) throws InterruptedException {
    Duration limit = order.timeout();
    CompletableFuture<?> exit = child.onExit();
    CompletableFuture<?> news = CompletableFuture.anyOf(exit, stop);
    if (limit.isZero()) {
      await(news, null);
    } else if (!await(news, limit)) {
      String text = Durations.format(limit);
      stop.complete(
          new Stop(CommandEnd.Kind.TIMED_OUT, "killed: ran %s, limit %s".formatted(text, text)));
    }
    if (exit.isDone()) {
      exited(child.exitValue());
      return;
    }
    terminate(child, exit);
    Stop why = stop.join();
    if (child.isAlive()) {
      end(
          new Stop(
              CommandEnd.Kind.UNKILLABLE,
              "%s; could not be killed: process %d; check what it waits for on this node"
                  .formatted(why.reason(), child.pid())),
          OptionalInt.empty());
    } else {
      end(why, OptionalInt.of(child.exitValue()));
    }
  }

  private void terminate(Process child, CompletableFuture<?> exit) throws InterruptedException {
    Set<ProcessHandle> all = family(child);
    all.forEach(ProcessHandle::destroy);
    await(CompletableFuture.anyOf(allGone(all), killed), order.grace());
    all.addAll(family(child));
    all.forEach(ProcessHandle::destroyForcibly);
    await(CompletableFuture.allOf(exit, allGone(all)), TO_GO);
  }

  private static Set<ProcessHandle> family(Process child) {
    Set<ProcessHandle> all = new LinkedHashSet<>();
    all.add(child.toHandle());
    child.descendants().forEach(all::add);
    return all;
  }

  private static CompletableFuture<Void> allGone(Set<ProcessHandle> all) {
    return CompletableFuture.allOf(
        all.stream()
            .filter(ProcessHandle::isAlive)
            .map(ProcessHandle::onExit)
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Waits; false if the time has passed first. Null for no limit. */
  private static boolean await(CompletableFuture<?> event, Duration limit)
      throws InterruptedException {
    try {
      if (limit == null) {
        event.get();
      } else {
        event.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      }
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a process never fails", e);
    }
  }

  private void exited(int value) {
    boolean signalled = value > SIGNAL_BASE && value <= SIGNAL_BASE + LAST_SIGNAL;
    complete(
        signalled
            ? new CommandEnd(
                CommandEnd.Kind.SIGNALLED,
                OptionalInt.empty(),
                OptionalInt.of(value - SIGNAL_BASE),
                "ended by signal " + (value - SIGNAL_BASE),
                context.now())
            : new CommandEnd(
                CommandEnd.Kind.EXITED,
                OptionalInt.of(value),
                OptionalInt.empty(),
                "exited with code " + value,
                context.now()));
  }

  private void end(Stop why, OptionalInt value) {
    boolean signalled = value.isPresent() && value.getAsInt() > SIGNAL_BASE;
    complete(
        new CommandEnd(
            why.kind(),
            signalled ? OptionalInt.empty() : value,
            signalled ? OptionalInt.of(value.getAsInt() - SIGNAL_BASE) : OptionalInt.empty(),
            why.reason(),
            context.now()));
  }

  private void startFailed(String reason) {
    complete(
        new CommandEnd(
            CommandEnd.Kind.START_FAILED,
            OptionalInt.empty(),
            OptionalInt.empty(),
            reason,
            context.now()));
  }

  private void complete(CommandEnd end) {
    synchronized (this) {
      if (abandoned) {
        return;
      }
    }
    ending.complete(end);
  }
}
