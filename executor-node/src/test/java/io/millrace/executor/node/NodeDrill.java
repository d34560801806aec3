package io.millrace.executor.node;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.run.LimitSettings;
import io.millrace.executor.sequential.SequentialBackend;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import io.millrace.executor.supervision.ProcessesBackend;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A real execution node with real processes in a folder of its own, in front of a fake cluster. */
final class NodeDrill implements AutoCloseable {
  static final Duration LEASE = Duration.ofSeconds(3);

  final FakeCluster cluster = new FakeCluster();
  private final Path folder;
  private final List<BuiltinProgram> programs;
  private ExecutorNode node;
  private Collection<ExecutionBackend> backends =
      List.of(new ProcessesBackend(), new SequentialBackend());

  NodeDrill(Path folder, BuiltinProgram... programs) {
    this.folder = folder;
    this.programs = List.of(programs);
    KeyFiles.ensure(tokens());
    TokenFiles.ensure(tokens(), new TokenIssuer(KeyFiles.privateKey(tokens()), new SystemClock()));
  }

  /** Nodes that are started from now on know these backends. */
  void backends(ExecutionBackend... known) {
    backends = List.of(known);
  }

  static ConditionFactory eventually() {
    return Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20));
  }

  void start() {
    start(UnaryOperator.identity());
  }

  /** Starts a node on the folder, which may be one that another has left. */
  void start(UnaryOperator<ExecutorNodeSettings> change) {
    ExecutorNodeSettings settings =
        ExecutorNodeSettings.of(
                "e1",
                folder.resolve("data"),
                List.of(FakeCluster.CENTRAL),
                tokens().resolve(KeyFiles.PUBLIC))
            .withLimits(LimitSettings.defaults().withUser(Optional.empty()));
    node =
        new ExecutorNode(
            change.apply(settings),
            new ExecutorNode.Surroundings(
                cluster, new SystemClock(), System.getenv(), programs, backends));
    node.start();
    eventually().until(node::isRegistered);
  }

  /** Stops the node's agent and leaves its processes, as an upgrade would. */
  void stop() {
    node.stop();
    node = null;
  }

  ExecutorNode node() {
    return node;
  }

  String token(Role role) {
    return new TokenIssuer(KeyFiles.privateKey(tokens()), new SystemClock())
        .issue(Principal.of(role, "tester"), Optional.empty());
  }

  /** What an attempt has printed. */
  String stdout(AttemptId attempt) {
    try {
      return directory(attempt).read(LogStream.STDOUT, 0, 100_000).text();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  AttemptDirectory directory(AttemptId attempt) {
    return new AttemptDirectory(folder.resolve("data/attempts"), attempt);
  }

  AttemptReport reportedEnd(AttemptId attempt) {
    eventually().until(() -> cluster.central().end(attempt).isPresent());
    return cluster.central().end(attempt).orElseThrow();
  }

  AttemptResult end(AttemptId attempt) {
    return reportedEnd(attempt).result();
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  void touch(Path file) {
    try {
      Files.writeString(file, "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ExecutorNodeSettings keepingProcesses(ExecutorNodeSettings one) {
    return changed(one, one.slots(), true);
  }

  static UnaryOperator<ExecutorNodeSettings> slots(int slots) {
    return one -> changed(one, slots, false);
  }

  private static ExecutorNodeSettings changed(ExecutorNodeSettings one, int slots, boolean keep) {
    return new ExecutorNodeSettings(
        one.name(),
        one.dataDirectory(),
        one.central(),
        one.publicKeyFile(),
        one.identityFile(),
        one.web(),
        slots,
        one.offer(),
        one.pools(),
        one.backend(),
        one.backendSettings(),
        one.diskReserve(),
        one.logs(),
        one.limits(),
        one.stopWithin(),
        keep);
  }

  static Assignment command(AttemptId attempt, String... argv) {
    return new Assignment(
        attempt, JobKind.SUBMITTED, spec(List.of(argv), null, null, null), null, null, null);
  }

  static Assignment shell(AttemptId attempt, String script) {
    return command(attempt, "sh", "-c", script);
  }

  static Assignment shell(AttemptId attempt, String script, Duration grace) {
    JobSpec spec =
        JobDraft.command(List.of("sh", "-c", script))
            .timeout(Duration.ofMinutes(1))
            .grace(grace)
            .spec();
    return new Assignment(attempt, JobKind.SUBMITTED, spec, null, null, null);
  }

  static Assignment program(AttemptId attempt, String program, String... arguments) {
    return new Assignment(
        attempt,
        JobKind.MANAGER,
        spec(null, program, List.of(arguments), null),
        null,
        null,
        "secret");
  }

  static Assignment worker(AttemptId attempt, String script) {
    return worker(attempt, WorkerInput.STDIN, script);
  }

  static Assignment worker(AttemptId attempt, WorkerInput kind, String script) {
    return worker(attempt, kind, List.of("sh", "-c", script));
  }

  /**
   * A worker that gets events as a stream.
   *
   * @param window the most unanswered events
   * @param timeout for each answer
   */
  static Assignment stream(
      AttemptId attempt, int window, Duration timeout, LingerDefinition linger, String script) {
    BatchInput input =
        new BatchInput("alerts", "q1", WorkerInput.STREAM, window, LEASE, 1, linger, 0);
    JobSpec spec =
        JobDraft.command(List.of("sh", "-c", script))
            .timeout(timeout)
            .grace(Duration.ofSeconds(1))
            .input(input)
            .spec();
    return new Assignment(
        attempt, JobKind.WORKER, spec, FakeCluster.QUEUE_NODE, "worker-token", null);
  }

  /** The assignment, with a user that its job names. */
  static Assignment of(String user, Assignment one) {
    return new Assignment(
        one.attempt(),
        one.kind(),
        one.spec().draft().runAs(user).spec(),
        one.queueNode(),
        one.workerToken(),
        one.secret());
  }

  /** The assignment, with the secret of its attempt. */
  static Assignment withSecret(Assignment one, String secret) {
    return new Assignment(
        one.attempt(), one.kind(), one.spec(), one.queueNode(), one.workerToken(), secret);
  }

  /** The assignment, without the address of the queue node. */
  static Assignment withoutAddress(Assignment one) {
    return new Assignment(
        one.attempt(), one.kind(), one.spec(), null, one.workerToken(), one.secret());
  }

  static Assignment missingWorker(AttemptId attempt) {
    return worker(attempt, WorkerInput.STDIN, List.of("/no/such/program"));
  }

  private static Assignment worker(AttemptId attempt, WorkerInput kind, List<String> argv) {
    BatchInput input = new BatchInput("alerts", "q1", kind, 10, LEASE, 1);
    return new Assignment(
        attempt,
        JobKind.WORKER,
        spec(argv, null, null, input),
        FakeCluster.QUEUE_NODE,
        "worker-token",
        null);
  }

  private static JobSpec spec(
      List<String> command, String program, List<String> arguments, BatchInput input) {
    JobDraft draft =
        command == null
            ? JobDraft.program(program, arguments.toArray(String[]::new)).slots(1)
            : JobDraft.command(command);
    return draft.timeout(Duration.ofMinutes(1)).grace(Duration.ofSeconds(1)).input(input).spec();
  }

  private Path tokens() {
    return folder.resolve("tokens");
  }

  /** Ends whatever runs, also after a failed test. */
  @Override
  public void close() {
    cluster.central().goAway(false);
    cluster.queueNode().goAway(false);
    if (node == null) {
      start();
    }
    node.stop();
  }
}
