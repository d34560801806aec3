package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.manager.job.RetryRule.RetryBackoff.Restart;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadyTimeCorrectionTest {
  private static final Duration PAUSE = Duration.ofMinutes(10);

  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ReadyTimeCorrection times = new ReadyTimeCorrection(bench.database);

  @BeforeEach
  void employ() {
    bench.employ(JobBench.E1, "e1", 2);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @ParameterizedTest
  @CsvSource({"60, 10", "5, 60"})
  void aPauseRestartsOnceWhenTheClockIsSetBack(int aheadMinutes, int pauseMinutes) {
    Duration pause = Duration.ofMinutes(pauseMinutes);
    long job = failed(pause);
    pass(Duration.ofMinutes(-aheadMinutes));

    assertThat(times.correct()).isEqualTo(1);
    for (int seconds = 10; seconds <= 30; seconds += 10) {
      pass(Duration.ofSeconds(10));
      assertThat(times.correct()).isZero();
      assertPauses(job, pause.minusSeconds(seconds));
      assertThat(readyAt(job)).isEqualTo(bench.queries.view(job).notBefore());
    }
  }

  @Test
  void aSingleInstanceThatARestorationHoldsBackIsNotTakenForOneOfAClockAhead() {
    long job = bench.submit(JobDraft.command("/bin/true").single("feeder").spec());
    Instant now = bench.database.now();
    Instant hold = now.plusSeconds(60);
    RestorationDao restorations = new RestorationDao();
    bench.database.transaction(
        handle -> {
          restorations.insert(handle, new Restoration("b1", now, now, job, 100, hold));
          restorations.holdBack(handle, List.of(job), hold);
          return null;
        });

    assertThat(times.correct()).isZero();
    assertThat(readyAt(job)).isEqualTo(hold);
    assertThat(bench.place()).isZero();
  }

  @Test
  void anAlwaysRestartedJobKeepsItsFullPause() {
    long job = bench.submit(JobDraft.command("/bin/true").restart(true).spec());
    bench.place();
    bench.start(new AttemptId(job, 1));
    bench.end(new AttemptId(job, 1), Outcome.SUCCEEDED, 0);
    pass(Duration.ofHours(-1));

    assertThat(times.correct()).isEqualTo(1);

    assertPauses(job, Restart.waitAfter(1));
  }

  @Test
  void aJobHeldWhileTheClockWasSetBackKeepsItsFullPauseFromItsRelease() {
    long job = failed(PAUSE);
    act(Verb.HOLD, job);
    pass(Duration.ofHours(-1));
    times.correct();

    act(Verb.RELEASE, job);

    assertPauses(job, PAUSE);
    assertThat(readyAt(job)).isEqualTo(bench.queries.view(job).notBefore());
  }

  @Test
  void anElementOfAHeldArrayKeepsItsFullPauseWhenTheClockIsSetBack() {
    RetryPolicy retry = RetryPolicy.upTo(1, PAUSE, PAUSE);
    long array =
        bench.submit(
            JobDraft.command("/bin/true").retry(retry).array(ArrayRange.parse("1-1")).spec());
    bench.place();
    long element =
        bench
            .queries
            .list(new JobFilter(SearchParser.parse("array:" + array), null, 1))
            .jobs()
            .get(0)
            .id();
    fail(element);
    act(Verb.HOLD, array);
    assertThat(bench.state(element)).isEqualTo(JobState.BLOCKED);
    pass(Duration.ofHours(-1));
    times.correct();

    act(Verb.RELEASE, array);
    assertThat(bench.place()).isZero();

    assertPauses(element, PAUSE);
    assertThat(readyAt(element)).isEqualTo(bench.queries.view(element).notBefore());
  }

  @Test
  void aHeldJobKeepsItsStartTime() {
    Instant own = bench.database.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
    long job = bench.submit(JobDraft.command("/bin/true").notBefore(own).spec());
    act(Verb.HOLD, job);
    times.correct();

    act(Verb.RELEASE, job);

    assertThat(times.correct()).isZero();
    assertThat(bench.queries.view(job).notBefore()).isEqualTo(own);
    assertThat(readyAt(job)).isEqualTo(own);
  }

  private void act(Verb verb, long job) {
    bench.ledger.act(job, new ActionRequest(verb, null, "ann", null));
  }

  /** A job that has failed and is to be tried again after so long. */
  private long failed(Duration pause) {
    long job =
        bench.submit(JobDraft.command("/bin/true").retry(RetryPolicy.upTo(1, pause, pause)).spec());
    bench.place();
    fail(job);
    return job;
  }

  private void fail(long job) {
    bench.start(new AttemptId(job, 1));
    bench.end(new AttemptId(job, 1), Outcome.FAILED, 1);
  }

  /** Lets time pass, by the database's clock; less than nothing where it is set back. */
  private void pass(Duration time) {
    long seconds = -time.toSeconds();
    bench.database.transaction(
        handle -> {
          handle.execute(
              "update job set not_before = timestampadd(second, ?, not_before)", seconds);
          handle.execute(
              "update job_ready set ready_at = timestampadd(second, ?, ready_at)", seconds);
          return handle.execute(
              "update attempt set ended_at = timestampadd(second, ?, ended_at)", seconds);
        });
  }

  private void assertPauses(long job, Duration left) {
    assertThat(bench.state(job)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(job).notBefore())
        .isCloseTo(bench.database.now().plus(left), within(5, ChronoUnit.SECONDS));
  }

  private Instant readyAt(long job) {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select ready_at from job_ready where job_id = :job")
                .bind("job", job)
                .mapTo(Instant.class)
                .one());
  }
}
