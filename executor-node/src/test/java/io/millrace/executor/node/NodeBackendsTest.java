package io.millrace.executor.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandFiles;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.execution.OpenBackend;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.executor.supervision.ProcessesBackend;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Execution nodes with other backends than processes (J-09). */
class NodeBackendsTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);
  private static final AttemptId SECOND = new AttemptId(2, 1);

  @TempDir private Path folder;
  private NodeDrill drill;

  @BeforeEach
  void prepare() {
    drill = new NodeDrill(folder);
  }

  @AfterEach
  void cleanUp() {
    drill.close();
  }

  private static ExecutorNodeSettings sequential(ExecutorNodeSettings one) {
    return one.withBackend("sequential", 4);
  }

  @Test
  void aBackendThatIsNotOnTheClassPathIsAnErrorWithThoseThatAre() {
    assertThatThrownBy(() -> drill.start(one -> one.withBackend("slurm", 4)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("'slurm'")
        .hasMessageContaining("available: processes, sequential");
    drill.start();
  }

  @Test
  void theNodeAnnouncesItsBackend() {
    drill.start(NodeBackendsTest::sequential);

    assertThat(drill.cluster.central().registrations().get(0).attributes())
        .containsEntry("backend", "sequential");
  }

  @Test
  void anAttemptIsReportedWhateverTheBackend() {
    drill.start(NodeBackendsTest::sequential);
    drill
        .cluster
        .central()
        .place(
            NodeDrill.shell(
                FIRST,
                "echo $MILLRACE_ATTEMPT; echo 0.5 half > \"$MILLRACE_PROGRESS\"; echo broken >&2; exit 3"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.exitCode()).isEqualTo(3);
    assertThat(end.stderrTail()).isEqualTo("broken");
    assertThat(drill.stdout(FIRST)).isEqualTo("1.1\n");
    assertThat(drill.reportedEnd(FIRST).progress()).isNotNull();
  }

  @Test
  void whatTheBackendCannotDoIsRefusedAndNothingOfItRuns() {
    drill.start(NodeBackendsTest::sequential);
    drill.cluster.queueNode().put("event");
    drill.cluster.central().place(NodeDrill.worker(FIRST, WorkerInput.STREAM, "cat"));
    JobSpec single = JobDraft.command("true").single("only-one").spec();
    drill
        .cluster
        .central()
        .place(new Assignment(SECOND, JobKind.SUBMITTED, single, null, null, null));

    AttemptResult stream = drill.end(FIRST);
    AttemptResult instance = drill.end(SECOND);

    assertThat(List.of(stream, instance))
        .allSatisfy(
            end -> {
              assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
              assertThat(end.ranNothing()).isTrue();
            });
    assertThat(stream.reason())
        .startsWith("refused by the backend 'sequential' of this node (INPUT): ");
    assertThat(instance.reason()).contains("(SINGLE_INSTANCE): ");
    assertThat(drill.cluster.queueNode().refusals()).as("events that were leased").isEmpty();
  }

  @Test
  void commandsThatEndWithTheNodeAreStoppedAlsoIfOthersWouldContinue() {
    drill.start(one -> NodeDrill.keepingProcesses(sequential(one)));
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo running; exec sleep 60"));
    NodeDrill.eventually().until(() -> drill.stdout(FIRST).contains("running"));

    drill.stop();

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
  }

  @Test
  void afterAChangeOfTheBackendWhatTheEarlierOneRanIsEndedAndLost() throws Exception {
    drill.start(NodeDrill::keepingProcesses);
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo $$; exec sleep 60"));
    NodeDrill.eventually().until(() -> !drill.stdout(FIRST).isEmpty());
    long pid = Long.parseLong(drill.stdout(FIRST).strip());
    drill.stop();
    assertThat(ProcessHandle.of(pid)).isPresent();

    drill.start(NodeBackendsTest::sequential);

    AttemptResult end = drill.end(FIRST);
    assertThat(end.outcome()).isEqualTo(Outcome.LOST);
    assertThat(end.reason()).contains("changed from 'processes' to 'sequential'");
    // A killed process counts as alive until its new parent has waited for it.
    NodeDrill.eventually()
        .until(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void theReferenceOfACommandIsKeptForTheNextAgent() {
    Batch batch = new Batch();
    drill.backends(new ProcessesBackend(), batch);
    drill.start(one -> NodeDrill.keepingProcesses(one.withBackend("batch", 4)));
    drill.cluster.central().place(NodeDrill.command(FIRST, "simulate", "--fast"));
    NodeDrill.eventually().until(() -> batch.jobs.containsKey("job-1"));
    drill.stop();

    drill.start(one -> NodeDrill.keepingProcesses(one.withBackend("batch", 4)));
    batch.jobs.get("job-1").end(0);

    assertThat(batch.recovered).containsExactly("1.1=job-1");
    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void whatABackendCanNeverGiveIsRefusedWithItsReason() {
    Batch batch = new Batch();
    drill.backends(batch);
    drill.start(one -> one.withBackend("batch", 4));
    JobSpec large = JobDraft.command("true").cpu(500.0).spec();

    drill
        .cluster
        .central()
        .place(new Assignment(FIRST, JobKind.SUBMITTED, large, null, null, null));

    AttemptResult end = drill.end(FIRST);
    assertThat(end.ranNothing()).isTrue();
    assertThat(end.reason())
        .isEqualTo(
            "refused by the backend 'batch' of this node (CPU): it has nodes of up to 64 processors");
  }

  /** A batch system, whose jobs are known by their numbers and outlive the node. */
  private static final class Batch implements ExecutionBackend {
    final Map<String, BatchJob> jobs = new ConcurrentHashMap<>();
    final List<String> recovered = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
      return "batch";
    }

    @Override
    public OpenBackend open(BackendContext context) {
      return new OpenBackend() {
        @Override
        public BackendAbilities abilities() {
          return new BackendAbilities(Recovery.REFERENCE, true, true, false, false);
        }

        @Override
        public Optional<BackendRefusal> refusal(CommandOrder order) {
          return order.cpus() > 64
              ? Optional.of(
                  new BackendRefusal(RefusedFor.CPU, "it has nodes of up to 64 processors"))
              : Optional.empty();
        }

        @Override
        public RunningCommand start(CommandOrder order, CommandFiles files) {
          try {
            files.create();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          BatchJob job = new BatchJob(order.id(), "job-" + (jobs.size() + 1));
          job.started.complete(Instant.now());
          jobs.put(job.number(), job);
          return job;
        }

        @Override
        public List<RunningCommand> recover(List<LeftCommand> left) {
          left.forEach(one -> recovered.add(one.id() + "=" + one.reference().orElse("?")));
          return left.stream()
              .map(one -> (RunningCommand) jobs.get(one.reference().orElseThrow()))
              .toList();
        }

        @Override
        public void endOthers(Set<AttemptId> known) {
          // All are known.
        }

        @Override
        public void endAll() {
          jobs.values().forEach(job -> job.end(137));
        }

        @Override
        public Optional<SingleInstanceLeases> leases() {
          return Optional.empty();
        }

        @Override
        public void close() {
          // Jobs continue.
        }
      };
    }
  }

  private record BatchJob(
      AttemptId id,
      String number,
      CompletableFuture<Instant> started,
      CompletableFuture<CommandEnd> ending)
      implements RunningCommand {
    BatchJob(AttemptId id, String number) {
      this(id, number, new CompletableFuture<>(), new CompletableFuture<>());
    }

    void end(int code) {
      ending.complete(
          new CommandEnd(
              CommandEnd.Kind.EXITED,
              OptionalInt.of(code),
              OptionalInt.empty(),
              "exited with code " + code,
              Instant.now()));
    }

    @Override
    public Optional<String> reference() {
      return Optional.of(number);
    }

    @Override
    public void stop(StopReason reason) {
      end(143);
    }

    @Override
    public void timeOut(StopReason reason) {
      end(143);
    }

    @Override
    public Optional<OutputStream> input() {
      return Optional.empty();
    }
  }
}
