package io.millrace.executor.supervision;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.ControlGroups.ControlGroup;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the process of an attempt: {@code setsid sh supervise.sh <directory> <options…> --
 * <argv…>}.
 *
 * <p>The JDK starts children in the agent's own process group; {@code setsid} gives each attempt a
 * session and a group of its own, with the supervising shell's process id. Output goes to files
 * that the child holds open itself, so that it survives the agent.
 */
final class AttemptCommand {

  static final String SHELL = "/bin/sh";
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
  private static final List<String> INHERITED =
      List.of("PATH", "HOME", "LANG", "TZ", "USER", "TMPDIR", "MILLRACE_HOME");

  /** The variable that jobs of workflows have. */
  private static final String STEP_OF = "MILLRACE_WORKFLOW";

  private final Path setsid;
  private final ShellScripts scripts;
  private final Map<String, String> baseEnvironment;
  private final AttemptMarks marks;

  /**
   * Looks up {@code setsid} on the agent's path.
   *
   * @throws MillraceException if it is missing
   */
  AttemptCommand(ShellScripts scripts, Map<String, String> baseEnvironment, AttemptMarks marks) {
    this.scripts = scripts;
    this.marks = marks;
    this.baseEnvironment = Map.copyOf(baseEnvironment);
    this.setsid = find("setsid", searchPath());
  }

  /** What attempts get of the agent's environment. */
  static Map<String, String> inherited(Map<String, String> agentEnvironment) {
    Map<String, String> inherited = new HashMap<>(Map.of("PATH", DEFAULT_PATH));
    for (String name : INHERITED) {
      if (agentEnvironment.containsKey(name)) {
        inherited.put(name, agentEnvironment.get(name));
      }
    }
    return inherited;
  }

  Path script() {
    return scripts.supervise();
  }

  /** The launcher of watchdogs for attempts that have lost theirs. */
  WatchdogStart watchdogs() {
    return new WatchdogStart(setsid, scripts.watchdog(), marks);
  }

  /**
   * Starts the process.
   *
   * @param group the control group that its command joins
   */
  Process start(CommandOrder launch, AttemptDirectory directory, Optional<ControlGroup> group)
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
    environment.put("MILLRACE_PROGRESS", directory.progress().toString());
    Path start = launch.workingDirectory().orElse(directory.work());
    directory.createOutputs();
    if (launch.environment().containsKey(STEP_OF)) {
      directory.createValues();
      environment.put("MILLRACE_OUTPUT", directory.values().toString());
    }
    if (launch.runAs().isPresent()) {
      UserSwitch user = new UserSwitch(launch.runAs().get(), directory);
      command.addAll(user.command(scripts.supervise(), start, setpriv(), launch.argv()));
      user.prepare(baseEnvironment, environment);
      // The supervising shell keeps the agent's rights, so it gets none of the user's variables.
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
            .redirectInput(launch.pipedInput() ? Redirect.PIPE : Redirect.from(input))
            .redirectOutput(Redirect.appendTo(directory.output(LogStream.STDOUT).toFile()))
            .redirectError(Redirect.appendTo(directory.output(LogStream.STDERR).toFile()));
    builder.environment().clear();
    builder.environment().putAll(baseEnvironment);
    builder.environment().putAll(environment);
    return builder.start();
  }

  private Path setpriv() throws IOException {
    try {
      return find("setpriv", searchPath());
    } catch (MillraceException missing) {
      throw new IOException(missing.getMessage(), missing);
    }
  }

