package io.millrace.tests.drill.jobs;

import io.millrace.tests.drill.check.TaggedProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The script that every job of a drill runs: it writes what it does to one journal, one line per
 * event, with times since boot, which no fault steps.
 *
 * <pre>
 * start ATTEMPT PID UPTIME NODE NAME
 * beat ATTEMPT PID UPTIME
 * end ATTEMPT PID UPTIME CODE
 * </pre>
 */
public final class JournalScript {
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

  public JournalScript(Path folder) throws IOException {
    this.script = Files.writeString(folder.resolve("job.sh"), TEXT);
    this.journal = Files.createFile(folder.resolve("journal"));
    this.processes = new TaggedProcesses(folder.toString());
  }

  public Path journal() {
    return journal;
  }

  /** All processes that the jobs have started, found by {@link #environment}. */
  public TaggedProcesses processes() {
    return processes;
  }

  /** The environment variables of each job. */
  public Map<String, String> environment() {
    return processes.environment();
  }

  /**
   * The command of one job.
   *
   * @param name its name in the journal
   * @param beats duration in fifths of a second
   * @param failures the number of first attempts that fail with exit code 7
   */
  public List<String> command(String name, int beats, int failures) {
    return List.of(
        "sh",
        script.toString(),
        journal.toString(),
        name,
        Integer.toString(beats),
        Integer.toString(failures));
  }
}
