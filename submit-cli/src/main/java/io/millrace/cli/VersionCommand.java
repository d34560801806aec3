package io.millrace.cli;

import io.millrace.cli.invocation.Invocation;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "version", description = "Prints the version.")
final class VersionCommand implements Callable<Integer> {
  private final Invocation invocation;

  VersionCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    String packaged = Main.class.getPackage().getImplementationVersion();
    String version = packaged == null ? "unpackaged" : packaged;
    String java = System.getProperty("java.version");
    invocation.report(
        Map.of("version", version, "java", java), "millrace " + version + " (Java " + java + ")");
    return 0;
  }
}