  private String searchPath() {
    return baseEnvironment.getOrDefault("PATH", DEFAULT_PATH);
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

  /**
   * Runs the command of an attempt with the rights of another user.
   *
   * <p>The rights are dropped first of all. Only then a shell of that user takes the attempt's
   * variables from a file that is the user's alone, deletes it, and goes to the working directory:
   * no variable or path of the job is evaluated with the agent's rights. The user cannot change the
   * records of supervision.
   *
   * @param user whose rights it gets
   * @param directory the attempt's
   */
  private record UserSwitch(RunAs user, AttemptDirectory directory) {
    private static final Logger LOGGER = LoggerFactory.getLogger(UserSwitch.class);
    private static final Set<String> NOT_THE_USERS = Set.of("HOME", "USER", "TMPDIR");
    private static final String ENTER =
        ". \"$1\" && /bin/rm -f -- \"$1\" && cd -- \"$2\" || exit 126; shift 2; exec \"$@\"";

    /** The command that begins with the agent's rights and ends as the attempt's command. */
    List<String> command(Path script, Path start, Path setpriv, List<String> argv) {
      List<String> command = new ArrayList<>();
      command.add(setpriv.toString());
      command.add("--reuid=" + user.user());
      command.add("--regid=" + user.group());
      command.add("--init-groups");
      command.add("--reset-env");
      // No program that the job starts can get other rights back, such as sudo.
      command.add("--no-new-privs");
      command.add("--");
      command.add(AttemptCommand.SHELL);
      command.add("-c");
      command.add(ENTER);
      // The shell's error messages begin with this name and are then recognised as errors of the
      // start.
      command.add(script.toString());
      command.add(variables().toString());
      command.add(start.toString());
      command.addAll(argv);
      return command;
    }

    /** Gives the user the working directory, the input, the outputs and the variables. */
    void prepare(Map<String, String> base, Map<String, String> environment) throws IOException {
      AttemptDirectory.letUsersPass(directory.path().getParent());
      Map<String, String> all = new HashMap<>(base);
      all.keySet().removeAll(NOT_THE_USERS);
      all.putAll(environment);
      StringBuilder text = new StringBuilder();
      all.forEach(
          (name, value) -> text.append("export ").append(name).append('=').append(quoted(value)));
      FileAttribute<?> ownerOnly =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      Files.createFile(variables(), ownerOnly);
      Files.writeString(
          variables(), text, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
      AttemptDirectory.give(variables(), user);
      directory.giveTo(user);
      LOGGER.debug("attempt {} runs as {}", directory.id(), user.name());
    }

    private Path variables() {
      return directory.work().resolve(".millrace-environment");
    }

    // Between single quotes a shell takes everything literally except the quote itself.
    private static String quoted(String value) {
      return "'" + value.replace("'", "'\\''") + "'\n";
    }
  }

  /**
   * Starts a watchdog for an attempt that has lost its own; normally the supervising shell starts
   * it before the command.
   *
   * @param setsid gives it a session of its own
   * @param script what it runs
   * @param marks by which it knows processes of its attempt
   */
  record WatchdogStart(Path setsid, Path script, AttemptMarks marks) {

    /**
     * Starts one without waiting until it is watching.
     *
     * @return its process, which runs until nothing of the attempt is left
     */
    Process start(AttemptDirectory directory, ProcessIdentity leader) throws IOException {
      Map<String, String> marked = marks.of(directory.id());
      List<String> command = new ArrayList<>();
      command.add(setsid.toString());
      command.add(AttemptCommand.SHELL);
      command.add(script.toString());
      command.add(directory.path().toString());
      command.add(Long.toString(leader.pid()));
      command.add(Long.toString(leader.startTicks()));
      command.add(marked.get(AttemptMarks.ATTEMPT));
      command.add(marked.get(AttemptMarks.NODE));
      command.add(marked.get(AttemptMarks.DIRECTORY));
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(Redirect.from(new File("/dev/null")))
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD);
      builder.environment().clear();
      return builder.start();
    }
  }

  /**
   * The scripts that supervise attempts, as files.
   *
   * @param supervise leads one attempt
   * @param watchdog kills a single instance whose lease has expired
   */
  record ShellScripts(Path supervise, Path watchdog) {

    /**
     * Writes the scripts into the directory, which is created if missing.
     *
     * <p>Replaced by rename and never written over: shells of attempts that outlived an earlier
     * agent may still be reading the old files.
     */
    static ShellScripts install(Path directory) throws IOException {
      Path folder = Files.createDirectories(directory.toAbsolutePath());
      return new ShellScripts(install(folder, "supervise.sh"), install(folder, "watchdog.sh"));
    }

    private static Path install(Path folder, String name) throws IOException {
      try (InputStream source = ShellScripts.class.getResourceAsStream(name)) {
        if (source == null) {
          throw new IOException(name + " is missing from the installation; reinstall Millrace");
        }
        Path fresh = Files.createTempFile(folder, name, ".new");
        Files.writeString(fresh, withoutComments(source));
        return Files.move(fresh, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      }
    }

    // A shell reads the script again for each attempt.
    private static String withoutComments(InputStream source) throws IOException {
      return new String(source.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("#"))
          .collect(Collectors.joining("\n", "", "\n"));
    }
  }
}
