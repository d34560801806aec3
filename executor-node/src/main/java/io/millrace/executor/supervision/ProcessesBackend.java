package io.millrace.executor.supervision;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.OpenBackend;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.EndedCommand;
import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import io.millrace.platform.clock.Clock;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs commands as supervised processes of the node's machine, which outlive the node's agent: the
 * usual backend.
 */
public final class ProcessesBackend implements ExecutionBackend {
  @Override
  public String name() {
    return "processes";
  }

  @Override
  public OpenBackend open(BackendContext context) {
    if (!context.settings().isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "backendSettings: the backend 'processes' has no settings; see 'limits' for its limits");
    }
    return new SupervisedProcesses(context, settings(context));
  }

  private static SupervisionSettings settings(BackendContext context) {
    Optional<Path> given =
        context
            .controlGroup()
            .or(() -> ControlGroups.delegated(Path.of("/proc"), Path.of("/sys/fs/cgroup")));
    return SupervisionSettings.defaults()
        .with(
            new LogLimits(context.logHead(), context.logTail()),
            given.flatMap(folder -> ControlGroups.at(folder, context.nodeId())));
  }

  /** The processes of one node. */
  private static final class SupervisedProcesses implements OpenBackend {
    private final BackendContext context;
    private final SupervisionSettings settings;
    private final Supervisor supervisor;

    SupervisedProcesses(BackendContext context, SupervisionSettings settings) {
      this.context = context;
      this.settings = settings;
      this.supervisor = supervise();
    }

    private Supervisor supervise() {
      return Supervisor.of(context, settings, new ContextClock(context));
    }

    @Override
    public BackendAbilities abilities() {
      return new BackendAbilities(Recovery.OWN_RECORDS, true, true, true, true);
    }

    @Override
    public Optional<BackendRefusal> refusal(CommandOrder order) {
      return Optional.empty();
    }

    @Override
    public RunningCommand start(CommandOrder order, CommandFiles files) {
      return supervisor.start(order);
    }

    @Override
    public List<RunningCommand> recover(List<LeftCommand> left) {
      return supervisor.recover().stream().map(SupervisedProcesses::command).toList();
    }

    private static RunningCommand command(Recovered recovered) {
      if (recovered instanceof Recovered.Alive alive) {
        return alive.process();
      }
      if (recovered instanceof Recovered.Ended ended) {
        return EndedCommand.of(ended.id(), ended.ending());
      }
      return EndedCommand.of(recovered.id(), ((Recovered.Lost) recovered).ending());
    }

    @Override
    public void endOthers(Set<AttemptId> known) {
      supervisor.sweepStrays(known);
    }

    // A sweep spares what its own supervisor watches; a new one watches nothing.
    @Override
    public void endAll() {
      try (Supervisor killer = supervise()) {
        killer.sweepStrays(Set.of());
      }
    }

    @Override
    public Optional<SingleInstanceLeases> leases() {
      return Optional.of(supervisor.leases());
    }

    @Override
    public void close() {
      supervisor.close();
    }
  }

  /** The clock of the node. */
  private record ContextClock(BackendContext context) implements Clock {
    @Override
    public Instant now() {
      return context.now();
    }

    @Override
    public long nanoTime() {
      return context.nanoTime();
    }
  }
}
