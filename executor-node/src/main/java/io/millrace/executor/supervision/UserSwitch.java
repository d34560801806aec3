package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the command of an attempt with the rights of another user.
 *
 * <p>The rights are dropped first of all. Only then a shell of that user takes the attempt's
 * variables from a file that is the user's alone, deletes it, and goes to the working directory: no
 * variable and no path that the job names is ever looked at with the agent's rights. The records of
 * supervision stay out of the user's reach.
 *
 * @param user whose rights it gets
 * @param directory the attempt's
 */
record UserSwitch(RunAs user, AttemptDirectory directory) {
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
    command.add("--");
    command.add(AttemptCommand.SHELL);
    command.add("-c");
    command.add(ENTER);
    // By this name the shell begins its complaints, which then are read as those of the start.
    command.add(script.toString());
    command.add(variables().toString());
    command.add(start.toString());
    command.addAll(argv);
    return command;
  }

  /** Gives the user its working directory and the variables. */
  void prepare(Map<String, String> base, Map<String, String> environment) throws IOException {
    Files.setPosixFilePermissions(
        directory.path().getParent(), PosixFilePermissions.fromString("rwx--x--x"));
    Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwx--x--x"));
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
    give(variables());
    give(directory.work());
    LOGGER.debug("attempt {} runs as {}", directory.id(), user.name());
  }

  private Path variables() {
    return directory.work().resolve(".millrace-environment");
  }

  private void give(Path path) throws IOException {
    Files.setAttribute(path, "unix:gid", user.group(), LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(path, "unix:uid", user.user(), LinkOption.NOFOLLOW_LINKS);
  }

  // Between single quotes a shell takes everything as it is, but for the quote itself.
  private static String quoted(String value) {
    return "'" + value.replace("'", "'\\''") + "'\n";
  }
}
