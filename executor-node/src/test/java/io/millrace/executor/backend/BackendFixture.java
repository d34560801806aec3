package io.millrace.executor.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.OpenBackend;
import io.millrace.api.execution.OpenBackend.LeftCommand;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.job.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A backend that is opened for one test, and what tests start with it. */
abstract class BackendFixture {
  static final Duration NO_LIMIT = Duration.ZERO;
  static final Duration LONG = Duration.ofSeconds(60);
  static final String INHERITED = "MILLRACE_CONTRACT_INHERITED";

  @TempDir Path folder;
  private final Map<AttemptId, CommandFiles> files = new HashMap<>();
  OpenBackend open;
  private int lastId;

  /** A new object of the backend. */
  protected abstract ExecutionBackend backend();

  /** Settings that it needs; usually none. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  /** Whether a process runs; to be overridden if commands run on other machines. */
  protected boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  @BeforeEach
  void openIt() {
    open = backend().open(context());
  }

  @AfterEach
  void closeIt() {
    open.endAll();
    open.close();
  }

  List<RunningCommand> restart(RunningCommand... left) {
    List<LeftCommand> commands = new ArrayList<>();
    for (RunningCommand one : left) {
      commands.add(new LeftCommand(one.id(), files(one), one.reference()));
    }
    open.close();
    open = backend().open(context());
    List<RunningCommand> recovered = open.recover(commands);
    open.endOthers(Set.of());
    return recovered;
  }

  static CommandEnd end(List<RunningCommand> commands, AttemptId id) throws Exception {
    return end(commands.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow());
  }

  /** How a command ended; waits for it. */
  protected static CommandEnd end(RunningCommand command) throws Exception {
    return command.ending().get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Starts a script. */
  protected RunningCommand shell(String script) {
    return start("sh", "-c", script);
  }

  /** Starts a program without limits. */
  protected RunningCommand start(String... argv) {
    return start(order(List.of(argv)));
  }

  /** Starts an order. */
  protected RunningCommand start(CommandOrder order) {
    return open.start(order, files(order.id()));
  }

  RunningCommand startReady(Duration grace, String script) throws Exception {
    RunningCommand command = start(order(grace, script));
    await("it is ready", () -> output(command).contains("ready"));
    return command;
  }

  /** The backend that the test uses. */
  protected OpenBackend opened() {
    return open;
  }

  /** An order of its own id, without a time limit. */
  protected CommandOrder order(List<String> argv) {
    return new CommandOrder(
        nextId(), argv, Map.of(), Optional.empty(), NO_LIMIT, Duration.ofSeconds(5));
  }

  CommandOrder order(Duration grace, String script) {
    return new CommandOrder(
        nextId(), List.of("sh", "-c", script), Map.of(), Optional.empty(), NO_LIMIT, grace);
  }

  AttemptId nextId() {
    lastId++;
    return new AttemptId(9, lastId);
  }

  CommandFiles files(RunningCommand command) {
    return files(command.id());
  }

  CommandFiles files(AttemptId id) {
    Path own = context().attempts().resolve(id.toString());
    return files.computeIfAbsent(
        id,
        any ->
            new CommandFiles(
                own.resolve("work"),
                own.resolve("stdin"),
                own.resolve("stdout"),
                own.resolve("stderr"),
                own.resolve("progress"),
                Optional.empty()));
  }

  /** What a command has written to its standard output so far. */
  protected String output(RunningCommand command) throws IOException {
    Path file = files(command).stdout();
    return Files.exists(file) ? Files.readString(file) : "";
  }

  BackendContext context() {
    return new Node(folder, settings());
  }

  /** Something that may become true. */
  interface Condition {
    boolean holds() throws Exception;
  }

  // Without a library, so that tests of other backends need none.
  static void await(String what, Condition condition) throws Exception {
    long begun = System.nanoTime();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - begun).as(what).isLessThan(LONG.toNanos());
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  /** The node of the backend. */
  record Node(Path data, Map<String, String> settings) implements BackendContext {
    private static final UUID ID = UUID.randomUUID();
    private static final DataSize KEPT = new DataSize(1 << 20);

    @Override
    public UUID nodeId() {
      return ID;
    }

    @Override
    public String nodeName() {
      return "e1";
    }

    @Override
    public int slots() {
      return 100;
    }

    @Override
    public Path folder() {
      return data.resolve("run");
    }

    @Override
    public Path attempts() {
      return data.resolve("attempts");
    }

    @Override
    public Map<String, String> environment() {
      return Map.of("PATH", System.getenv("PATH"), INHERITED, "yes");
    }

    @Override
    public DataSize logHead() {
      return KEPT;
    }

    @Override
    public DataSize logTail() {
      return KEPT;
    }

    @Override
    public Optional<Path> controlGroup() {
      return Optional.empty();
    }

    @Override
    public Instant now() {
      return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }
  }
}
