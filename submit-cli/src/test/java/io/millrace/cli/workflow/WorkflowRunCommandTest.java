package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.database.TornTail;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace workflow run}, with real servers and real processes. */
class WorkflowRunCommandTest {
  private static final long LONG_SECONDS = 120;

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final CompletableFuture<Runnable> onInterrupt = new CompletableFuture<>();
  private Path journal;
  private Set<String> temporary;

  @BeforeEach
  void begin() throws IOException {
    journal = Files.createFile(folder.resolve("journal"));
    temporary = temporaryFolders();
  }

  private static Set<String> temporaryFolders() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("millrace-run-"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private int run(String yaml, String... options) throws IOException {
    out.reset();
    err.reset();
    Path file = Files.writeString(folder.resolve("w.yaml"), yaml);
    List<String> words = new ArrayList<>(List.of("workflow", "run", "-f", file.toString()));
    words.addAll(List.of(options));
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    Invocation invocation =
        new Invocation(
            terminal,
            Map.of("HOME", "/nowhere"),
            new FakeCluster(),
            new SystemClock(),
            action -> {
              onInterrupt.complete(action);
              return () -> {};
            });
    return Main.run(invocation, words.toArray(String[]::new));
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String messages() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private String chain(String second) {
    return """
    kind: workflow
    name: chain
    arguments: {word: hello}
    templates:
      first:
        job: {command: [sh, -c, 'echo first-{n}-{workflow.word} >> %1$s'], pool: large}
        each: {n: 1-3}
      second:
        job: {command: [sh, -c, '%2$s']}
        needs: [first]
    """
        .formatted(journal, second);
  }

  @Test
  void aWorkflowRunsToItsEndAndLeavesNothing() throws IOException {
    int code =
        run(chain("echo second >> " + journal), "--arg", "word=grün", "--backend", "sequential");

    assertThat(code).as(messages()).isZero();
    assertThat(output()).isEqualTo("workflow 1 (chain) succeeded\n");
    assertThat(messages()).contains("of 4 steps succeeded");
    assertThat(Files.readAllLines(journal))
        .containsExactlyInAnyOrder("first-1-grün", "first-2-grün", "first-3-grün", "second")
        .endsWith("second");
    assertThat(temporaryFolders()).isEqualTo(temporary);
  }

  @Test
  void aFailureIsShownWithTheLastLinesAndTheSameCommandContinuesInTheFolder() throws IOException {
    Path data = folder.resolve("run");
    Path fixed = folder.resolve("fixed");
    String yaml = chain("if [ ! -e %s ]; then echo no disk left >&2; exit 4; fi".formatted(fixed));

    assertThat(run(yaml, "--folder", data.toString())).as(messages()).isEqualTo(1);
    assertThat(output()).contains("no disk left", "(exit code 4)", "workflow 1 (chain) failed: ");
    assertThat(messages()).contains("the same command tries the steps again");
    Files.createFile(fixed);

    assertThat(run(yaml, "--folder", data.toString(), "--json")).as(messages()).isZero();

    assertThat(Json.mapper().readTree(output()).get("state").asText())
        .isEqualToIgnoringCase("succeeded");
    assertThat(messages()).contains("continuing: 3 of 4 steps succeeded");
    assertThat(Files.readAllLines(journal)).as("steps that succeeded ran once").hasSize(3);
  }

  /** Nobody could resume a template that is paused. */
  @Test
  void aProgramThatFailsEverywhereEndsTheCommandWithItsErrors() throws Exception {
    String yaml =
        """
        kind: workflow
        name: broken
        templates:
          bad:
            job: {command: [sh, -c, 'echo no such disk >&2; exit 3']}
            each: {n: 1-15}
            breaker: {failures: 2, share: 0.5}
        """;
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread running =
        new Thread(
            () -> {
              try {
                code.complete(run(yaml));
              } catch (IOException | RuntimeException e) {
                code.completeExceptionally(e);
              }
            },
            "workflow-run");
    running.setDaemon(true);
    running.start();

    assertThat(code.get(LONG_SECONDS, TimeUnit.SECONDS)).as(messages()).isEqualTo(1);

    assertThat(output())
        .contains("no such disk", "(exit code 3)")
        .contains("workflow 1 (broken) failed: 0 of 15 steps succeeded, 15 failed");
    assertThat(temporaryFolders()).isEqualTo(temporary);
  }

  @Test
  void anInterruptionEndsWhatRunsAndTheSameCommandContinues() throws Exception {
    Path data = folder.resolve("run");
    Path fixed = folder.resolve("fixed");
    String yaml =
        chain("if [ ! -e %s ]; then echo $$ >> %s; exec sleep 600; fi".formatted(fixed, journal));
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Thread running =
        new Thread(
            () -> {
              try {
                code.complete(run(yaml, "--folder", data.toString()));
              } catch (IOException | RuntimeException e) {
                code.completeExceptionally(e);
              }
            },
            "workflow-run");
    running.start();
    long begun = System.nanoTime();
    while (Files.readAllLines(journal).size() < 4 && !code.isDone()) {
      assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(LONG_SECONDS));
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(code).as(messages()).isNotDone();
    long pid = Long.parseLong(Files.readAllLines(journal).get(3));

    onInterrupt.get(LONG_SECONDS, TimeUnit.SECONDS).run();

    assertThat(code.get(LONG_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(messages()).contains("interrupted; the same command continues");
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    Files.createFile(fixed);
    assertThat(run(yaml, "--folder", data.toString())).as(messages()).isZero();
    assertThat(Files.readAllLines(journal)).as("steps that succeeded ran once").hasSize(4);
  }

  private String gated(Path gate, String second) {
    return """
    kind: workflow
    name: gated
    templates:
      first:
        job: {command: [sh, -c, 'echo first >> %1$s; while [ ! -e %2$s ]; do sleep 0.05; done']}
      second:
        job: {command: [sh, -c, 'echo %3$s >> %1$s']}
        needs: [first]
    """
        .formatted(journal, gate, second);
  }

  /** Starts the command in a process of its own, and kills it once the first step runs. */
  private void killed(String yaml, Path data) throws Exception {
    Path file = Files.writeString(folder.resolve("killed.yaml"), yaml);
    Path out = folder.resolve("killed.out");
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "workflow",
                "run",
                "-f",
                file.toString(),
                "--folder",
                data.toString())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      long begun = System.nanoTime();
      while (Files.readAllLines(journal).isEmpty()) {
        assertThat(process.isAlive()).as(Files.readString(out)).isTrue();
        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(LONG_SECONDS));
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void afterAKillStepsThatRunAreTakenOverAndOthersRunAsTheyAreDefinedNow() throws Exception {
    Path data = folder.resolve("run");
    Path gate = folder.resolve("gate");
    killed(gated(gate, "as before"), data);
    Files.createFile(gate);

    int code = run(gated(gate, "changed"), "--folder", data.toString());

    assertThat(code).as(messages()).isZero();
    assertThat(messages()).contains("continuing: ");
    assertThat(Files.readAllLines(journal)).containsExactly("first", "changed");
  }

  @Test
  void afterAKillWhileItWasStoppingTheSameCommandContinues() throws Exception {
    Path data = folder.resolve("run");
    Path gate = folder.resolve("gate");
    killed(gated(gate, "second"), data);
    // As it is while steps are being ended.
    try (Connection database = database(data);
        Statement statement = database.createStatement()) {
      statement.executeUpdate("update workflow set state = 'CANCELLING'");
    }
    Files.createFile(gate);

    assertThat(run(gated(gate, "second"), "--folder", data.toString())).as(messages()).isZero();

    assertThat(messages()).containsOnlyOnce("continuing: ");
    assertThat(Files.readAllLines(journal)).endsWith("second");
  }

  /** The next process may start slowly, for instance because many others start too. */
  @Test
  void afterAKillStepsAreNotDeclaredLostBeforeTheNodeIsThereAgain() throws Exception {
    Path data = folder.resolve("run");
    Path gate = folder.resolve("gate");
    killed(gated(gate, "second"), data);
    Files.createFile(gate);

    try (Connection database = database(data);
        Statement statement = database.createStatement();
        ResultSet nodes = statement.executeQuery("select heard_at, lease_until from node")) {
      assertThat(nodes.next()).isTrue();
      LocalDateTime heard = nodes.getObject(1, LocalDateTime.class);
      assertThat(Duration.between(heard, nodes.getObject(2, LocalDateTime.class)))
          .isGreaterThanOrEqualTo(Duration.ofMinutes(5));
      assertThat(nodes.next()).as("another node").isFalse();
    }
  }

  private static Connection database(Path data) throws SQLException {
    TornTail.repair(data.resolve("central/central.mv.db"));
    DatabaseSettings settings = DatabaseSettings.file(data.resolve("central"), "central");
    return DriverManager.getConnection(settings.url(), settings.user(), settings.password());
  }

  @Test
  void stepsThatThisMachineCouldNotRunAreRefusedBeforeAnythingRuns() throws IOException {
    String yaml = chain("true").replace("pool: large}", "pool: large, slots: 5}");

    assertThat(run(yaml, "--slots", "4")).as(messages()).isNotZero();

    assertThat(messages()).contains("INFEASIBLE", "templates.first.job: asks for slots 5", "has 4");
    assertThat(messages()).contains("--slots", "--resources").doesNotContain("--allow-infeasible");
    assertThat(journal).isEmptyFile();
    assertThat(temporaryFolders()).isEqualTo(temporary);
  }

  @Test
  void anUnknownBackendIsAnErrorWithThoseThatThereAre() throws IOException {
    assertThat(run(chain("true"), "--backend", "slurm")).isEqualTo(125);

    assertThat(messages()).contains("'slurm'", "available: processes, sequential");
    assertThat(temporaryFolders()).isEqualTo(temporary);
  }

  @Test
  void slotsAreWithinTheirBounds() throws IOException {
    assertThat(run(chain("true"), "--slots", "0")).isEqualTo(120);
    assertThat(messages()).contains("--slots", "1 to 1000");
  }
}
