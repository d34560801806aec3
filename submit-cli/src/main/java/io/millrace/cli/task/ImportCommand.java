package io.millrace.cli.task;

import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = "Makes tasks of the lines of a crontab.",
    footer = {
      "",
      "Examples:",
      "  crontab -l | millrace task import - --dry-run > tasks.yaml",
      "  millrace task import /etc/crontab --system",
      "",
      "Lines that become no task are told, and then nothing is applied and the code is 1."
    })
final class ImportCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "CRONTAB", description = "The file, or - for the standard input.")
  private String file;

  @Option(names = "--dry-run", description = "Only print the definitions, as YAML.")
  private boolean dryRun;

  @Option(
      names = "--system",
      description = "Each line names a user before the command, as in /etc/crontab.")
  private boolean system;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description =
          "Time zone that the crontab means, such as Europe/Amsterdam (default: this"
              + " machine's).")
  private String zone;

  @Option(
      names = "--home",
      paramLabel = "DIR",
      description = "Directory in which cron ran the commands (default: HOME, unless --system).")
  private String home;

  ImportCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    return new ImportRun(invocation, file, dryRun).run(system, zone, home);
  }
}
