package io.millrace.executor.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.WorkerDefinition;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the host of a session worker is told on its command line.
 *
 * @param command of each session's process
 * @param cap the most sessions, and so processes
 * @param timeout the longest time without a result while a process has an event; zero for no limit
 * @param grace from TERM to KILL
 */
public record SessionHostSettings(List<String> command, int cap, Duration timeout, Duration grace) {
  public SessionHostSettings {
    command = List.copyOf(command);
  }

  /** Those of a worker. */
  public static SessionHostSettings of(JobSpec spec) {
    return new SessionHostSettings(
        spec.command(),
        WorkerDefinition.processes(spec.slots()),
        spec.timeout() == null ? Duration.ZERO : spec.timeout(),
        spec.grace());
  }

  /** The command that starts the host with the Java and the libraries of this process. */
  public List<String> hostCommand() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xmx96m",
        // Otherwise threads that end by it would leave sessions held, and processes without an
        // owner.
        "-XX:+ExitOnOutOfMemoryError",
        "-Xss320k",
        // Variables and files in UTF-8, whatever the locale of the node is.
        "-Dfile.encoding=UTF-8",
        "-cp",
        classPath(),
        SessionHost.class.getName(),
        text());
  }

  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  // Without other letters, which arguments lose in some locales.
  private String text() {
    try {
      return Json.mapper()
          .writer()
          .with(JsonWriteFeature.ESCAPE_NON_ASCII)
          .writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts, numbers and durations can be written", e);
    }
  }

  /** Reads what {@link #hostCommand} writes. */
  static SessionHostSettings parse(String text) {
    return Json.read(text, SessionHostSettings.class);
  }
}
