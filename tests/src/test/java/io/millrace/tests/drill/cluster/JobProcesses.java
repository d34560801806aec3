package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The running processes of jobs on this machine, found by their environment. */
public final class JobProcesses {
  private static final Path ALL = Path.of("/proc");
  private static final String ATTEMPT = "MILLRACE_ATTEMPT";
  private static final String NODE = "MILLRACE_NODE";

  private JobProcesses() {}

  /**
   * A process.
   *
   * @param attempt the attempt to which it belongs
   * @param node the id of the execution node that started it
   */
  public record JobProcess(long pid, String attempt, String node) {
    /** Its command line; empty once it has ended. */
    public List<String> words() {
      try {
        return List.of(Files.readString(ALL.resolve(pid + "/cmdline")).split("\0", -1));
      } catch (IOException gone) {
        return List.of();
      }
    }
  }

  /** Those of all clusters; node ids are unique. */
  public static List<JobProcess> all() {
    List<JobProcess> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(ALL)) {
      processes
          .filter(one -> one.getFileName().toString().chars().allMatch(Character::isDigit))
          .forEach(one -> read(one).ifPresent(found::add));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static Optional<JobProcess> read(Path process) {
    String text;
    try {
      text = new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.UTF_8);
    } catch (IOException gone) {
      return Optional.empty();
    }
    if (!text.contains(ATTEMPT + "=")) {
      return Optional.empty();
    }
    Map<String, String> environment = new HashMap<>();
    for (String entry : text.split("\0", -1)) {
      int at = entry.indexOf('=');
      if (at > 0) {
        environment.put(entry.substring(0, at), entry.substring(at + 1));
      }
    }
    long pid = Long.parseLong(process.getFileName().toString());
    return Optional.of(
        new JobProcess(pid, environment.get(ATTEMPT), environment.getOrDefault(NODE, "")));
  }
}
