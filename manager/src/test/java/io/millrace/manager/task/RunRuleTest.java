package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.task.ChunkDefinition;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.RunStep.Kind;
import io.millrace.api.task.RunStep.StepState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.task.TaskRunView;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunRuleTest {
  private static final AttemptId ATTEMPT = new AttemptId(9, 1);
  private static final Instant NOW = Instant.parse("2026-03-01T02:00:00Z");

  private static final TaskDefinition PLAIN = task(3, null, false, null);
  private static final TaskDefinition CHUNKS =
      task(2, new ChunkDefinition(null, ArrayRange.parse("1-10"), null), false, null);
  private static final TaskDefinition LISTED =
      task(2, new ChunkDefinition(null, null, List.of("list")), false, null);
  private static final TaskDefinition UNKNOWN = task(2, null, true, null);
  private static final TaskDefinition VERIFIED = task(1, null, false, List.of("verify"));

  @Test
  void aPlainRunStartsItsInstancesAtOnce() {
    assertThat(next(new View(PLAIN).total(3))).isEqualTo(work(3));
  }

  @Test
  void asManyChunksAsInstancesAreInProgress() {
    assertThat(next(new View(CHUNKS).total(10))).isEqualTo(work(2));
    assertThat(next(new View(CHUNKS).total(10).cursor(2).running(2)).kind()).isEqualTo(Kind.NOTE);
    assertThat(next(new View(CHUNKS).total(10).cursor(2).running(1))).isEqualTo(work(1));
  }

  @Test
  void remainingWorkLimitsWhatIsStarted() {
    assertThat(next(new View(CHUNKS).total(10).cursor(9))).isEqualTo(work(1));
  }

  @Test
  void chunksToRepeatCountAsWork() {
    assertThat(next(new View(CHUNKS).total(10).cursor(10).pending(1))).isEqualTo(work(1));
  }

  @Test
  void chunksOfACommandAreListedAndReadFirst() {
    View view = new View(LISTED).listed(false);
    assertThat(next(view).kind()).isEqualTo(Kind.LIST);
    assertThat(next(view.listing(StepState.RUNNING)).kind()).isEqualTo(Kind.NOTE);
    assertThat(next(view.listing(StepState.DONE)).kind()).isEqualTo(Kind.READ_CHUNKS);
    assertThat(next(view.listing(StepState.FAILED)).end()).isEqualTo(RunState.FAILED);
  }

  @Test
  void unknownWorkContinuesUntilAWorkerFindsNothing() {
    assertThat(next(new View(UNKNOWN).cursor(7).total(7).done(6).running(1))).isEqualTo(work(1));
    View found = new View(UNKNOWN).cursor(7).total(7).done(6).idle(1);
    assertThat(next(found.running(1)).kind()).isEqualTo(Kind.NOTE);
    assertThat(next(found.running(0)).end()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void unknownWorkFailsAfterSuccessiveWorkerFailures() {
    RunStep end = next(new View(UNKNOWN).cursor(3).total(3).failed(3).failedInRow(3));

    assertThat(end.end()).isEqualTo(RunState.FAILED);
    assertThat(end.reason()).contains("3 workers in a row failed");
  }

  @Test
  void aFailedChunkFailsTheRunAfterTheOthersWereDone() {
    View view = new View(CHUNKS).total(10).cursor(10).done(9).failed(1);

    RunStep end = next(view);
    assertThat(end.end()).isEqualTo(RunState.FAILED);
    assertThat(end.reason()).contains("1 of 10 chunks failed", "task run nightly --failed");
    assertThat(next(view.running(1)).kind()).isEqualTo(Kind.NOTE);
  }

  @Test
  void oneOfOneWorkerIsNamedInTheSingular() {
    RunStep end = next(new View(PLAIN).total(1).cursor(1).failed(1));

    assertThat(end.reason()).startsWith("1 of 1 worker failed;");
  }

  @Test
  void theVerificationComesLastAndDecides() {
    View done = new View(VERIFIED).total(1).cursor(1).done(1);
    assertThat(next(done).kind()).isEqualTo(Kind.VERIFY);
    assertThat(next(done.verifying(StepState.RUNNING)).kind()).isEqualTo(Kind.NOTE);
    assertThat(next(done.verifying(StepState.DONE)).end()).isEqualTo(RunState.SUCCEEDED);
    assertThat(next(done.verifying(StepState.FAILED)).end()).isEqualTo(RunState.FAILED);
  }

  @Test
  void aRunInWhichNoWorkerFoundWorkReportsThat() {
    RunStep end = next(new View(PLAIN).total(3).cursor(3).done(3).idle(3));

    assertThat(end.end()).isEqualTo(RunState.SUCCEEDED);
    assertThat(end.reason()).isEqualTo("found nothing to do");
  }

  @Test
  void aRunThatIsStoppedStartsNothing() {
    assertThat(next(new View(CHUNKS).total(10).stopping()).kind()).isEqualTo(Kind.NOTE);
  }

  private static RunStep next(View view) {
    return RunRule.next(ATTEMPT, view.conduct());
  }

  private static RunStep work(int workers) {
    return new RunStep(ATTEMPT, Kind.WORK, workers, null, null);
  }

  private static TaskDefinition task(
      int instances, ChunkDefinition chunks, boolean untilDone, List<String> verify) {
    return new TaskDefinition(
        "nightly",
        null,
        null,
        null,
        JobDraft.command("true").spec(),
        null,
        instances,
        null,
        chunks,
        untilDone,
        null,
        verify,
        null,
        null,
        null,
        null);
  }

  /** A view in words, changed step by step. */
  private static final class View {
    private final TaskDefinition task;
    private long total;
    private long cursor;
    private long pending;
    private long done;
    private long idle;
    private long failed;
    private int failedInRow;
    private int running;
    private boolean listed = true;
    private StepState listing = StepState.NONE;
    private StepState verifying = StepState.NONE;
    private boolean stopping;

    View(TaskDefinition task) {
      this.task = task;
    }

    View total(long value) {
      total = value;
      return this;
    }

    View cursor(long value) {
      cursor = value;
      return this;
    }

    View pending(long value) {
      pending = value;
      return this;
    }

    View done(long value) {
      done = value;
      return this;
    }

    View idle(long value) {
      idle = value;
      return this;
    }

    View failed(long value) {
      failed = value;
      return this;
    }

    View failedInRow(int value) {
      failedInRow = value;
      return this;
    }

    View running(int value) {
      running = value;
      return this;
    }

    View listed(boolean value) {
      listed = value;
      return this;
    }

    View listing(StepState value) {
      listing = value;
      return this;
    }

    View verifying(StepState value) {
      verifying = value;
      return this;
    }

    View stopping() {
      stopping = true;
      return this;
    }

    RunConduct conduct() {
      TaskRunView run =
          new TaskRunView(
              1,
              "nightly",
              1,
              RunCause.SCHEDULE,
              NOW,
              NOW,
              null,
              RunState.RUNNING,
              null,
              null,
              total,
              done,
              failed,
              running,
              9L,
              null,
              1);
      return new RunConduct(
          run,
          task,
          pending,
          cursor,
          listed,
          listing,
          verifying,
          idle,
          failedInRow,
          0,
          0,
          null,
          stopping,
          NOW);
    }
  }
}
