package io.millrace.tests.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.client.UrlTransport;
import io.millrace.api.event.EventMedia;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Role;
import io.millrace.tests.house.SourceTree;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Python client: its own tests, and those and the examples with a cluster. */
class PythonClientTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final int PROGRAM_SECONDS = 180;
  private static final Path CLIENT = SourceTree.root().resolve("clients/python");
  private static final Pattern PYTHON = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL);

  private static final String GRAPH =
      """
      kind: workflow
      name: same
      arguments: {place: Zürich, night: 2026-03-01}
      maxRunning: 0
      templates:
        fetch:
          job: {command: [echo, '{workflow.night}', '{part}']}
          each: {part: 0-90:10, kind: [a, 1.10]}
        convert:
          job: {command: [echo, '{part}{kind}'], memory: 64MB}
          each: {part: 0-90:10, kind: [a, 1.10]}
          needs: [{of: fetch, match: element}]
        sum:
          job: {command: [echo, '{kind}']}
          each: {kind: [a, 1.10]}
          needs: [{of: convert, by: [kind]}, fetch]
        build:
          job: {command: [echo, '{target}']}
        report:
          job: {command: [echo]}
          needs: [sum, build]
      steps:
        - {name: server, template: build, arguments: {target: sérver}, needs: [library, sum]}
        - {name: library, template: build, arguments: {target: library}, needs: [fetch]}
        - {template: build, arguments: {target: client}, needs: [library, server, library]}
      """;

  // Other commands and resources, which the identity leaves out.
  private static final String SAME_GRAPH =
      """
      import sys
      import millrace

      workflow = millrace.Workflow(
          "same", arguments={"night": "2026-03-01", "place": "Zürich"}, max_running=0)
      both = {"part": range(0, 91, 10), "kind": ["a", "1.10"]}
      fetch = workflow.template("fetch", ["true", "{workflow.night}"], each=both)
      convert = workflow.template(
          "convert", ["true"], each=both, needs=[fetch.same_position()], memory="1GB")
      total = workflow.template(
          "sum", ["true"], each={"kind": ["a", "1.10"]}, needs=[convert.same("kind"), fetch])
      build = workflow.template("build", ["true", "{target}"], retry=3)
      workflow.template("report", ["true"], needs=[total, build])
      workflow.step(build, "server", {"target": "sérver"}, needs=["library", total])
      library = workflow.step(build, "library", {"target": "library"}, needs=[fetch])
      workflow.step(build, None, {"target": "client"}, needs=["server", library, library])
      print(millrace.Client().workflows.submit(workflow, sys.argv[1]).id)
      """;

  private static final Path EXAMPLES = SourceTree.root().resolve("jobs/python");

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  /** Contains the package as users install it, or the wheel itself if there is no pip. */
  @TempDir static Path installed;

  @TempDir Path folder;

  @BeforeAll
  static void needPythonAndInstallTheWheel() throws Exception {
    assumeTrue(
        succeeds("import sys; sys.exit(sys.version_info < (3, 9))"),
        "no python3 of version 3.9 or later here: the Python client is not tested");
    Ended built =
        run(installed, Map.of(), null, CLIENT.resolve("build.py").toString(), installed.toString());
    assertThat(built.exitCode()).as(built.out()).isZero();
    if (succeeds("import pip")) {
      Ended pip =
          run(
              installed,
              Map.of(),
              null,
              "-m",
              "pip",
              "install",
              "--quiet",
              "--disable-pip-version-check",
              "--no-index",
              "--target",
              installed.resolve("packages").toString(),
              wheel().toString());
      assertThat(pip.exitCode()).as(pip.out()).isZero();
    }
  }

  @Test
  void itsOwnTestsPass() throws Exception {
    Ended ended =
        run(CLIENT, Map.of(), null, "-m", "unittest", "discover", "-t", ".", "-s", "tests");
    assertThat(ended.exitCode()).as(ended.out()).isZero();
    assertThat(ended.out()).containsPattern("Ran [1-9][0-9]+ tests");
  }

  @Test
  void itsTestsWithAClusterPass() throws Exception {
    CLUSTER.define("{kind: queue, name: python-live, maxAttempts: 3}");
    CLUSTER.define("{kind: queue, name: python-live-returned, maxAttempts: 3}");
    Ended ended = run(CLIENT, operator(), null, "-m", "unittest", "tests.live");
    assertThat(ended.exitCode()).as(ended.out()).isZero();
  }

  @Test
  void itsTestsOfWorkflowsPass() throws Exception {
    Ended ended = run(CLIENT, operator(), null, "-m", "unittest", "tests.live_workflow");
    assertThat(ended.exitCode()).as(ended.out()).isZero();
  }

  @Test
  void theSameGraphFromACommandAndFromPythonIsOneWorkflow() throws Exception {
    Path file = Files.writeString(folder.resolve("graph.yaml"), GRAPH);
    Path program = Files.writeString(folder.resolve("graph.py"), SAME_GRAPH);
    String byCommand =
        command("workflow", "submit", "-f", file.toString(), "--run-key", "one").strip();
    Ended byPython = run(folder, operator(), null, program.toString(), "one");
    assertThat(byPython.out().strip()).isEqualTo(byCommand).matches("[0-9]+");
    Ended other = run(folder, operator(), null, program.toString(), "two");
    assertThat(other.out().strip()).isNotEqualTo(byCommand).matches("[0-9]+");
    assertThat(command("workflow", "submit", "-f", file.toString(), "--run-key", "two").strip())
        .isEqualTo(other.out().strip());
    command("workflow", "cancel", byCommand);
    command("workflow", "cancel", other.out().strip());
  }

  @Test
  void theExampleOfAWorkflowRunsOnceForEachRunKey() throws Exception {
    Ended ended = example("study.py", null, "monday");
    assertThat(ended.out())
        .contains("(primes) succeeded")
        .contains("small parts are counted: 0 to 3")
        .contains("large parts are counted: 4 to 9", "669 primes");
    assertThat(ended.exitCode()).as(ended.out()).isZero();
    Ended again = example("study.py", null, "monday");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.out()).contains("CONFLICT", "another run key");
    assertThat(example("study.py", null, "tuesday").exitCode()).isZero();
  }

  @Test
  void theFirstWorkflowOfTheReadmeRuns() throws Exception {
    String program = pythonIn(Files.readString(CLIENT.resolve("README.md")), "millrace.Workflow(");
    assertThat(program.lines()).hasSizeLessThanOrEqualTo(10);
    Ended ended = run(folder, operator(), null, "-c", program);
    assertThat(ended.exitCode()).as(ended.out()).isZero();
    assertThat(ended.out())
        .contains("succeeded", "501 of 501 steps succeeded", "all parts are there");
  }

  @Test
  void theExampleOfAnArrayShowsTheFailedElement() throws Exception {
    Ended ended = example("submit_array.py", null);
    assertThat(ended.out())
        .contains("19 of 20 elements succeeded")
        .contains("element 7 exited with code 3: 7 is not allowed");
    assertThat(ended.exitCode()).as("that of a failed array").isEqualTo(1);
  }

  @Test
  void theExamplesOfAQueueSendOnceAndConsumeAll() throws Exception {
    CLUSTER.define(Files.readString(EXAMPLES.resolve("queue.yaml")));
    Path orders =
        Files.writeString(
            folder.resolve("orders.ndjson"),
            """
            {"customer": "Ada", "amount": 3}
            {"customer": "Bob", "amount": 0}
            {"customer": "Cleo", "amount": 5}
            """);
    assertThat(example("send.py", orders, "monday").out()).contains("3 events, stored as monday");
    assertThat(example("send.py", orders, "monday").out())
        .contains("3 events, stored before as monday");
    Ended consumed = example("consume.py", null);
    assertThat(consumed.exitCode()).as(consumed.out()).isZero();
    assertThat(consumed.out())
        .containsOnlyOnce("booked 3 for Ada")
        .containsOnlyOnce("booked 5 for Cleo")
        .contains("failed at attempt 3: the amount must be positive, not 0");
  }

  @Test
  void theExampleOfAWorkerTakesItsEvents() throws Exception {
    String packages = packages().toString();
    CLUSTER.define(
        Files.readString(EXAMPLES.resolve("worker.yaml"))
            .replace("tick: 1s", "tick: 200ms")
            .replace("idle: 5s", "idle: 500ms")
            .replace("$MILLRACE_HOME", SourceTree.root().toString())
            .replace(
                "  input: pull", "  env: {PYTHONPATH: '%s'}\n  input: pull".formatted(packages)));
    CLUSTER
        .producer()
        .send(
            "mails",
            "m",
            EventMedia.JSON,
            "[{\"to\": \"ada\"}, {\"to\": \"bob\"}]".getBytes(UTF_8));
    await("both mails are acknowledged")
        .atMost(SOON)
        .until(() -> CLUSTER.central().queue("mails").queue().acknowledged() == 2);
  }

  @Test
  void theExampleOfAnAgentPollsEveryMachine() throws Exception {
    List<String> machines = IntStream.range(0, 30).mapToObj(number -> "m" + number).toList();
    Path file = Files.write(folder.resolve("machines"), machines);
    Ended ended = example("agent.py", null, "h1", file.toString());
    assertThat(ended.exitCode()).as(ended.out()).isZero();
    assertThat(ended.out().lines())
        .containsAll(machines.stream().map(machine -> "h1 polls " + machine).toList());
  }

  @Test
  void theFirstExampleOfTheReadmeRuns() throws Exception {
    CLUSTER.define(Files.readString(EXAMPLES.resolve("queue.yaml")));
    String program = pythonIn(Files.readString(CLIENT.resolve("README.md")), "import millrace");
    Ended ended = run(folder, operator(), null, "-c", program);
    assertThat(ended.exitCode()).as(ended.out()).isZero();
    assertThat(ended.out()).contains("SUCCEEDED hello", "booked for Ada", "booked for Bob");
  }

  @Test
  void theInstalledPackageKnowsItsVersion() throws Exception {
    Ended ended =
        run(folder, operator(), null, "-c", "import millrace; print(millrace.__version__)");
    assertThat(wheel().getFileName().toString())
        .isEqualTo("millrace-%s-py3-none-any.whl".formatted(ended.out().strip()));
  }

  /** The first Python program of a text that contains something. */
  private static String pythonIn(String text, String contained) {
    return PYTHON
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .filter(program -> program.contains(contained))
        .findFirst()
        .orElseThrow();
  }

  /** What a command of the same operator writes to its standard output. */
  private static String command(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            false,
            false);
    Map<String, String> environment =
        Map.of(
            "HOME",
            "/nowhere",
            "MILLRACE_URL",
            CLUSTER.address().toString(),
            "MILLRACE_TOKEN_FILE",
            CLUSTER.tokenFile(Role.OPERATOR).toString());
    int code =
        Main.run(
            new Invocation(terminal, environment, new UrlTransport(), new SystemClock()),
            arguments);
    assertThat(code).as(err.toString(UTF_8)).isZero();
    return out.toString(UTF_8);
  }

  private Ended example(String name, Path input, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(EXAMPLES.resolve(name).toString()));
    command.addAll(List.of(arguments));
    return run(folder, operator(), input, command.toArray(String[]::new));
  }

  private static Map<String, String> operator() throws IOException {
    return Map.of(
        "MILLRACE_URL", CLUSTER.address().toString(),
        "MILLRACE_TOKEN_FILE", CLUSTER.tokenFile(Role.OPERATOR).toString(),
        "PYTHONPATH", packages().toString());
  }

  private static Path packages() throws IOException {
    Path packages = installed.resolve("packages");
    return Files.isDirectory(packages) ? packages : wheel();
  }

  private static Path wheel() throws IOException {
    try (DirectoryStream<Path> wheels = Files.newDirectoryStream(installed, "*.whl")) {
      return wheels.iterator().next();
    }
  }

  private static boolean succeeds(String program) throws InterruptedException {
    try {
      return run(installed, Map.of(), null, "-c", program).exitCode() == 0;
    } catch (IOException e) {
      // There is no such program.
      return false;
    }
  }

  private record Ended(int exitCode, String out) {}

  /** Runs Python to its end, with warnings as errors; null for no input. */
  private static Ended run(
      Path directory, Map<String, String> variables, Path input, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", "-W", "error::ResourceWarning"));
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(installed, "python", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .redirectInput(input == null ? new File("/dev/null") : input.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("MILLRACE_"));
    builder.environment().remove("PYTHONPATH");
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().putAll(variables);
    Process process = builder.start();
    if (!process.waitFor(PROGRAM_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(
          String.join(" ", command) + " does not end: " + Files.readString(out));
    }
    return new Ended(process.exitValue(), Files.readString(out));
  }
}
