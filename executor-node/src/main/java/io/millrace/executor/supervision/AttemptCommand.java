package io.millrace.executor.supervision;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the process of an attempt: {@code setsid sh supervise.sh <directory> <options…> --
 * <argv…>}.
 *
 * <p>The JDK starts children in the agent's own process group; {@code setsid} gives each attempt a
 * session and a group of its own, with the supervising shell's process id. Output goes to files
 * that the child holds open itself, so it goes on when the agent is gone.
 */
final class AttemptCommand {

  static final String SHELL = "/bin/sh";
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final List<String> INHERITED =
      List.of("PATH", "HOME", "LANG", "TZ", "USER", "TMPDIR", "MILLRACE_HOME");

  private final Path setsid;
  private final ShellScripts scripts;
  private final Map<String, String> baseEnvironment;
  private final AttemptMarks marks;

  /**
   * Looks up {@code setsid} on the agent's path.
   *
   * @throws MillraceException when it is not there
   */
  AttemptCommand(ShellScripts scripts, Map<String, String> agentEnvironment, AttemptMarks marks) {
    this.scripts = scripts;
    this.marks = marks;
    this.baseEnvironment = new HashMap<>(Map.of("PATH", DEFAULT_PATH));
    for (String name : INHERITED) {
      if (agentEnvironment.containsKey(name)) {
        baseEnvironment.put(name, agentEnvironment.get(name));
      }
    }
    this.setsid = find("setsid", baseEnvironment.get("PATH"));
  }

  Path script() {
    return scripts.supervise();
  }

  /** What starts a watchdog for an attempt that has lost its own. */
  WatchdogStart watchdogs() {
    return new WatchdogStart(setsid, scripts.watchdog(), marks);
  }

  /**
   * Starts the process.
   *
   * @param group the control group that its command joins
   */
  Process start(Launch launch, AttemptDirectory directory, Optional<ControlGroup> group)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(setsid.toString());
    command.add(SHELL);
    command.add(scripts.supervise().toString());
    command.add(directory.path().toString());
    launch.exclusion().ifPresent(one -> command.add("guard=" + scripts.watchdog()));
    group.ifPresent(one -> command.add("group=" + one.members()));
    command.add("--");
    Map<String, String> environment = new HashMap<>(launch.environment());
    environment.putAll(marks.of(launch.id()));
    Path start = launch.workingDirectory().orElse(directory.work());
    if (launch.runAs().isPresent()) {
      UserSwitch user = new UserSwitch(launch.runAs().get(), directory);
      command.addAll(user.command(scripts.supervise(), start, setpriv(), launch.argv()));
      user.prepare(baseEnvironment, environment);
      // What leads the attempt keeps the agent's rights, so it gets nothing of the user's.
      start = directory.path();
      environment = marks.of(launch.id());
    } else {
      command.addAll(launch.argv());
    }
    File input =
        Files.exists(directory.stdin()) ? directory.stdin().toFile() : new File("/dev/null");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(start.toFile())
            .redirectInput(Redirect.from(input))
            .redirectOutput(Redirect.appendTo(directory.output(LogStream.STDOUT).toFile()))
            .redirectError(Redirect.appendTo(directory.output(LogStream.STDERR).toFile()));
    builder.environment().clear();
    builder.environment().putAll(baseEnvironment);
    builder.environment().putAll(environment);
    return builder.start();
  }

  private Path setpriv() throws IOException {
    try {
      return find("setpriv", baseEnvironment.get("PATH"));
    } catch (MillraceException missing) {
      throw new IOException(missing.getMessage(), missing);
    }
  }

  private static Path find(String program, String searchPath) {
    for (String directory : searchPath.split(":", -1)) {
      Path candidate = Path.of(directory.isEmpty() ? "." : directory, program).toAbsolutePath();
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return candidate;
      }
    }
    throw new MillraceException(
        ErrorCode.CONFIGURATION,
        "'"
            + program
            + "' is not in "
            + searchPath
            + "; install util-linux, without which attempts cannot be stopped as a whole");
  }
}
