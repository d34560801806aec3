package io.millrace.executor.supervision;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.Exclusion;
import io.millrace.api.execution.OrderCheck;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptCommand.ShellScripts;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.AttemptRecords.LaunchRecord;
import io.millrace.executor.supervision.ExitClassifier.EndingMessages;
import io.millrace.executor.supervision.GroupSignals.ShellGroupSignals;
import io.millrace.executor.supervision.LogTrim.HolePunch;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import io.millrace.executor.supervision.WatchedProcess.Watching;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts as operating-system processes that outlive the agent.
 *
 * <p>Each attempt is led by a small shell script in its own session. The script records who it is
 * and how the command ended, so that a later supervisor on the same directories can take over. Owns
 * two threads, {@code supervision-timer} and {@code usage-sampler}. Thread-safe; but {@link
 * #recover} and {@link #sweepStrays} wait for that thread and must not be called on it (from a
 * dependent of an ending).
 */
public final class Supervisor implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Supervisor.class);
  // Longer than killing takes; exceeded only if the timer was closed meanwhile.
  private static final Duration SWEEP_MARGIN = Duration.ofSeconds(10);

  private final Path attempts;
  private final AttemptCommand command;
  private final OrderCheck check;
  private final SupervisionTimer timer;
  private final Watching watching;
  private final Strays strays;
  private final Set<AttemptId> held = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean killingStrays = new AtomicBoolean();

  /**
   * Prepares supervision; starts and touches no attempt.
   *
   * @param runDirectory where the supervising script is put
   * @param attempts the parent of all attempts' directories
   * @param node the node's own id, by which its processes are marked
   * @param agentEnvironment the agent's environment, from which a few variables are passed on
   * @throws MillraceException when this machine lacks what supervision needs, with what to install
   */
  public Supervisor(
      Path runDirectory,
      Path attempts,
      UUID node,
      Map<String, String> agentEnvironment,
      SupervisionSettings settings,
      Clock clock) {
    this(
        runDirectory,
        attempts,
        marks(node, attempts),
        inherited(agentEnvironment),
        settings,
        clock,
        processes(),
        Optional.empty());
  }

  /** One for a backend, which knows all that its attempts get of the agent's environment. */
  static Supervisor of(BackendContext context, SupervisionSettings settings, Clock clock) {
    return new Supervisor(
        context.folder(),
        context.attempts(),
        marks(context.nodeId(), context.attempts()),
        context.environment(),
        settings,
        clock,
        processes(),
        Optional.empty());
  }

  /** With other signals, for tests of what cannot be provoked with real processes. */
  Supervisor(
      Path runDirectory,
      Path attempts,
      AttemptMarks marks,
      Map<String, String> baseEnvironment,
      SupervisionSettings settings,
      Clock clock,
      ProcessTable table,
      Optional<GroupSignals> signals) {
    this.attempts = attempts;
    this.command = new AttemptCommand(install(runDirectory), baseEnvironment, marks);
    this.check = OrderCheck.ofThisMachine();
    this.timer = new SupervisionTimer();
    this.watching =
        new Watching(
            table,
            signals.orElseGet(() -> new ShellGroupSignals(AttemptCommand.SHELL, ownGroup(table))),
            timer,
            clock,
            settings,
            new EndingMessages(command.script()),
            new Sampler(table, marks, clock, settings.sampleInterval(), held, this::killStraysSoon),
            new ExclusionLeases(table, command.watchdogs()),
            settings.groups(),
            new HolePunch(),
            held::remove);
    this.strays =
        new Strays(table, marks, watching.killer(), settings.killBound().plus(SWEEP_MARGIN));
  }

  /** What attempts get of the agent's environment, whatever runs them. */
  public static Map<String, String> inherited(Map<String, String> agentEnvironment) {
    return AttemptCommand.inherited(agentEnvironment);
  }

  /** The directory of an attempt, which may not exist; a place to put its {@code stdin} first. */
  public AttemptDirectory directory(AttemptId id) {
    return new AttemptDirectory(attempts, id);
  }

  /** The deadlines of single instances, renewed when central managers answer. */
  public ExclusionLeases leases() {
    return watching.leases();
  }

  /** The attempts that run under this supervisor now. */
  public Set<AttemptId> running() {
    return Set.copyOf(held);
  }

  /**
   * Starts an attempt; blocks for the few milliseconds of a process start.
   *
   * @return the attempt, which has already ended if no process could be started
   * @throws MillraceException CONFLICT when this attempt was started before
   */
  public SupervisedProcess start(CommandOrder launch) {
    requireOpen();
    AttemptRecords records = new AttemptRecords(directory(launch.id()));
    Instant startedAt = watching.clock().now();
    try {
      records.directory().create();
      records.writeLaunch(launch, startedAt);
    } catch (FileAlreadyExistsException startedBefore) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "attempt " + launch.id() + " was already started on this node; request a new attempt",
          startedBefore);
    } catch (IOException e) {
      return failed(records, startedAt, "cannot prepare the attempt's directory: " + e);
    }
    Optional<String> problem = check.problem(launch);
    if (problem.isPresent()) {
      return failed(records, startedAt, problem.get());
    }
    // Registered before the process exists, so that a concurrent sweep spares it.
    held.add(launch.id());
    try {
      if (launch.exclusion().isPresent()) {
        grant(records, launch.exclusion().get());
      }
      Process child =
          command.start(
              launch,
              records.directory(),
              new MemoryLimit(records, launch.memoryLimit(), watching.groups()).create());
      WatchedProcess process =
          new WatchedProcess(
              records, LaunchRecord.of(launch, startedAt), identify(child), watching);
      process.watch(child, launch.pipedInput());
      return process;
    } catch (IOException e) {
      held.remove(launch.id());
      return failed(records, startedAt, "could not start: " + e.getMessage());
    }
  }

  /**
   * Takes over from an earlier supervisor: checks every attempt whose end is not marked as reported
   * . Blocks; call it once, before anything is started.
   */
  public List<Recovered> recover() {
    requireOpen();
    List<AttemptDirectory> unreported = new ArrayList<>();
    try {
      for (AttemptDirectory directory : AttemptDirectory.all(attempts)) {
        if (!directory.isReported() && held.add(directory.id())) {
          unreported.add(directory);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the attempts in " + attempts, e);
    }
    List<Recovered> recovered = new AttemptRecovery(watching, strays).recover(unreported);
    watching.sampler().sweep();
    recovered.stream()
        .filter(one -> !(one instanceof Recovered.Alive))
        .forEach(one -> held.remove(one.id()));
    return recovered;
  }

  /**
   * Kills the groups of all processes that carry this node's mark with an attempt that neither runs
   * here nor is known. Blocks for a scan of all processes and until the strays have ended, at most
   * for the kill bound.
   *
   * @param known attempts to spare besides those that run under this supervisor
   * @return the number of stray processes found
   */
  public int sweepStrays(Set<AttemptId> known) {
    requireOpen();
    Strays.Sweep sweep = strays.kill(id -> !known.contains(id) && !held.contains(id));
    if (!sweep.survivors().isEmpty()) {
      LOGGER.warn("stray processes could not be killed: {}", sweep.survivors());
    }
    return sweep.found().size();
  }

  /** Stops watching and leaves all attempts running; their ends are never completed here. */
  @Override
  public void close() {
    watching.sampler().close();
    timer.close();
  }

  private void grant(AttemptRecords records, Exclusion exclusion) throws IOException {
    Duration deadline = watching.leases().first(exclusion);
    if (deadline.compareTo(watching.leases().now()) <= 0) {
      throw new IOException("the lease of the single instance had expired before its start");
    }
    records.writeLease(deadline);
  }

  private void killStraysSoon(Set<AttemptId> found) {
    if (killingStrays.compareAndSet(false, true)) {
      strays.killSoon(
          id -> found.contains(id) && !held.contains(id), () -> killingStrays.set(false));
    }
  }

  // A child so short that it has already ended leaves its own record, or nothing to handle.
  private ProcessIdentity identify(Process child) {
    return watching
        .table()
        .identify(child.pid())
        .orElseGet(() -> new ProcessIdentity(child.pid(), -1, watching.table().bootId()));
  }

  private static SupervisedProcess failed(
      AttemptRecords records, Instant startedAt, String reason) {
    try {
      records.writeStartFailure(reason);
    } catch (IOException e) {
      LOGGER.warn("cannot record that {} failed to start", records.directory().path(), e);
    }
    return new FailedStart(
        records.directory().id(),
        startedAt,
        CompletableFuture.completedFuture(ExitClassifier.startFailed(reason, startedAt)));
  }

  private void requireOpen() {
    if (timer.isClosed()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "the execution node is stopping; send the attempt to another one");
    }
  }

  private static ShellScripts install(Path runDirectory) {
    try {
      return ShellScripts.install(runDirectory);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write the supervising scripts to " + runDirectory + ": " + e.getMessage(), e);
    }
  }

  private static AttemptMarks marks(UUID node, Path attempts) {
    try {
      AttemptDirectory.createOne(attempts);
      return AttemptMarks.of(node, attempts);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot create the folder of the attempts " + attempts + ": " + e.getMessage(), e);
    }
  }

  private static ProcessTable processes() {
    try {
      return new ProcessTable(Path.of("/proc"));
    } catch (UncheckedIOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "execution nodes run on Linux with /proc mounted only", e);
    }
  }

  private static long ownGroup(ProcessTable table) {
    return table
        .find(ProcessHandle.current().pid())
        .map(ProcessEntry::group)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.CONFIGURATION, "/proc does not show the agent itself; mount it"));
  }

  /** An attempt whose process could not be started. */
  private record FailedStart(AttemptId id, Instant startedAt, CompletableFuture<CommandEnd> ending)
      implements SupervisedProcess {

    @Override
    public OptionalLong pid() {
      return OptionalLong.empty();
    }

    @Override
    public CompletableFuture<Instant> started() {
      return new CompletableFuture<>();
    }

    @Override
    public void stop(StopReason reason) {
      // There is nothing to stop.
    }

    @Override
    public void timeOut(StopReason reason) {
      // There is nothing to stop.
    }

    @Override
    public Optional<OutputStream> input() {
      return Optional.empty();
    }
  }
}
