package io.millrace.executor.supervision;

import static org.awaitility.Awaitility.await;

import io.millrace.api.DataSize;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A node's directories and its supervisors, one after another; leaves no process behind. */
final class SupervisionFixture implements AutoCloseable {

  static final Duration LONG = Duration.ofSeconds(30);
  static final Duration NO_TIMEOUT = Duration.ZERO;
  static final SupervisionSettings SETTINGS =
      new SupervisionSettings(
          Duration.ofMillis(20),
          Duration.ofSeconds(20),
          Duration.ofMillis(100),
          new LogLimits(new DataSize(64 << 10), new DataSize(64 << 10)),
          Optional.empty());

  final UUID node = UUID.randomUUID();
  final Path directory;
  private final Clock clock = new SystemClock();
  private final ProcessTable table = new ProcessTable(Path.of("/proc"));
  private Supervisor supervisor;
  private int lastNumber;

  SupervisionFixture(Path directory) {
    this.directory = directory;
    this.supervisor = openSupervisor();
  }

  static boolean machineCanSupervise() {
    return Files.exists(Path.of("/proc/self/stat"))
        && List.of("/usr/bin/setsid", "/bin/setsid").stream()
            .anyMatch(name -> Files.isExecutable(Path.of(name)));
  }

  Supervisor supervisor() {
    return supervisor;
  }

  ProcessTable table() {
    return table;
  }

  Path attempts() {
    return directory.resolve("attempts");
  }

  AttemptId nextId() {
    lastNumber++;
    return new AttemptId(7, lastNumber);
  }

  /** The agent ends and another one begins on the same directories. */
  Supervisor restartAgent() {
    supervisor.close();
    supervisor = openSupervisor();
    return supervisor;
  }

  SupervisedProcess start(String... argv) {
    return start(NO_TIMEOUT, LONG, argv);
  }

  SupervisedProcess start(Duration timeout, Duration grace, String... argv) {
    return supervisor.start(
        new CommandOrder(nextId(), List.of(argv), Map.of(), Optional.empty(), timeout, grace));
  }

  /** Starts a script and waits until it has written "ready". */
  SupervisedProcess startAndAwaitReady(Duration timeout, Duration grace, String script) {
    SupervisedProcess process = start(timeout, grace, "sh", "-c", script);
    await().atMost(LONG).until(() -> output(process).contains("ready"));
    return process;
  }

  static CommandEnd ending(SupervisedProcess process) throws Exception {
    return process.ending().get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  String output(SupervisedProcess process) throws IOException {
    return text(process, LogStream.STDOUT);
  }

  String errors(SupervisedProcess process) throws IOException {
    return text(process, LogStream.STDERR);
  }

  private String text(SupervisedProcess process, LogStream stream) throws IOException {
    return supervisor.directory(process.id()).tail(stream, 100_000).text();
  }

  /** The number that the script has printed after a word, such as {@code child=123}. */
  long printed(SupervisedProcess process, String word) throws IOException {
    return output(process)
        .lines()
        .filter(line -> line.startsWith(word + "="))
        .map(line -> Long.valueOf(line.substring(word.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  boolean isAlive(long pid) {
    return table.find(pid).filter(ProcessEntry::isAlive).isPresent();
  }

  boolean hasFamily(SupervisedProcess process) {
    long leader = process.pid().orElseThrow();
    return table.alive().stream()
        .anyMatch(entry -> entry.group() == leader || entry.session() == leader);
  }

  /** The agent of a restored copy: of the same id, in another data directory. */
  Supervisor copyOfTheNode() {
    return openSupervisor(directory.resolve("copy"));
  }

  private Supervisor openSupervisor() {
    return openSupervisor(directory);
  }

  private Supervisor openSupervisor(Path data) {
    return new Supervisor(
        data.resolve("run"), data.resolve("attempts"), node, System.getenv(), SETTINGS, clock);
  }

  @Override
  public void close() {
    supervisor.close();
    try (Supervisor last = openSupervisor()) {
      last.sweepStrays(Set.of());
    }
  }
}
