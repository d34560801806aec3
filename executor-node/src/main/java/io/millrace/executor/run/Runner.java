package io.millrace.executor.run;

import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.batch.BatchLeasing;
import io.millrace.executor.batch.BatchLeasing.LeasedEvents;
import io.millrace.executor.batch.EventStream;
import io.millrace.executor.batch.EventStream.StreamLimits;
import io.millrace.executor.batch.EventStream.StreamPlan;
import io.millrace.executor.batch.LeasedBatch;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.StreamRecord;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import io.millrace.platform.clock.Clock;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Starts attempts of one kind. Thread-safe. */
sealed interface Runner {
  /** Starts the attempt without blocking; failures become the run's result. */
  AttemptRun start(AttemptRecord record);

  /** Runs plain commands, and workers that take their events themselves. */
  final class CommandRunner implements Runner {
    private final ProcessLauncher launcher;
    private final String managers;

    /**
     * Runs commands.
     *
     * @param managers addresses of central managers, at which workers renew their tokens
     */
    CommandRunner(ProcessLauncher launcher, List<URI> managers) {
      this.launcher = launcher;
      this.managers = managers.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    @Override
    public AttemptRun start(AttemptRecord record) {
      ProcessRun run = launcher.newRun(record.attempt());
      launcher.begin(run, record, () -> begin(run, record));
      return run;
    }

    private void begin(ProcessRun run, AttemptRecord record) throws IOException {
      String input = record.assignment().spec().stdin();
      if (input != null) {
        AttemptDirectory directory = launcher.directory(record.attempt());
        directory.create();
        UntrustedFile.replace(directory.stdin(), input.getBytes(StandardCharsets.UTF_8));
      }
      launcher.launch(run, record, environment(record.assignment()), Optional.empty());
    }

    private Map<String, String> environment(Assignment assignment) {
      BatchInput input = assignment.spec().input();
      Map<String, String> environment = new HashMap<>();
      if (input != null) {
        environment.put("MILLRACE_QUEUE", input.queue());
      } else if (assignment.workerToken() != null) {
        environment.put("MILLRACE_TOKEN", assignment.workerToken());
      }
      if (input != null && callsTheQueueNode(input.input())) {
        environment.put("MILLRACE_URL", assignment.segmentAddress().toString());
        environment.put("MILLRACE_TOKEN", assignment.workerToken());
        environment.put("MILLRACE_BATCH", Integer.toString(input.batch()));
        if (assignment.secret() != null) {
          environment.put("MILLRACE_SECRET", assignment.secret());
          environment.put("MILLRACE_MANAGERS", managers);
        }
      }
      if (input != null && input.linger() != null) {
        LingerDefinition linger = input.linger();
        environment.put("MILLRACE_LINGER_EVENTS", Integer.toString(linger.capacity(input.batch())));
        environment.put("MILLRACE_LINGER_SECONDS", Durations.inSeconds(linger.maxTime()));
        environment.put("MILLRACE_LINGER_IDLE_SECONDS", Durations.inSeconds(linger.idle()));
      }
      return environment;
    }

    // A worker with input session is run by its host, which does.
    private static boolean callsTheQueueNode(WorkerInput input) {
      return input == WorkerInput.PULL || input == WorkerInput.SESSION;
    }
  }

  /** Runs built-in programs, each attempt in its own thread. */
  final class ProgramRunner implements Runner {
    private final Map<String, BuiltinProgram> programs = new TreeMap<>();
    private final ProgramHost host;
    private final LaunchPlan plan;
    private final NodeBackend backend;
    private final Finisher finisher;

    ProgramRunner(
        Collection<BuiltinProgram> programs,
        ProgramHost host,
        LaunchPlan plan,
        NodeBackend backend,
        Finisher finisher) {
      programs.forEach(program -> this.programs.put(program.name(), program));
      this.host = host;
      this.plan = plan;
      this.backend = backend;
      this.finisher = finisher;
    }

    @Override
    public AttemptRun start(AttemptRecord record) {
      ProgramRun run =
          new ProgramRun(record, backend.directory(record.attempt()), host, plan, finisher);
      String name = record.assignment().spec().program();
      BuiltinProgram program = programs.get(name);
      if (program == null) {
        run.refuse(
            "the built-in program '"
                + name
                + "' is not on the class path of this node; available are "
                + String.join(", ", programs.keySet()));
      } else {
        run.begin(program);
      }
      return run;
    }
  }

  /**
   * Runs a worker on a batch of events that this node leases for it. Without events no process is
   * started. The events are a file that is complete before the start, so that a worker that never
   * reads cannot block the node.
   */
  final class WorkerRunner implements Runner {
    private final ProcessLauncher launcher;
    private final BatchLeasing leasing;
    private final BatchCalls calls;
    private final Clock clock;

