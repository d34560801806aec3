package io.millrace.executor.session;

import io.millrace.api.client.SessionHandler.OpenSession;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts the processes of sessions. Thread-safe. */
final class SessionProcesses implements AutoCloseable {
  // From a signal to the attempt until its host has noticed it.
  private static final long NOTICED_MILLIS = 500;

  private final Clock clock;
  private final CountDownLatch ending = new CountDownLatch(1);
  private final SessionHostSettings settings;
  private final PrintStream out;
  private final Consumer<IOException> onStartFailure;
  private final ScheduledThreadPoolExecutor timer;

  /**
   * Starts none yet.
   *
   * @param out takes their lines that are no results
   * @param onStartFailure called when one cannot be started; must not block
   */
  SessionProcesses(
      SessionHostSettings settings,
      PrintStream out,
      Consumer<IOException> onStartFailure,
      Clock clock) {
    this.clock = clock;
    this.settings = settings;
    this.out = out;
    this.onStartFailure = onStartFailure;
    this.timer = new ScheduledThreadPoolExecutor(1, task -> Threads.daemon("session-timer", task));
    timer.setRemoveOnCancelPolicy(true);
  }

  /** The worker ends: its processes may have got the same signal. Thread-safe. */
  void end() {
    ending.countDown();
  }

  /**
   * Whether the worker ends, or is about to: a signal to the attempt reaches its processes too, and
   * they may have ended by it before the worker has noticed its own. Blocks for a moment.
   */
  boolean endsSoon() throws InterruptedException {
    return ending.await(NOTICED_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Does something unless the worker is about to end; does not block. */
  void unlessEnding(Runnable action) {
    try {
      var unused =
          timer.schedule(
              () -> {
                if (ending.getCount() > 0) {
                  action.run();
                }
              },
              NOTICED_MILLIS,
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException ended) {
      // It has ended.
    }
  }

  long nanoTime() {
    return clock.nanoTime();
  }

  SessionHostSettings settings() {
    return settings;
  }

  void cannotStart(IOException failure) {
    onStartFailure.accept(failure);
  }

  /**
   * Starts the process of a session.
   *
   * @param onEnd called when it has ended
   * @throws IOException if it cannot be started
   */
  ChildProcess start(
      OpenSession<SessionProcess> session, byte[] firstLine, Consumer<ChildProcess> onEnd)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(settings.command()).redirectError(Redirect.INHERIT);
    Map<String, String> environment = builder.environment();
    // It talks to nobody but its host.
    environment.keySet().removeAll(SessionHost.OWN_VARIABLES);
    environment.put("MILLRACE_SESSION_KEY", session.key());
    environment.put("MILLRACE_SESSION_NUMBER", session.number().toString());
    ChildProcess child =
        new ChildProcess(
            builder.start(),
            session.key(),
            firstLine,
            settings.grace(),
            timer,
            out::println,
            onEnd);
    child.begin();
    return child;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
