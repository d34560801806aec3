package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkHandout.ChunkReport;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkServiceTest {
  private static final Duration LEASE = Duration.ofMinutes(10);

  private static final Optional<AttemptId> PERSON = Optional.empty();

  @TempDir Path folder;
  private TaskWorld world;

  /** A run of the chunks a, b and c, whose one worker has the first. */
  private long run;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    run = begin("");
  }

  @AfterEach
  void close() {
    world.close();
  }

  private long begin(String more) {
    world.apply(
        "{kind: task, name: t, instances: 1, chunks: {list: [a, b, c]}, job: {command: [work]"
            + more
            + "}}");
    long begun = world.service.run("t", RunParameters.NONE, "ann").id();
    world.tick(begun);
    return begun;
  }

  private ChunkHandout lease() {
    return world.chunks.lease(run, PERSON, LEASE).orElseThrow();
  }

  private static ChunkReport report(ChunkHandout chunk) {
    return new ChunkReport(chunk.token(), null);
  }

  private void succeedWorkers() {
    world.live(run).forEach(world::succeed);
    world.tick(run);
  }

  @Test
  void aChunkIsHandedOutWithATokenAndAnEndAndItsRunWaitsForTheReport() {
    ChunkHandout b = lease();
    ChunkHandout c = lease();
    assertThat(b.chunk()).isEqualTo("b");
    assertThat(b.left()).isEqualTo(1);
    assertThat(b.until()).isAfter(world.database.now());
    assertThat(b.attempt()).isEqualTo(1);
    assertThat(c.chunk()).isEqualTo("c");
    assertThat(world.chunks.lease(run, PERSON, LEASE)).isEmpty();
    assertThat(world.run(run).running()).isEqualTo(3);

    succeedWorkers();
    world.chunks.done(run, PERSON, b.position(), report(b));
    world.tick(run);
    assertThat(world.run(run).state()).isEqualTo(RunState.RUNNING);
    world.chunks.done(run, PERSON, c.position(), report(c));
    world.tick(run);
    assertThat(world.run(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(3);
  }

  @Test
  void aChunkOfADeadProgramIsHandedOutAgainWithItsAttemptsCounted() {
    ChunkHandout lost = lease();
    world.endLeases();

    ChunkHandout again = lease();
    assertThat(again.chunk()).isEqualTo("b");
    assertThat(again.attempt()).isEqualTo(2);
    assertThatThrownBy(() -> world.chunks.done(run, PERSON, lost.position(), report(lost)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_RECEIPT));
    world.chunks.done(run, PERSON, again.position(), report(again));
    assertThatThrownBy(() -> world.chunks.done(run, PERSON, again.position(), report(again)))
        .hasMessageContaining("is no longer valid");
  }

  @Test
  void aChunkThatNoProgramRequestsAgainIsDoneByAWorkerOfTheRun() {
    lease();
    lease();
    world.endLeases();
    assertThat(world.runs.view(run).unsettled()).isEqualTo(2);

    world.tick(run);
    succeedWorkers();

    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t b");
    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(3);
  }

  @Test
  void aLateReportCountsUnlessTheChunkWasHandedOutAgain() {
    ChunkHandout late = lease();
    world.endLeases();
    world.tick(run);

    world.chunks.done(run, PERSON, late.position(), report(late));

    assertThat(lease().chunk()).isEqualTo("c");
    assertThat(world.run(run).done()).isEqualTo(1);
  }

  @Test
  void aChunkThatKeepsFailingFailsTheRun() {
    for (int attempt = 1; attempt <= 3; attempt++) {
      ChunkHandout chunk = lease();
      assertThat(chunk.chunk()).isEqualTo("b");
      assertThat(chunk.attempt()).isEqualTo(attempt);
      world.chunks.failed(
          run, PERSON, chunk.position(), new ChunkReport(chunk.token(), "unreachable"));
    }
    assertThat(lease().chunk()).isEqualTo("c");
    world.endLeases();

    assertThat(world.conduct(run).state()).isEqualTo(RunState.FAILED);
    assertThat(world.run(run).reason()).contains("1 of 3 chunks failed");
    assertThat(world.views.details(run).failedChunks())
        .singleElement()
        .satisfies(
            failed -> {
              assertThat(failed.chunk()).isEqualTo("b");
              assertThat(failed.reason()).isEqualTo("failed after 3 tries: unreachable");
            });
    assertThat(world.problems.all())
        .anySatisfy(alert -> assertThat(alert.code()).isEqualTo("TASK_RUN_FAILED"));

    world.service.retry(run);
    world.tick(run);
    assertThat(world.live(run)).extracting(JobView::name).containsExactly("t b");
  }

  @Test
  void theRetriesOfTheJobLimitHowOftenAChunkIsHandedOut() {
    world.service.stop(run, "ann");
    world.reaper.scan();
    run = begin(", retry: {max: 1}");
    for (int attempt = 1; attempt <= 2; attempt++) {
      ChunkHandout chunk = lease();
      world.chunks.failed(run, PERSON, chunk.position(), report(chunk));
    }

    assertThat(world.run(run).failed()).isEqualTo(1);
    assertThat(world.views.details(run).failedChunks().get(0).reason())
        .isEqualTo("failed after 2 tries: reported as failed");
  }

  @Test
  void aStoppedRunRevokesItsChunksAndHandsOutNoMore() {
    ChunkHandout b = lease();
    world.service.stop(run, "ann");
    assertThatThrownBy(() -> world.chunks.lease(run, PERSON, LEASE))
        .hasMessageContaining("being stopped");

    world.reaper.scan();

    assertThat(world.run(run).state()).isEqualTo(RunState.STOPPED);
    world.chunks.done(run, PERSON, b.position(), report(b));
    assertThat(world.run(run).done()).isEqualTo(1);
  }

  @Test
  void aChunkHandedOutWithoutATokenIsDoneImmediately() {
    ChunkHandout b = world.chunks.assign(run, PERSON).orElseThrow();
    assertThat(b.chunk()).isEqualTo("b");
    assertThat(b.token()).isNull();
    assertThat(b.left()).isEqualTo(1);
    assertThat(world.chunks.assign(run, PERSON).orElseThrow().chunk()).isEqualTo("c");
    assertThat(world.chunks.assign(run, PERSON)).isEmpty();
    world.endLeases();

    assertThat(world.conduct(run).state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(world.run(run).done()).isEqualTo(3);
  }

  @Test
  void aWorkerTakesChunksOfItsRunWhileItsAttemptIsTheCurrentOne() {
    long job = world.live(run).get(0).id();
    AttemptId first = world.start(job, 1);

    ChunkHandout b = world.chunks.lease(run, Optional.of(first), LEASE).orElseThrow();
    assertThat(b.chunk()).isEqualTo("b");

    AttemptId second = world.start(job, 2);
    refused(() -> world.chunks.lease(run, Optional.of(first), LEASE));
    refused(() -> world.chunks.assign(run, Optional.of(first)));
    refused(() -> world.chunks.done(run, Optional.of(first), b.position(), report(b)));
    refused(() -> world.chunks.failed(run, Optional.of(first), b.position(), report(b)));
    world.chunks.done(run, Optional.of(second), b.position(), report(b));

    succeedWorkers();
    refused(() -> world.chunks.lease(run, Optional.of(second), LEASE));
  }

  @Test
  void anAttemptThatDoesNotProcessChunksOfTheRunGetsNone() {
    refused(() -> world.chunks.lease(run, Optional.of(world.manager(run)), LEASE));
    refused(() -> world.chunks.lease(run, Optional.of(new AttemptId(987_654, 1)), LEASE));

    world.apply("{kind: task, name: other, chunks: {list: [x, y]}, job: {command: [work]}}");
    long other = world.service.run("other", RunParameters.NONE, "ann").id();
    world.tick(other);
    AttemptId worker = world.start(world.live(other).get(0).id(), 1);
    refused(() -> world.chunks.lease(run, Optional.of(worker), LEASE));
  }

  private static void refused(ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
  }

  @Test
  void theSharedCounterGivesEachNumberOnce() {
    assertThat(world.service.count("t", 1).first()).isEqualTo(1);
    assertThat(world.service.count("t", 10).first()).isEqualTo(2);
    assertThat(world.service.count("t", 1).first()).isEqualTo(12);
  }
}
