package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.OpenBackend;
import io.millrace.api.execution.OpenBackend.BackendRefusal;
import io.millrace.api.execution.OpenBackend.LeftCommand;
import io.millrace.api.execution.OpenBackend.Recovery;
import io.millrace.api.execution.OpenBackend.RefusedFor;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.EndedCommand;
import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.run.KeptFile.BackendRecord;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backend of this node, with what the node keeps of its commands. Thread-safe; {@link
 * #recover}, {@link #endOthers} and {@link #endAll} block, {@link #start} for the time of a start.
 */
public final class NodeBackend implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeBackend.class);
  private static final String USUAL = "processes";
  private static final String STEP_OF = "MILLRACE_WORKFLOW";

  private final String name;
  private final OpenBackend backend;
  private final BackendContext context;
  private final Optional<String> replaced;

  private NodeBackend(
      String name, OpenBackend backend, BackendContext context, Optional<String> replaced) {
    this.name = name;
    this.backend = backend;
    this.context = context;
    this.replaced = replaced;
  }

  /**
   * Opens a backend. If the node had another one before, what that one still runs is ended first.
   *
   * @param name of the backend
   * @param known all backends of the class path
   * @param mark the file that names the node's last backend
   * @throws MillraceException CONFIGURATION if there is no such backend, or it cannot be used here
   */
  public static NodeBackend open(
      String name, Collection<ExecutionBackend> known, BackendContext context, Path mark) {
    ExecutionBackend chosen = find(name, known);
    Optional<String> before = replaced(name, known, context, mark);
    return new NodeBackend(name, chosen.open(context), context, before);
  }

  private static ExecutionBackend find(String name, Collection<ExecutionBackend> known) {
    Set<String> names = new TreeSet<>();
    for (ExecutionBackend one : known) {
      if (one.name().equals(name)) {
        return one;
      }
      names.add(one.name());
    }
    throw new MillraceException(
        ErrorCode.CONFIGURATION,
        "backend: there is no backend '%s' on the class path of this node; available: %s"
            .formatted(name, String.join(", ", names)));
  }

  private static Optional<String> replaced(
      String name, Collection<ExecutionBackend> known, BackendContext context, Path mark) {
    try {
      String before = Files.exists(mark) ? Files.readString(mark).strip() : USUAL;
      if (before.equals(name)) {
        return Optional.empty();
      }
      List<AttemptDirectory> left = unreported(context);
      if (!left.isEmpty()) {
        LOGGER.warn(
            "the backend was changed from {} to {}: ending {} attempts", before, name, left.size());
        try (OpenBackend last = find(before, known).open(context)) {
          last.endAll();
        }
      }
      Files.writeString(mark, name + "\n");
      return Optional.of(before);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "cannot keep the name of the backend in " + mark, e);
    }
  }

  /** The directory of an attempt, which may not exist. */
  public AttemptDirectory directory(AttemptId attempt) {
    return new AttemptDirectory(context.attempts(), attempt);
  }

  /** The leases of single instances; without effect if the backend has none. */
  public SingleInstanceLeases leases() {
    return backend.leases().orElseGet(() -> new WithoutLeases(context));
  }

  /** Whether the next process of this node can take over its commands. */
  boolean outlivesAgent() {
    return backend.abilities().recovery() != Recovery.NONE;
  }

  /** Why the backend runs no such job, as far as the job alone shows it; empty if it may. */
  Optional<String> refusal(JobSpec spec) {
    BatchInput input = spec.input();
    boolean streams = input != null && input.input() == WorkerInput.STREAM;
    return lacking(streams, spec.exclusive(), Optional.ofNullable(spec.runAs())).map(this::text);
  }

  private Optional<BackendRefusal> lacking(
      boolean streams, boolean exclusive, Optional<String> user) {
    if (streams && !backend.abilities().pipesInput()) {
      return Optional.of(
          new BackendRefusal(
              RefusedFor.INPUT, "it cannot pass events to a running worker (input: stream)"));
    }
    if (exclusive && backend.leases().isEmpty()) {
      return Optional.of(
          new BackendRefusal(
              RefusedFor.SINGLE_INSTANCE,
              "it cannot guarantee that single instances and jobs of a lane never overlap"));
    }
    return user.filter(any -> !backend.abilities().runsAsUsers())
        .map(
            asked ->
                new BackendRefusal(
                    RefusedFor.USER, "it cannot run a job as another user ('" + asked + "')"));
  }

  private String text(BackendRefusal refusal) {
    return "refused by the backend '%s' of this node (%s): %s"
        .formatted(name, refusal.code(), refusal.text());
  }

  /**
   * Starts a command; it has ended already if it is refused or cannot be started.
   *
   * @throws IOException if the node cannot keep what a restart needs; nothing was started
   */
  RunningCommand start(CommandOrder order) throws IOException {
    Optional<BackendRefusal> refusal =
        lacking(
                order.pipedInput(),
                order.exclusion().isPresent(),
                order.runAs().map(CommandOrder.RunAs::name))
            .or(() -> backend.refusal(order));
    if (refusal.isPresent()) {
      return ended(order.id(), CommandEnd.Kind.REFUSED, text(refusal.get()));
    }
    AttemptDirectory directory = directory(order.id());
    CommandFiles files = files(directory, order.environment().containsKey(STEP_OF));
    if (backend.abilities().recovery() != Recovery.OWN_RECORDS) {
      KeptFile.BACKEND.write(directory, new BackendRecord(name, null));
    }
    RunningCommand command = backend.start(order.withEnvironment(variables(order, files)), files);
    command.reference().ifPresent(reference -> keep(directory, reference));
    return command;
  }

  private static Map<String, String> variables(CommandOrder order, CommandFiles files) {
    Map<String, String> variables = new HashMap<>(order.environment());
    variables.put("MILLRACE_ATTEMPT", order.id().toString());
    variables.put("MILLRACE_PROGRESS", files.progress().toString());
    files.values().ifPresent(path -> variables.put("MILLRACE_OUTPUT", path.toString()));
    return variables;
  }

  private void keep(AttemptDirectory directory, String reference) {
    try {
      KeptFile.BACKEND.write(directory, new BackendRecord(name, reference));
    } catch (IOException e) {
      // It runs and is followed; only a restart of the agent has to find it without the reference.
      LOGGER.warn("cannot keep the reference of attempt {} on disk", directory.id(), e);
    }
  }

  private static CommandFiles files(AttemptDirectory directory, boolean step) {
    return new CommandFiles(
        directory.work(),
        directory.stdin(),
        directory.output(LogStream.STDOUT),
        directory.output(LogStream.STDERR),
        directory.progress(),
        step ? Optional.of(directory.values()) : Optional.empty());
  }

  /** Takes over all attempts of an earlier agent that it has not reported. */
  public List<RunningCommand> recover() {
    List<AttemptDirectory> unreported = unreported(context);
    if (replaced.isPresent()) {
      String reason = changed(replaced.get());
      return unreported.stream().map(one -> ended(one.id(), CommandEnd.Kind.LOST, reason)).toList();
    }
    List<RunningCommand> recovered = new ArrayList<>();
    List<LeftCommand> left = new ArrayList<>();
    for (AttemptDirectory directory : unreported) {
      ended(directory).ifPresentOrElse(recovered::add, () -> left.add(left(directory)));
    }
    if (outlivesAgent()) {
      recovered.addAll(backend.recover(left));
    }
    return recovered;
  }

  private String changed(String before) {
    return "the backend of the execution node was changed from '%s' to '%s', which ended it"
        .formatted(before, name);
  }

  /** One that the backend need not be asked about. */
  private Optional<RunningCommand> ended(AttemptDirectory directory) {
    Optional<BackendRecord> kept = KeptFile.BACKEND.read(directory);
    if (kept.filter(record -> !record.backend().equals(name)).isPresent()) {
      return Optional.of(
          ended(directory.id(), CommandEnd.Kind.LOST, changed(kept.get().backend())));
    }
    Recovery recovery = backend.abilities().recovery();
    if (recovery == Recovery.OWN_RECORDS) {
      return Optional.empty();
    }
    if (kept.isEmpty()) {
      return Optional.of(
          ended(
              directory.id(),
              CommandEnd.Kind.NEVER_BEGAN,
              "the execution node's agent ended before the command was started"));
    }
    if (recovery == Recovery.NONE) {
      return Optional.of(
          ended(
              directory.id(),
              CommandEnd.Kind.LOST,
              "the execution node was restarted, and its backend '%s' ends commands with the node"
                  .formatted(name)));
    }
    return Optional.empty();
  }

  private static LeftCommand left(AttemptDirectory directory) {
    return new LeftCommand(
        directory.id(),
        files(directory, Files.exists(directory.values())),
        KeptFile.BACKEND
            .read(directory)
            .flatMap(record -> Optional.ofNullable(record.reference())));
  }

  private RunningCommand ended(AttemptId id, CommandEnd.Kind kind, String reason) {
    return EndedCommand.of(
        id, new CommandEnd(kind, OptionalInt.empty(), OptionalInt.empty(), reason, context.now()));
  }

  private static List<AttemptDirectory> unreported(BackendContext context) {
    try {
      return AttemptDirectory.all(context.attempts()).stream()
          .filter(directory -> !directory.isReported())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the attempts in " + context.attempts(), e);
    }
  }

  /** Ends what is left of attempts other than these, and does not run under this agent. */
  public void endOthers(Set<AttemptId> known) {
    backend.endOthers(known);
  }

  /** Ends by force everything that runs for this node. */
  public void endAll() {
    backend.endAll();
  }

  @Override
  public void close() {
    backend.close();
  }

  /** Of a backend that runs no single instances. */
  private record WithoutLeases(BackendContext context) implements SingleInstanceLeases {
    @Override
    public Duration now() {
      return Duration.ofNanos(context.nanoTime());
    }

    @Override
    public void renewed(Duration sentAt, Duration lease) {
      // No command depends on it.
    }

    @Override
    public void outdated(AttemptId id) {
      // No command depends on it.
    }
  }
}
