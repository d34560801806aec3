package io.millrace.cli.server;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.QueueClient;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.nio.file.Path;

/** Runs the demo beside the servers, on a thread of its own that ends with it. */
final class DemoRun implements AutoCloseable {
  private final Invocation invocation;
  private final DemoPlan plan;
  private final StopSignals stop;
  private final Demo demo;
  private final Thread thread;
  private volatile ExitCode exit = ExitCode.OK;

  DemoRun(
      Invocation invocation,
      Path data,
      DemoPlan plan,
      StopSignals stop,
      ApiClient central,
      ApiClient balancer) {
    this.invocation = invocation;
    this.plan = plan;
    this.stop = stop;
    this.demo =
        new Demo(
            new Demo.Settings(demoFolder(), data.resolve("demo"), plan.speed(), invocation.json()),
            new CentralClient(central),
            new QueueClient(balancer),
            invocation.terminal(),
            invocation.clock());
    this.thread = Threads.daemon("demo", this::run);
    thread.start();
  }

  /** Below where the launcher says that Millrace lies. */
  private static Path demoFolder() {
    return Path.of(System.getProperty("millrace.home", ".")).resolve("jobs/demo").toAbsolutePath();
  }

  private void run() {
    try {
      exit = demo.run() ? ExitCode.OK : ExitCode.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (IOException | RuntimeException e) {
      exit = ExitCode.FAILED;
      if (!stop.asked()) {
        invocation.note("error: the demo stopped: " + e.getMessage());
      }
    }
    if (plan.leave()) {
      stop.ask();
    } else if (!stop.asked()) {
      invocation.note("Everything still runs; stop with Ctrl-C.");
    }
  }

  /** What the process exits with; a demo cut short by the user is no failure. */
  int exitCode() {
    return exit.code();
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  /**
   * How the demo is to run.
   *
   * @param speed how many times as fast as the day
   * @param leave whether {@code up} ends with it
   */
  record DemoPlan(double speed, boolean leave) {}
}
