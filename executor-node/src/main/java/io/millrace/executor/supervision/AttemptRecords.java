package io.millrace.executor.supervision;

import io.millrace.api.Durations;
import io.millrace.api.Sizes;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.Exclusion;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads and writes the records of supervision in an attempt's directory. */
record AttemptRecords(AttemptDirectory directory) {
  private static final Pattern SHELL_TIME = Pattern.compile("(\\d{1,9})m(\\d{1,2}[.,]\\d+)s");

  /**
   * Claims the attempt for this start.
   *
   * @throws java.nio.file.FileAlreadyExistsException when it was started before
   */
  void writeLaunch(CommandOrder launch, Instant startedAt) throws IOException {
    new LineRecord(
            Map.of(
                "started", startedAt.toString(),
                "timeout", launch.timeout().toString(),
                "grace", launch.grace().toString(),
                "memory", Long.toString(launch.memoryLimit()),
                "exclusive", Boolean.toString(launch.exclusion().isPresent()),
                "failover",
                    launch
                        .exclusion()
                        .flatMap(Exclusion::failover)
                        .map(Duration::toString)
                        .orElse("")))
        .create(directory.launchRecord());
  }

  /**
   * Whether a start was attempted: from then on a process may exist. True, too, if the disk cannot
   * tell.
   */
  boolean wasLaunched() {
    return !Files.notExists(directory.launchRecord());
  }

  Optional<LaunchRecord> launch() throws IOException {
    Optional<LineRecord> read = LineRecord.read(directory.launchRecord());
    try {
      return read.map(
          lines ->
              new LaunchRecord(
                  Instant.parse(lines.text("started").orElse("")),
                  Duration.parse(lines.text("timeout").orElse("")),
                  Duration.parse(lines.text("grace").orElse("")),
                  lines.number("memory").orElse(0L),
                  exclusion(lines)));
    } catch (DateTimeParseException tamperedWith) {
      return Optional.empty();
    }
  }

  private static Optional<Exclusion> exclusion(LineRecord lines) {
    if (!lines.text("exclusive").orElse("").equals("true")) {
      return Optional.empty();
    }
    return Optional.of(
        new Exclusion(lines.text("failover").filter(text -> !text.isEmpty()).map(Duration::parse)));
  }

  /** The supervising shell, as it has recorded itself. */
  Optional<ProcessIdentity> supervisor() throws IOException {
    return identity(directory.supervisorRecord());
  }

  /** The watchdog of a single instance, as it has recorded itself. */
  Optional<ProcessIdentity> watchdog() throws IOException {
    return identity(directory.watchdogRecord());
  }

  /** Sets the watchdog's deadline, as time since the machine's start. */
  void writeLease(Duration deadline) throws IOException {
    // In hundredths of a second, as the shell reads the machine's uptime.
    new LineRecord(Map.of("deadline", Long.toString(deadline.toMillis() / 10)))
        .write(directory.leaseRecord());
  }

  void writeUsage(Usage usage) throws IOException {
    new LineRecord(
            Map.of(
                "cpu", Long.toString(usage.cpuMillis()),
                "memory", Long.toString(usage.memoryBytes()),
                "read", Long.toString(usage.readBytes()),
                "written", Long.toString(usage.writtenBytes())))
        .write(directory.usageRecord());
  }

  /** The usage that an agent last kept. */
  Optional<Usage> usage() throws IOException {
    return LineRecord.read(directory.usageRecord())
        .map(
            lines ->
                new Usage(
                    lines.number("cpu").orElse(0L),
                    lines.number("memory").orElse(0L),
                    lines.number("read").orElse(0L),
                    lines.number("written").orElse(0L)));
  }

