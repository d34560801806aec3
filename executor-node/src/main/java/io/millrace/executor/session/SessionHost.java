package io.millrace.executor.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.SessionConsumer;
import io.millrace.api.client.SessionHandler;
import io.millrace.api.client.SessionNodes;
import io.millrace.api.client.SessionWorkerOptions;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The host of a worker with {@code input: session}: a session worker that runs a process for each
 * session, and ends with 0 when it is asked to leave or cannot reach its queue node for long. It
 * ends with 126 if its command cannot be started; no event is charged for that. Thread-safe.
 */
public final class SessionHost implements AutoCloseable {
  /** Variables that are for the host and not for its processes. */
  static final Set<String> OWN_VARIABLES =
      Set.of(
          "MILLRACE_URL",
          "MILLRACE_TOKEN",
          "MILLRACE_BATCH",
          "MILLRACE_MANAGERS",
          "MILLRACE_SECRET");

  private static final int CANNOT_START = 126;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** A queue node that is restarted elsewhere has another address, which a new worker gets. */
  private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(2);

  private final PrintStream err;
  private final SessionProcesses processes;
  private final SessionConsumer<SessionProcess> worker;
  private volatile int exitCode;

  /**
   * A host that has not started.
   *
   * @param environment of the attempt, as {@link SessionNodes#ofJob} takes it
   * @param patience the longest wait of the queue node for a first event
   * @param out takes lines of processes that are no results
   * @param err takes problems
   */
  SessionHost(
      SessionHostSettings settings,
      Map<String, String> environment,
      HttpTransport transport,
      Duration patience,
      PrintStream out,
      PrintStream err) {
    this.err = err;
    this.processes = new SessionProcesses(settings, out, this::cannotStart, new SystemClock());
    SessionWorkerOptions options =
        SessionWorkerOptions.of(environment.get("MILLRACE_QUEUE"))
            .withJob(environment.get("MILLRACE_ATTEMPT"))
            .withCap(settings.cap())
            .withThreads(settings.cap())
            .withPatience(patience)
            .withLeaveWithin(settings.grace().multipliedBy(4).dividedBy(5))
            .withGiveUpAfter(GIVE_UP_AFTER)
            .withGrace(settings.grace().plus(SessionProcess.KILLING));
    this.worker =
        new SessionConsumer<>(
            options, SessionNodes.ofJob(environment, transport), new ByProcesses());
  }

  /** Runs the host of an attempt; called by execution nodes. */
  public static void main(String[] arguments) throws InterruptedException {
    SessionHost host =
        new SessionHost(
            SessionHostSettings.parse(arguments[0]),
            System.getenv(),
            new UrlTransport(),
            PATIENCE,
            System.out,
            System.err);
    Runtime.getRuntime().addShutdownHook(new Thread(host::close, "session-host-end"));
    host.start();
    System.exit(host.await());
  }

  /** Begins to take sessions. */
  void start() {
    worker.start();
  }

  /** Waits for the end; the exit code. */
  int await() throws InterruptedException {
    worker.awaitEnd();
    return exitCode;
  }

  /** Gives the sessions back when the events in work are done, and ends. */
  @Override
  public void close() {
    processes.end();
    worker.close();
    processes.close();
  }

  private void cannotStart(IOException failure) {
    err.println("the command cannot be started: " + failure.getMessage());
    exitCode = CANNOT_START;
    worker.leave();
  }

  /** Passes the events of sessions to their processes. */
  private final class ByProcesses implements SessionHandler<SessionProcess> {
    @Override
    public SessionProcess open(String key, JsonNode snapshot) {
      return new SessionProcess(processes, key, snapshot);
    }

    @Override
    public void onEvent(OpenSession<SessionProcess> session, SessionEvent event)
        throws InterruptedException {
      session.state().handle(session, event);
    }

    @Override
    public void onLost(SessionProcess process, Duration left) {
      process.lose(left);
    }

    @Override
    public void onClose(SessionProcess process) {
      process.close();
    }

    @Override
    public void onProblem(String node, MillraceException problem) {
      err.println("queue node: " + problem.getMessage());
    }
  }
}
