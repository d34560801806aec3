package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace up}. */
@Command(
    name = "up",
    description = "Runs a whole cluster in this process, on this machine, until Ctrl-C.",
    footer = {
      "",
      "Examples:",
      "  millrace up",
      "  millrace up --data /tmp/try --port 7800",
      "  millrace up --demo --speed 600      replay a real day in 144 seconds",
      "",
      "What it keeps lies in the data directory (default: MILLRACE_DATA or ~/.millrace); started",
      "again on the same directory, it goes on where it stopped."
    })
public final class UpCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--port",
      defaultValue = "7700",
      description =
          "Of the central manager (default: ${DEFAULT-VALUE}); the load balancer gets the next"
              + " one. 0 for any free ones.")
  private int port;

  @Option(
      names = "--queue-nodes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Queue nodes (default: ${DEFAULT-VALUE}).")
  private int queueNodes;

  @Option(
      names = "--executors",
      paramLabel = "N",
      defaultValue = "2",
      description = "Execution nodes (default: ${DEFAULT-VALUE}).")
  private int executors;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of each execution node (default: two for each processor, at least 4).")
  private int slots;

  @Option(names = "--demo", description = "Replay a real day through five queues.")
  private boolean demo;

  @Option(
      names = "--speed",
      paramLabel = "X",
      defaultValue = "600",
      description = "How many times as fast as the day (default: ${DEFAULT-VALUE}).")
  private double speed;

  @Option(names = "--exit", description = "Stop when the demo is over, even on a terminal.")
  private boolean exit;

  public UpCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    require(port >= 0 && port < 65_535, "--port is 0 to 65534");
    require(queueNodes >= 1 && executors >= 1, "--queue-nodes and --executors are at least 1");
    require(slots >= 0, "--slots is not negative");
    require(speed > 0, "--speed is above 0");
    require(demo || !exit, "--exit goes with --demo");
    UpSettings settings =
        new UpSettings(invocation.dataDirectory(), port, queueNodes, executors, slots, demo);
    boolean leave = exit || invocation.json() || !invocation.terminal().outIsTerminal();
    DemoPlan plan = demo ? new DemoPlan(speed, leave) : null;
    return new UpRun(invocation, settings, plan).run();
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