  private static Optional<ProcessIdentity> identity(Path file) throws IOException {
    return LineRecord.read(file)
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
                  CommandEnd.Kind.valueOf(lines.text("kind").orElse("")),
                  lines.text("reason").orElse("")));
    } catch (IllegalArgumentException tamperedWith) {
      return Optional.empty();
    }
  }

  /** Records that no process could be started; other ends are recorded by the supervising shell. */
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
            Files.getLastModifiedTime(file).toInstant(),
            lines.flatMap(record -> childTimes(record.plainLines()))));
  }

  // What the shell's "times" writes: its own two times, and then those of its children.
  private static Optional<Usage> childTimes(String text) {
    List<MatchResult> times = SHELL_TIME.matcher(text).results().toList();
    if (times.size() != 4) {
      return Optional.empty();
    }
    return Optional.of(new Usage(millis(times.get(2)) + millis(times.get(3)), 0, 0, 0));
  }

  private static long millis(MatchResult time) {
    double seconds = Double.parseDouble(time.group(2).replace(',', '.'));
    return Long.parseLong(time.group(1)) * 60_000 + Math.round(seconds * 1_000);
  }

  /**
   * What was recorded about the end of an attempt.
   *
   * @param code as the shell reports it; meaningless when the start failed
   * @param startFailure why no process could be started
   * @param at when it was recorded
   * @param usage the processor time that the shell has recorded; empty when it has not
   */
  record ExitRecord(int code, Optional<String> startFailure, Instant at, Optional<Usage> usage) {}

  /** What re-attachment needs to know of a launch. */
  record LaunchRecord(
      Instant startedAt,
      Duration timeout,
      Duration grace,
      long memoryLimit,
      Optional<Exclusion> exclusion) {

    static LaunchRecord of(CommandOrder launch, Instant startedAt) {
      return new LaunchRecord(
          startedAt, launch.timeout(), launch.grace(), launch.memoryLimit(), launch.exclusion());
    }
  }

  /**
   * Environment variables by which every process of an attempt is recognised as one of this node's,
   * even after it has left its group. They also let a program fence itself.
   *
   * <p>The id alone does not name a node: a restored copy of it has the same one, numbers its
   * attempts alike, and may run on the same machine. Its data directory is another one.
   *
   * @param node its id
   * @param directory the real path of the folder of its attempts
   */
  record AttemptMarks(UUID node, Path directory) {
    static final String ATTEMPT = "MILLRACE_ATTEMPT";
    static final String NODE = "MILLRACE_NODE";
    static final String DIRECTORY = "MILLRACE_ATTEMPTS_DIRECTORY";

    /** The marks of a node whose attempts have this folder, which must exist. */
    static AttemptMarks of(UUID node, Path attempts) throws IOException {
      return new AttemptMarks(node, attempts.toRealPath());
    }

    Map<String, String> of(AttemptId id) {
      return Map.of(ATTEMPT, id.toString(), NODE, node.toString(), DIRECTORY, directory.toString());
    }

    /** Finds the attempt in the NUL-separated variables of a process; empty if not of this node. */
    Optional<AttemptId> read(String variables) {
      boolean ours = false;
      boolean elsewhere = false;
      Optional<AttemptId> id = Optional.empty();
      for (String variable : variables.split("\0", -1)) {
        ours |= variable.equals(NODE + "=" + node);
        // Missing in processes that a version without this mark has started.
        elsewhere |=
            variable.startsWith(DIRECTORY + "=")
                && isOfACopy(variable.substring(DIRECTORY.length() + 1));
        if (variable.startsWith(ATTEMPT + "=")) {
          id = parse(variable.substring(ATTEMPT.length() + 1));
        }
      }
      return ours && !elsewhere ? id : Optional.empty();
    }

    /**
     * Whether a process of this node's id was started by a copy of it: its folder is another one. A
     * folder that is no longer there was this one's before it was moved, or was lost and restored
     * to this one; no other agent looks after its processes.
     */
    private boolean isOfACopy(String other) {
      try {
        Path path = Path.of(other);
        return !path.equals(directory)
            && !Files.notExists(path)
            && !Files.isSameFile(path, directory);
      } catch (InvalidPathException notOne) {
        return false;
      } catch (IOException unreadable) {
        // There is a folder, so that it may have an agent.
        return true;
      }
    }

    private static Optional<AttemptId> parse(String text) {
      try {
        return Optional.of(AttemptId.parse(text));
      } catch (IllegalArgumentException madeUp) {
        return Optional.empty();
      }
    }
  }

  /**
   * Why Millrace itself is ending an attempt; decided once per attempt and kept on disk, so that an
   * agent that restarts meanwhile still reports the right reason.
   */
  record Intent(CommandEnd.Kind kind, String reason) {
    private static final long TENTH = 100;
    private static final long MEBIBYTE = 1 << 20;

    static Intent timedOut(Duration ran, Duration limit) {
      Duration seen = Duration.ofMillis(ran.toMillis() / TENTH * TENTH);
      Duration reported = seen.compareTo(limit) < 0 ? limit : seen;
      return new Intent(
          CommandEnd.Kind.TIMED_OUT,
          "killed: ran " + Durations.format(reported) + ", limit " + Durations.format(limit));
    }

    static Intent memoryExceeded(long limit, long used) {
      long reported = used > MEBIBYTE ? (used + MEBIBYTE - 1) / MEBIBYTE * MEBIBYTE : used;
      return new Intent(
          CommandEnd.Kind.MEMORY_EXCEEDED,
          "killed: memory " + Sizes.readable(limit) + ", used " + Sizes.readable(reported));
    }
  }
}
