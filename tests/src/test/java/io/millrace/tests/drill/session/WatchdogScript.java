package io.millrace.tests.drill.session;

import io.millrace.tests.drill.check.TaggedProcesses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The command of the jobs that work on sessions: a process, and beside it a watchdog that kills it
 * once the deadline has passed that the process itself keeps in a file, also while it is frozen.
 */
final class WatchdogScript {
  // The file has hundredths of seconds since boot, and is replaced as a whole.
  private static final String TEXT =
      """
      deadline=$PWD/deadline
      rm -f "$deadline"
      "$@" "$deadline" &
      child=$!
      trap 'kill -s KILL "$child" 2> /dev/null' TERM INT HUP EXIT
      while kill -s 0 "$child" 2> /dev/null; do
        until=
        if [ -f "$deadline" ]; then
          read -r until < "$deadline"
        fi
        read -r now rest < /proc/uptime
        now=${now%.*}${now#*.}
        if [ -n "$until" ] && [ "$now" -ge "$until" ]; then
          kill -s KILL "$child" 2> /dev/null
        fi
        sleep 0.05
      done
      exit 0
      """;

  private final Path script;
  private final TaggedProcesses processes;

  /** Writes the script. */
  WatchdogScript(Path folder) throws IOException {
    this.script = Files.writeString(folder.resolve("watched.sh"), TEXT);
    this.processes = new TaggedProcesses(folder.toString());
  }

  /** All processes that the jobs have started, found by {@link #environment}. */
  TaggedProcesses processes() {
    return processes;
  }

  /** The environment variables of each job. */
  Map<String, String> environment() {
    return processes.environment();
  }

  /** A command under the watchdog, which adds the file of the deadline to its arguments. */
  List<String> watched(List<String> command) {
    List<String> all = new ArrayList<>(List.of("sh", script.toString()));
    all.addAll(command);
    return all;
  }

  /** The process may live until then, in seconds since boot. */
  static void write(Path deadline, double end) {
    Path fresh = deadline.resolveSibling("deadline.new");
    try {
      Files.writeString(fresh, (long) (end * 100) + "\n");
      Files.move(
          fresh, deadline, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
