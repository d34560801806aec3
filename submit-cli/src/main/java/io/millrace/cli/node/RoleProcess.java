package io.millrace.cli.node;

import io.millrace.cli.invocation.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Starts a role with the launcher that started this command. */
final class RoleProcess {
  private final String launcher;

  /** The launcher is where {@code MILLRACE_HOME} says, or else on the path. */
  RoleProcess(Map<String, String> environment) {
    String home = environment.getOrDefault("MILLRACE_HOME", "");
    launcher = home.isEmpty() ? "millrace" : Path.of(home, "bin", "millrace").toString();
  }

  /** The command that starts the role. */
  List<String> command(JoinRole role, Path configuration) {
    return List.of(launcher, role.verb(), "--config", configuration.toString());
  }

  /** Runs it on this terminal until it ends; gives its exit code. A signal to us ends it. */
  int run(List<String> command) throws InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      throw Refusal.of(
          "--start", "the launcher can't be started (" + e.getMessage() + "); run it yourself");
    }
    Thread hook = new Thread(() -> end(process), "end-of-role");
    Runtime.getRuntime().addShutdownHook(hook);
    int code = process.waitFor();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The signal came first and ended it.
      return code;
    }
    return code;
  }

  private static void end(Process process) {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
