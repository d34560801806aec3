package io.millrace.manager.schedule;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Names tasks after the programs that their commands run, each differently. Used by one thread. */
final class TaskNames {
  private static final int LONGEST = 50;

  /** Commands that prepare or wrap another, and how many plain words belong to them. */
  private static final Map<String, Integer> WRAPPERS =
      Map.ofEntries(
          Map.entry("env", 0),
          Map.entry("exec", 0),
          Map.entry("nice", 0),
          Map.entry("ionice", 0),
          Map.entry("nohup", 0),
          Map.entry("sudo", 0),
          Map.entry("time", 0),
          Map.entry("flock", 1),
          Map.entry("timeout", 1),
          Map.entry("sh", 0),
          Map.entry("bash", 0),
          Map.entry("python", 0),
          Map.entry("python3", 0),
          Map.entry("perl", 0),
          Map.entry("php", 0),
          Map.entry("ruby", 0),
          Map.entry("node", 0));

  /** Neither an option nor a variable. */
  private static final Pattern PLAIN = Pattern.compile("[^-=][^=]*");

  private static final Set<String> PREPARATIONS =
      Set.of("cd", "test", "[", "export", "sleep", "set", ".", "source", "umask", "command");

  private final Set<String> taken = new HashSet<>();

  /** A name that was not given before. */
  String of(String command) {
    String base =
        Arrays.stream(command.split("&&|\\|\\||[;|]", -1))
            .map(TaskNames::program)
            .flatMap(Optional::stream)
            .findFirst()
            .orElse("task");
    String name = base;
    for (int number = 2; !taken.add(name); number++) {
      name = base + "-" + number;
    }
    return name;
  }

  private static Optional<String> program(String part) {
    int toSkip = 0;
    for (String word : part.strip().split("\\s+", -1)) {
      String last = word.substring(word.lastIndexOf('/') + 1);
      if (PREPARATIONS.contains(last)) {
        return Optional.empty();
      }
      if (WRAPPERS.containsKey(last)) {
        toSkip = WRAPPERS.get(last);
      } else if (PLAIN.matcher(word).matches()) {
        if (toSkip == 0) {
          return slug(last);
        }
        toSkip--;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> slug(String word) {
    String slug =
        word.toLowerCase(Locale.ROOT)
            .replaceFirst("\\.(sh|py|pl|php|rb|js|jar)$", "")
            .replaceAll("[^a-z0-9._-]+", "-")
            .replaceAll("^[._-]+|[._-]+$", "");
    return slug.isEmpty()
        ? Optional.empty()
        : Optional.of(slug.substring(0, Math.min(LONGEST, slug.length())));
  }
}
