package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeRegistration;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides as which user a job runs on this node, and lets these users reach their attempts'
 * folders. Thread-safe.
 *
 * <p>An agent that runs as root never runs a job as root by accident: a job that names no user runs
 * as {@code limits.defaultUser}, and is refused without one, unless {@code limits.allowRoot} is
 * set.
 */
public final class UserLookup {
  private static final Logger LOGGER = LoggerFactory.getLogger(UserLookup.class);
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*\\$?");
  private static final String USER_PROPERTY = "user.name";
  private static final String ROOT = "root";
  // Users may come from a directory server, which each start of a job would ask.
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  private final Set<String> allowed;
  private final Optional<String> defaultUser;
  private final boolean allowRoot;
  private final boolean agentIsRoot;
  private final Clock clock;
  // No more entries than allowed users.
  private final Map<String, KnownUser> known = new ConcurrentHashMap<>();

  /** For the agent of this process. */
  public UserLookup(LimitSettings limits, Clock clock) {
    this(limits, clock, JobFolders.isRoot());
  }

  UserLookup(LimitSettings limits, Clock clock, boolean agentIsRoot) {
    Set<String> users = new HashSet<>(limits.runAsUsers());
    limits.defaultUser().ifPresent(users::add);
    this.allowed = Set.copyOf(users);
    this.defaultUser = limits.defaultUser();
    this.allowRoot = limits.allowRoot();
    this.agentIsRoot = agentIsRoot;
    this.clock = clock;
  }

  /**
   * Checks the settings at the node's start, and lets the users of jobs pass through its folders to
   * those of their attempts. Blocks for some process starts.
   *
   * @param data the node's data directory
   * @param attempts the folder of its attempts, inside the data directory
   * @throws MillraceException CONFIGURATION with what to do if jobs that name no user could not run
   */
  public void prepare(Path data, Path attempts) {
    if (!agentIsRoot) {
      // Throws if it is another user.
      defaultUser.ifPresent(this::find);
      return;
    }
    if (!allowed.isEmpty()) {
      try {
        Files.createDirectories(attempts);
        AttemptDirectory.letUsersPass(data);
        AttemptDirectory.letUsersPass(attempts);
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, "cannot open " + attempts + " to the users of jobs: " + e, e);
      }
    }
    for (String name : allowed) {
      warnOfUnusable(name, attempts.toAbsolutePath().normalize());
    }
    if (defaultUser.isPresent()) {
      requireAccess(lookedUp(defaultUser.get()), attempts.toAbsolutePath().normalize());
    } else if (!allowRoot) {
      LOGGER.warn(
          "this execution node runs as root and refuses jobs that name no user; set"
              + " limits.defaultUser to a user for them");
    }
  }

  /**
   * As which users this node runs jobs, by its configuration; whether these users exist is seen
   * when a job starts.
   */
  AcceptedUsers accepted() {
    if (!agentIsRoot) {
      return new AcceptedUsers(Set.of(System.getProperty(USER_PROPERTY)), true);
    }
    return new AcceptedUsers(
        allowed.stream()
            .filter(name -> NAME.matcher(name).matches() && !name.equals(ROOT))
            .collect(Collectors.toSet()),
        defaultUser.isPresent() || allowRoot);
  }

  /**
   * The attributes of this node's registration with the users of jobs, if there is room for them: a
   * registration with longer attributes is refused.
   */
  public Map<String, String> announcedWith(Map<String, String> attributes) {
    Map<String, String> all = new HashMap<>(attributes);
    all.putAll(accepted().attributes());
    if (Json.write(all).length() <= NodeRegistration.LONGEST_ATTRIBUTES) {
      return Map.copyOf(all);
    }
    LOGGER.warn(
        "the {} users in limits and the labels of this node have more than {} characters: its users"
            + " are not announced, and jobs of other users are placed here and refused",
        allowed.size(),
        NodeRegistration.LONGEST_ATTRIBUTES);
    return Map.copyOf(attributes);
  }

  /**
   * The user that a job runs as; empty for the agent's user.
   *
   * <p>Blocks for the time of two process starts when the user was not looked up within the last
   * minute.
   *
   * @param name the user that the job asks for; null if it asks for none
   * @throws MillraceException CONFIGURATION with what to do if it cannot run on this node
   */
  public Optional<RunAs> find(String name) {
    if (name == null && agentIsRoot && defaultUser.isEmpty() && !allowRoot) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "this execution node runs as root and the job names no user; name one with runAs"
              + " (submit --run-as USER), or set limits.defaultUser in the node's configuration");
    }
    String user = name == null ? defaultUser.orElse(null) : name;
    if (user == null) {
      return Optional.empty();
    }
    if (!NAME.matcher(user).matches()) {
      throw refused(user, "that is not a user name");
    }
    if (user.equals(System.getProperty(USER_PROPERTY)) && !agentIsRoot) {
      return Optional.empty();
    }
    if (!allowed.contains(user)) {
      throw refused(
          user, "limits.runAsUsers in this execution node's configuration does not name that user");
    }
    if (!agentIsRoot) {
      throw refused(
          user, "this execution node does not run as root and cannot become another user");
    }
    return Optional.of(lookedUp(user));
  }

  private RunAs lookedUp(String name) {
    long now = clock.nanoTime();
    KnownUser before = known.get(name);
    if (before != null && now - before.lookedUpAt() < REMEMBERED.toNanos()) {
      return before.user();
    }
    int user = number(name, "-u");
    if (user == 0) {
      throw refused(name, "jobs never run as root");
    }
    RunAs found = new RunAs(name, user, number(name, "-g"));
    known.put(name, new KnownUser(found, now));
    return found;
  }

  private void warnOfUnusable(String name, Path attempts) {
    if (defaultUser.equals(Optional.of(name))) {
      return;
    }
    try {
      requireAccess(lookedUp(name), attempts);
    } catch (MillraceException e) {
      LOGGER.warn("jobs will fail that run as '{}' of limits.runAsUsers: {}", name, e.getMessage());
    }
  }

  private static void requireAccess(RunAs user, Path attempts) {
    try {
      UserRights rights = new UserRights(user);
      for (int length = 1; length <= attempts.getNameCount(); length++) {
        Path part = attempts.getRoot().resolve(attempts.subpath(0, length));
        if (!rights.enters(part)) {
          throw new MillraceException(
              ErrorCode.CONFIGURATION,
              "jobs run as '"
                  + user.name()
                  + "', who cannot enter "
                  + part
                  + " on the way to their working directories; run 'chmod o+x' on it, or use a data"
                  + " directory that this user can reach, such as /var/lib/millrace");
        }
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "limits.defaultUser: cannot become the user '" + user.name() + "': " + e.getMessage(),
          e);
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
    return new MillraceException(ErrorCode.CONFIGURATION, "user '" + name + "': " + why);
  }

  private record KnownUser(RunAs user, long lookedUpAt) {}
}
