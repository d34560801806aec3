package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.supervision.Launch.RunAs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides as which user a job runs on this node. Stateless and thread-safe.
 *
 * @param allowed names of the users that jobs may ask for
 */
public record UserLookup(Set<String> allowed) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*\\$?");
  private static final String OWN_UID = "unix:uid";

  public UserLookup {
    allowed = Set.copyOf(allowed);
  }

  /**
   * The user that a job asks for; empty if it asks for none or for the agent's user.
   *
   * <p>Blocks for the time of two process starts, as users may come from a directory server.
   *
   * @throws MillraceException with what to do if it cannot run as that user on this node
   */
  public Optional<RunAs> find(String name) {
    if (name == null) {
      return Optional.empty();
    }
    if (!NAME.matcher(name).matches()) {
      throw refused(name, "that is not a user name");
    }
    if (name.equals(System.getProperty("user.name")) && !agentIsRoot()) {
      return Optional.empty();
    }
    if (!allowed.contains(name)) {
      throw refused(name, "runAsUsers in this execution node's settings does not name that user");
    }
    if (!agentIsRoot()) {
      throw refused(
          name, "this execution node does not run as root and cannot become another user");
    }
    int user = number(name, "-u");
    if (user == 0) {
      throw refused(name, "jobs never run as root");
    }
    return Optional.of(new RunAs(name, user, number(name, "-g")));
  }

  private static boolean agentIsRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), OWN_UID).equals(0);
    } catch (IOException e) {
      return false;
    }
  }

  private static int number(String name, String option) {
    try {
      Process process =
          new ProcessBuilder("id", option, "--", name)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      if (process.waitFor() == 0) {
        return Integer.parseInt(text);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | NumberFormatException e) {
      throw refused(name, "the user cannot be looked up: " + e.getMessage());
    }
    throw refused(name, "there is no such user on this node; create it or run elsewhere");
  }

  private static MillraceException refused(String name, String why) {
    return new MillraceException(ErrorCode.CONFIGURATION, "runAs '" + name + "': " + why);
  }
}
