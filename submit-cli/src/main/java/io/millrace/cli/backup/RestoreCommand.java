package io.millrace.cli.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace restore FILE}. */
@Command(
    name = "restore",
    description = {
      "Restores a backup on stopped servers: into the data directory of 'millrace up', or the part"
          + " of one server that its configuration file names.",
      "Checks the whole backup first. Everything that servers and programs of the time after the"
          + " backup still send is refused afterwards."
    },
    footer = {
      "",
      "Examples:",
      "  millrace restore monday.zip --data /var/lib/millrace",
      "  millrace restore monday.zip --data /tmp/look --drained",
      "  millrace restore monday.zip --manager-config manager.yaml",
      "  millrace restore monday.zip --queue-node-config queue-node-1.yaml"
    })
public final class RestoreCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "FILE", description = "The backup.")
  private Path file;

  @Option(
      names = "--manager-config",
      paramLabel = "FILE",
      description = "Restore the central database that this configuration of a manager names.")
  private Path managerConfig;

  @Option(
      names = "--queue-node-config",
      paramLabel = "FILE",
      description = "Restore the events of the queue node that has this configuration.")
  private Path queueNodeConfig;

  @Option(
      names = "--overwrite",
      description = "Replace a database or store that is not empty; an old store in files is kept.")
  private boolean overwrite;

  @Option(
      names = "--hold",
      paramLabel = "DURATION",
      description =
          "How long single instances and jobs of lanes wait before they start (default: the longest"
              + " failover time in the backup, so that copies from before have ended).")
  private Duration hold;

  @Option(
      names = "--drained",
      description =
          "Start nothing: all execution nodes, also new ones, are drained until 'millrace node undrain"
              + " NODE'.")
  private boolean drained;

  public RestoreCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    if (managerConfig != null && queueNodeConfig != null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "use either --manager-config or --queue-node-config, one command for each server");
    }
    if (hold != null && (hold.isNegative() || queueNodeConfig != null)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "--hold: a time of 0s or more, with the central database only");
    }
    if (drained && queueNodeConfig != null) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "--drained: with the central database only; leave it out for a queue node");
    }
    // The classes of servers are not on the class path of commands that only call servers.
    RestoreRun run =
        new RestoreRun(invocation, new RestoreRun.Request(file, overwrite, hold, drained));
    if (managerConfig != null) {
      run.manager(managerConfig);
    } else if (queueNodeConfig != null) {
      run.queueNode(queueNodeConfig);
    } else {
      run.everything(invocation.dataDirectory());
    }
    return ExitCode.OK.code();
  }
}
