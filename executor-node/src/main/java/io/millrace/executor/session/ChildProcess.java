package io.millrace.executor.session;

import io.millrace.platform.lifecycle.Threads;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that gets events on its standard input and answers them on its standard output. Two
 * threads read its output and wait for its end. Thread-safe.
 */
final class ChildProcess {
  // Something that it has started may keep its output open.
  private static final long REST_OF_OUTPUT_MILLIS = 1_000;

  private final Process process;
  private final Duration grace;
  private final ScheduledExecutorService timer;
  private final Consumer<String> output;
  private final Thread reader;
  private final Thread waiter;
  // All guarded by this.
  private byte[] first;
  private long asked;
  private long asks;
  private boolean answered;
  private SessionLine line;
  private boolean timedOut;
  // Once it is being stopped: what it had started, and when all are killed.
  private List<ProcessHandle> started;
  private long killAt;
  private Future<?> killing;
  private boolean ended;
  private int exitCode;

  /**
   * Follows a process that was started.
   *
   * @param name of its session, for its threads
   * @param first what it gets before the first event
   * @param grace from TERM to KILL when it has not answered in time
   * @param timer for time limits; never blocked
   * @param output takes lines that are no results
   * @param onEnd called once it has ended, on a thread of its own
   */
  ChildProcess(
      Process process,
      String name,
      byte[] first,
      Duration grace,
      ScheduledExecutorService timer,
      Consumer<String> output,
      Consumer<ChildProcess> onEnd) {
    this.process = process;
    this.first = first;
    this.grace = grace;
    this.timer = timer;
    this.output = output;
    this.reader = Threads.daemon("session-out-" + name, this::read);
    this.waiter = Threads.daemon("session-end-" + name, () -> follow(onEnd));
  }

  /** Begins to read its output. */
  void begin() {
    reader.start();
    waiter.start();
  }

  /**
   * Gives it an event and waits for what becomes of it.
   *
   * @param timeout zero for no limit
   * @throws InterruptedException when the worker ends
   */
  Answer ask(long n, byte[] event, Duration timeout) throws InterruptedException {
    byte[] before;
    long mine;
    synchronized (this) {
      asks++;
      mine = asks;
      asked = n;
      line = null;
      before = first;
      first = new byte[0];
    }
    Future<?> limit =
        timeout.isZero()
            ? CompletableFuture.completedFuture(null)
            : timer.schedule(() -> timeOut(mine), timeout.toNanos(), TimeUnit.NANOSECONDS);
    try {
      write(before);
      write(event);
      synchronized (this) {
        while (line == null && !ended) {
          wait();
        }
        asked = 0;
        return new Answer(line, timedOut, exitCode);
      }
    } finally {
      limit.cancel(false);
    }
  }

  private void write(byte[] text) {
    try {
      OutputStream input = process.getOutputStream();
      input.write(text);
      input.flush();
    } catch (IOException closed) {
      // It reads nothing more: it is going to exit, or reaches its time limit.
    }
  }

  /** Whether it has answered an event. */
  synchronized boolean hasAnswered() {
    return answered;
  }

  synchronized boolean isEnded() {
    return ended;
  }

  synchronized int exitCode() {
    return exitCode;
  }

  // Only while what it limits is waited for: it may have begun when the answer came.
  private synchronized void timeOut(long ask) {
    if (ask == asks && asked > 0 && line == null) {
      timedOut = true;
      stop(grace);
    }
  }

  /**
   * Ends it and what it has started: TERM, and KILL after that time, or an earlier one that was
   * given before or is given later. Does not block.
   */
  void stop(Duration untilKilled) {
    boolean first;
    synchronized (this) {
      if (ended) {
        return;
      }
      first = started == null;
      if (first) {
        started = process.descendants().toList();
        started.forEach(ProcessHandle::destroy);
        process.destroy();
      }
      long at = System.nanoTime() + untilKilled.toNanos();
      if (first || at - killAt < 0) {
        killAt = at;
        killAfter(untilKilled);
      }
    }
    if (first) {
      // What it has started is not waited for any longer than itself.
      var unused = process.onExit().thenRun(this::endRest);
    }
  }

  private void killAfter(Duration time) {
    if (killing != null) {
      killing.cancel(false);
    }
    try {
      killing = timer.schedule(this::kill, time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException hostEnds) {
      kill();
    }
  }

  private void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    killStarted();
  }

  private synchronized void killStarted() {
    started.forEach(ProcessHandle::destroyForcibly);
  }

  private synchronized void endRest() {
    if (killing != null) {
      killing.cancel(false);
    }
    killStarted();
  }

  /** Waits until it has ended; it was stopped before. */
  void awaitEnd() {
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor();
        break;
      } catch (InterruptedException e) {
        // The host ends, and nothing of its sessions may go on.
        process.destroyForcibly();
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void follow(Consumer<ChildProcess> onEnd) {
    try {
      int code = process.waitFor();
      reader.join(REST_OF_OUTPUT_MILLIS);
      synchronized (this) {
        exitCode = code;
        ended = true;
        notifyAll();
      }
      onEnd.accept(this);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- its output

  private void read() {
    try (InputStream in = new BufferedInputStream(process.getInputStream())) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int next = in.read();
      while (next >= 0) {
        if (next == '\n') {
          take(bytes);
        } else if (bytes.size() < SessionLine.LONGEST) {
          bytes.write(next);
        }
        next = in.read();
      }
      if (bytes.size() > 0) {
        take(bytes);
      }
    } catch (IOException closed) {
      // It was stopped, and has nothing more to say.
    }
  }

  private void take(ByteArrayOutputStream bytes) {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    SessionLine.parse(text).ifPresentOrElse(this::answer, () -> output.accept(text));
  }

  private synchronized void answer(SessionLine given) {
    boolean fails = !given.ok() && given.n() == asked;
    // After its time limit it is being stopped, and could not go on with the next event.
    if (asked > 0 && !timedOut && line == null && (fails || (given.ok() && given.n() >= asked))) {
      answered = true;
      line = given;
      notifyAll();
    }
  }

  /**
   * What has become of an event.
   *
   * @param line the answer; null if there was none
   * @param timedOut whether it was stopped because there was none
   * @param exitCode if there was none
   */
  record Answer(SessionLine line, boolean timedOut, int exitCode) {}
}
