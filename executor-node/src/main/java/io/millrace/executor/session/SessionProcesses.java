package io.millrace.executor.session;

import io.millrace.api.client.SessionHandler.OpenSession;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;

/** Starts the processes of sessions. Thread-safe. */
final class SessionProcesses implements AutoCloseable {
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
      SessionHostSettings settings, PrintStream out, Consumer<IOException> onStartFailure) {
    this.settings = settings;
    this.out = out;
    this.onStartFailure = onStartFailure;
    this.timer = new ScheduledThreadPoolExecutor(1, task -> Threads.daemon("session-timer", task));
    timer.setRemoveOnCancelPolicy(true);
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