    WorkerRunner(ProcessLauncher launcher, BatchCalls calls, Clock clock) {
      this.launcher = launcher;
      this.leasing = new BatchLeasing(calls);
      this.calls = calls;
      this.clock = clock;
    }

    @Override
    public AttemptRun start(AttemptRecord record) {
      ProcessRun run = launcher.newRun(record.attempt());
      launcher.begin(run, record, () -> begin(run, record));
      return run;
    }

    private void begin(ProcessRun run, AttemptRecord record) throws IOException {
      Optional<LeasedEvents> leased = leasing.lease(record.assignment());
      if (leased.isEmpty()) {
        run.result().complete(CompletedRun.idle(record, clock.now()));
        return;
      }
      LeasedBatch batch = new LeasedBatch(leased.get().record(), calls);
      AttemptDirectory directory = launcher.directory(record.attempt());
      try {
        directory.create();
        KeptFile.BATCH.write(directory, leased.get().record());
        write(leased.get().events(), directory);
      } catch (IOException e) {
        launcher.neverStarted(run, record, batch, "cannot write the events of the batch: " + e);
        return;
      }
      launcher.launch(run, record, environment(record.assignment(), batch), Optional.of(batch));
    }

    private static void write(List<DeliveredEvent> events, AttemptDirectory directory)
        throws IOException {
      try (OutputStream out = new BufferedOutputStream(UntrustedFile.create(directory.stdin()))) {
        for (DeliveredEvent event : events) {
          out.write(Json.writeBytes(event.withoutReceipt()));
          out.write('\n');
        }
      }
    }

    private static Map<String, String> environment(Assignment assignment, LeasedBatch batch) {
      Map<String, String> environment = new HashMap<>();
      environment.put("MILLRACE_URL", assignment.segmentAddress().toString());
      environment.put("MILLRACE_QUEUE", assignment.spec().input().queue());
      environment.put("MILLRACE_EVENTS", Integer.toString(batch.size()));
      return environment;
    }
  }

  /**
   * Runs a worker that gets its events one by one on its standard input, a pipe, and answers them
   * on its standard output. Without events no process is started.
   */
  final class StreamRunner implements Runner {
    private final ProcessLauncher launcher;
    private final BatchLeasing leasing;
    private final BatchCalls calls;
    private final Clock clock;

    StreamRunner(ProcessLauncher launcher, BatchCalls calls, Clock clock) {
      this.launcher = launcher;
      this.leasing = new BatchLeasing(calls);
      this.calls = calls;
      this.clock = clock;
    }

    @Override
    public AttemptRun start(AttemptRecord record) {
      ProcessRun run = launcher.newRun(record.attempt());
      launcher.begin(run, record, () -> begin(run, record));
      return run;
    }

    private void begin(ProcessRun run, AttemptRecord record) throws IOException {
      Optional<LeasedEvents> leased = leasing.lease(record.assignment());
      if (leased.isEmpty()) {
        run.result().complete(CompletedRun.idle(record, clock.now()));
        return;
      }
      AttemptDirectory directory = launcher.directory(record.attempt());
      EventStream stream;
      try {
        directory.create();
        stream =
            EventStream.begin(
                StreamRecord.of(leased.get().record()),
                leased.get().events(),
                plan(directory, record, leased.get().events().size()),
                calls);
      } catch (IOException e) {
        LeasedBatch batch = new LeasedBatch(leased.get().record(), calls);
        launcher.neverStarted(run, record, batch, "cannot keep the events of the stream: " + e);
        return;
      }
      launcher.launch(run, record, environment(record.assignment()), Optional.of(stream));
    }

    /**
     * How the worker of an attempt gets its events.
     *
     * @param first the events of its first lease, which are all if it does not linger
     */
    static StreamPlan plan(AttemptDirectory directory, AttemptRecord record, int first) {
      JobSpec spec = record.assignment().spec();
      BatchInput input = spec.input();
      LingerDefinition linger = input == null ? null : input.linger();
      int window = input == null ? 1 : input.batch();
      Duration timeout = spec.timeout() == null ? Duration.ZERO : spec.timeout();
      StreamLimits limits =
          linger == null
              ? new StreamLimits(window, first, Duration.ZERO, Duration.ZERO, timeout)
              : new StreamLimits(
                  window, linger.capacity(window), linger.maxTime(), linger.idle(), timeout);
      return new StreamPlan(directory, kept -> KeptFile.STREAM.write(directory, kept), limits);
    }

    private static Map<String, String> environment(Assignment assignment) {
      BatchInput input = assignment.spec().input();
      Map<String, String> environment = new HashMap<>();
      environment.put("MILLRACE_QUEUE", input.queue());
      environment.put("MILLRACE_BATCH", Integer.toString(input.batch()));
      return environment;
    }
  }
}
