package io.millrace.tests.process;

import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the processes of jobs and workers write about themselves: a line {@code ATTEMPT PID} at each
 * start, a line {@code ATTEMPT} at the end, and a file when an earlier run of the same job is still
 * alive.
 */
final class Journal {
  private static final String BEGIN =
      """
      job=${MILLRACE_ATTEMPT%.*}
      if [ -e "$1/starts/$job" ]; then
        while read -r attempt pid; do
          if kill -0 "$pid" 2>/dev/null; then
            echo "$MILLRACE_ATTEMPT beside $attempt" > "$1/overlaps/$MILLRACE_ATTEMPT"
          fi
        done < "$1/starts/$job"
      fi
      echo "$MILLRACE_ATTEMPT $$" >> "$1/starts/$job"
      """;
  private static final String END =
      """
      echo "$MILLRACE_ATTEMPT" > "$1/ends/$MILLRACE_ATTEMPT"
      """;

  private final Path folder;

  Journal(Path folder) throws IOException {
    this.folder = folder;
    for (String part : List.of("starts", "ends", "overlaps", "events")) {
      Files.createDirectories(folder.resolve(part));
    }
  }

  /** Writes a script that runs a command between its two entries. */
  Path script(String name, String work) throws IOException {
    return Files.writeString(folder.resolve(name), BEGIN + work + "\n" + END);
  }

  /** The folder, which is the scripts' first argument. */
  Path folder() {
    return folder;
  }

  /** One start of a process. */
  record Start(String attempt, long pid) {
    boolean isAlive() {
      return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }
  }

  List<Start> starts() throws IOException {
    return Folders.lines(folder.resolve("starts")).stream()
        .map(line -> line.split(" ", -1))
        .map(words -> new Start(words[0], Long.parseLong(words[1])))
        .toList();
  }

  List<String> overlaps() throws IOException {
    return Folders.lines(folder.resolve("overlaps"));
  }

  /** The lines of all events that workers finished. */
  List<String> events() throws IOException {
    return Folders.lines(folder.resolve("events"));
  }

  /** The number of processes that reached their end. */
  long ends() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("ends"))) {
      return files.count();
    }
  }

  /** Kills processes left over by a failed test. */
  void killRemaining() throws IOException {
    starts().stream()
        .filter(Start::isAlive)
        .forEach(start -> ProcessHandle.of(start.pid()).ifPresent(ProcessHandle::destroyForcibly));
  }
}
