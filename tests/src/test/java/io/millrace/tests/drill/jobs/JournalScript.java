package io.millrace.tests.drill.jobs;

import io.millrace.tests.drill.check.TaggedProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What every job of the drill runs: a shell script that writes what it does to one journal, a line
 * at a time, dated by the clock since boot, which nobody steps.
 *
 * <pre>
 * start ATTEMPT PID UPTIME NODE NAME
 * beat ATTEMPT PID UPTIME
 * end ATTEMPT PID UPTIME CODE
 * </pre>
 */
final class JournalScript {
  private static final String TEXT =
      """
      journal=$1 name=$2 beats=$3 failures=$4
      now() { read -r up rest < /proc/uptime; }
      now
      echo "start $MILLRACE_ATTEMPT $$ $up $MILLRACE_NODE $name" >> "$journal"
      while [ "$beats" -gt 0 ]; do
        sleep 0.2
        now
        echo "beat $MILLRACE_ATTEMPT $$ $up" >> "$journal"
        beats=$((beats - 1))
      done
      code=0
      if [ "${MILLRACE_ATTEMPT#*.}" -le "$failures" ]; then
        code=7
      fi
      now
      echo "end $MILLRACE_ATTEMPT $$ $up $code" >> "$journal"
      exit $code
      """;

  private final Path script;
  private final Path journal;
  private final TaggedProcesses processes;

  JournalScript(Path folder) throws IOException {
    this.script = Files.writeString(folder.resolve("job.sh"), TEXT);
    this.journal = Files.createFile(folder.resolve("journal"));
    this.processes = new TaggedProcesses(folder.toString());
  }

  Path journal() {
    return journal;
  }

  /** Whatever the jobs have started, by what {@link #environment} gave them. */
  TaggedProcesses processes() {
    return processes;
  }

  /** What each job gets into its environment. */
  Map<String, String> environment() {
    return processes.environment();
  }

  /**
   * The command of one job.
   *
   * @param name what the journal calls it
   * @param beats fifths of a second that it runs
   * @param failures of its attempts, the first so many fail with exit code 7
   */
  List<String> command(String name, int beats, int failures) {
    return List.of(
        "sh",
        script.toString(),
        journal.toString(),
        name,
        Integer.toString(beats),
        Integer.toString(failures));
  }
}
