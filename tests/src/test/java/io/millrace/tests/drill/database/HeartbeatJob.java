package io.millrace.tests.drill.database;

import io.millrace.api.job.JobDraft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A job that writes its start and heartbeats to a file; it ends when a second file appears. */
final class HeartbeatJob {
  private static final String SCRIPT =
      "echo start >> \"$0\"; while [ ! -e \"$0.end\" ]; do echo beat >> \"$0\"; sleep 0.2; done";

  private final Path file;

  HeartbeatJob(Path folder, String name) {
    this.file = folder.resolve(name + ".journal");
  }

  JobDraft draft() {
    return JobDraft.command("sh", "-c", SCRIPT, file.toString());
  }

  void end() throws IOException {
    Files.createFile(file.resolveSibling(file.getFileName() + ".end"));
  }

  long starts() throws IOException {
    return lines().stream().filter("start"::equals).count();
  }

  private List<String> lines() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }
}
