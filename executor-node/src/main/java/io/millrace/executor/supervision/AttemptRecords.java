package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;

/** Reads and writes the records of supervision in an attempt's directory. */
record AttemptRecords(AttemptDirectory directory) {

  /**
   * Takes the attempt for this start.
   *
   * @throws java.nio.file.FileAlreadyExistsException when it was started before
   */
  void writeLaunch(Launch launch, Instant startedAt) throws IOException {
    new LineRecord(
            Map.of(
                "started", startedAt.toString(),
                "timeout", launch.timeout().toString(),
                "grace", launch.grace().toString()))
        .write(directory.launchRecord(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Whether a start was ever tried: from then on a process may exist. */
  boolean wasLaunched() {
    return Files.exists(directory.launchRecord());
  }

  Optional<LaunchRecord> launch() throws IOException {
    Optional<LineRecord> read = LineRecord.read(directory.launchRecord());
    try {
      return read.map(
          lines ->
              new LaunchRecord(
                  Instant.parse(lines.text("started").orElse("")),
                  Duration.parse(lines.text("timeout").orElse("")),
                  Duration.parse(lines.text("grace").orElse(""))));
    } catch (DateTimeParseException tamperedWith) {
      return Optional.empty();
    }
  }

  /** Who supervises the attempt, as the supervising shell has recorded itself. */
  Optional<ProcessIdentity> supervisor() throws IOException {
    return LineRecord.read(directory.supervisorRecord())
        .flatMap(
            lines ->
                lines
                    .number("pid")
                    .flatMap(
                        pid ->
                            lines
                                .number("start")
                                .map(
                                    start ->
                                        new ProcessIdentity(
                                            pid, start, lines.text("boot").orElse("")))));
  }

  void writeIntent(Intent intent) throws IOException {
    new LineRecord(Map.of("kind", intent.kind().name(), "reason", intent.reason()))
        .write(directory.stoppingRecord());
  }

  Optional<Intent> intent() throws IOException {
    Optional<LineRecord> read = LineRecord.read(directory.stoppingRecord());
    try {
      return read.map(
          lines ->
              new Intent(
                  Ending.Kind.valueOf(lines.text("kind").orElse("")),
                  lines.text("reason").orElse("")));
    } catch (IllegalArgumentException tamperedWith) {
      return Optional.empty();
    }
  }

  /**
   * Records that no process could be made; an ordinary end is recorded by the supervising shell.
   */
  void writeStartFailure(String reason) throws IOException {
    new LineRecord(Map.of("failure", reason)).write(directory.exitRecord());
  }

  Optional<ExitRecord> exit() throws IOException {
    Path file = directory.exitRecord();
    Optional<LineRecord> lines = LineRecord.read(file);
    Optional<String> failure = lines.flatMap(record -> record.text("failure"));
    Optional<Long> code = lines.flatMap(record -> record.number("code"));
    if (failure.isEmpty() && code.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ExitRecord(
            code.map(Long::intValue).orElse(0),
            failure,
            Files.getLastModifiedTime(file).toInstant()));
  }
}
