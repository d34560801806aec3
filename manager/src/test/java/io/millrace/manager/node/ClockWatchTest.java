package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.ReadyTimeCorrection;
import io.millrace.manager.node.ClockSteps.ClockStep;
import io.millrace.manager.node.ClockWatch.NodeClock;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClockWatchTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ClockSteps steps = new ClockSteps(bench.database);
  private final List<NodeClock> nodes = new ArrayList<>();
  // Its monotonic clock follows the database's, which is this machine's.
  private final ManualClock clock = new ManualClock(Instant.now());
  private final ClockWatch watch = new ClockWatch(bench.database, "c1", () -> nodes, steps, clock);
  private Instant last = bench.database.now();

  @BeforeEach
  void firstLook() {
    look();
    assertThat(steps.recent()).isEmpty();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aStepOfThisHostsClockIsShownWithItsSize() {
    clock.stepWall(HOUR.negated());
    look();
    look();
    assertThat(steps.recent())
        .singleElement()
        .satisfies(step -> assertThat(step.source()).isEqualTo("central manager c1"))
        .satisfies(step -> assertThat(step.step()).isEqualTo(HOUR.negated()));
  }

  @Test
  void aStepOfTheDatabaseClockIsDistinguishedFromOneOfANodeClock() {
    Instant heard = Instant.parse("2030-01-01T00:00:00Z");
    nodes.add(new NodeClock("e1", heard, 0));
    look();
    nodes.set(0, new NodeClock("e1", heard.plusSeconds(1), 0));
    look();
    nodes.set(0, new NodeClock("e1", heard.plusSeconds(2), HOUR.toMillis()));
    look();
    nodes.set(0, new NodeClock("e1", heard.plusSeconds(3), HOUR.toMillis()));
    look();
    assertThat(steps.recent()).extracting(ClockStep::source).containsExactly("execution node e1");
  }

  @Test
  void jobsSubmittedWhileTheDatabaseClockWasAheadAreDueOnceItIsSetBack() {
    bench.employ(JobBench.E1, "e1", 2);
    long asap = bench.submit(JobBench.command());
    long later =
        bench.submit(
            JobDraft.command("/bin/true").notBefore(bench.database.now().plus(HOUR)).spec());
    dateAhead(asap);
    bench.place();
    assertThat(bench.state(asap)).isEqualTo(JobState.WAITING);

    // Seen from the monotonic clock, the database's has lost an hour.
    clock.advance(HOUR);
    look();

    bench.place();
    assertThat(bench.state(asap)).isEqualTo(JobState.PLACED);
    assertThat(bench.state(later)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aJobThatFailedWhileTheDatabaseClockWasAheadKeepsItsFullPause() {
    bench.employ(JobBench.E1, "e1", 2);
    Duration pause = Duration.ofMinutes(10);
    long job =
        bench.submit(JobDraft.command("/bin/true").retry(RetryPolicy.upTo(1, pause, pause)).spec());
    bench.place();
    AttemptId attempt = new AttemptId(job, 1);
    bench.start(attempt);
    bench.end(attempt, Outcome.FAILED, 1);
    bench.database.transaction(
        handle -> {
          handle.execute("update job set not_before = timestampadd(hour, 1, not_before)");
          handle.execute("update job_ready set ready_at = timestampadd(hour, 1, ready_at)");
          return handle.execute("update attempt set ended_at = timestampadd(hour, 1, ended_at)");
        });

    clock.advance(HOUR);
    look();

    Instant now = bench.database.now();
    assertThat(bench.queries.view(job).notBefore()).isBetween(now, now.plus(pause));
    bench.place();
    assertThat(bench.state(job)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aJobLostAfterTheClockWasSetBackIsDueImmediately() {
    bench.employ(JobBench.E1, "e1", 2);
    long job = bench.submit(JobBench.command());
    bench.place();
    bench.start(new AttemptId(job, 1));
    bench.database.transaction(
        handle ->
            handle.execute("update job set submitted_at = timestampadd(hour, 1, submitted_at)"));

    bench.employ(JobBench.E1, "e1", 2);

    bench.place();
    assertThat(bench.state(job)).isEqualTo(JobState.PLACED);
  }

  @Test
  void writesOfOlderTransactionsAfterTheClockWasSetBackAreCorrectedToo() {
    DatabaseClock database = new DatabaseClock();
    database.pass(200);
    assertThat(database.corrections).as("at the start").isEqualTo(1);

    database.now = database.now.minus(HOUR);
    database.pass(1);
    assertThat(database.corrections).isEqualTo(2);
    database.pass(115);
    assertThat(database.corrections).isEqualTo(13);

    database.pass(200);
    assertThat(database.corrections).as("later").isLessThanOrEqualTo(14);
  }

  @Test
  void aLongCorrectionIsFollowedByAPause() {
    DatabaseClock database = new DatabaseClock();
    database.pass(200);
    database.now = database.now.minus(HOUR);
    database.correctsWithin = Duration.ofSeconds(15);

    database.pass(10);
    assertThat(database.corrections).isEqualTo(2);
    database.pass(1);
    assertThat(database.corrections).isEqualTo(3);
  }

  @Test
  void aClockThatIsSetBackInSmallStepsIsDetected() {
    DatabaseClock database = new DatabaseClock();
    database.pass(200);
    int before = database.corrections;

    for (int second = 0; second < 4; second++) {
      database.now = database.now.minusSeconds(1);
      database.pass(1);
    }

    assertThat(database.corrections).isEqualTo(before + 1);
  }

  @Test
  void aLateAnswerIsNotMistakenForAClockThatWasSetBack() {
    DatabaseClock database = new DatabaseClock();
    database.pass(200);
    int before = database.corrections;

    database.answersWithin = Duration.ofSeconds(5);
    database.pass(1);
    database.answersWithin = Duration.ZERO;
    database.pass(5);

    assertThat(database.corrections).isEqualTo(before);
  }

  /** A database's clock that is steered, and how often waiting jobs were corrected. */
  private final class DatabaseClock {
    private final ManualClock monotonic = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ClockWatch watching =
        new ClockWatch(this::read, "c1", List::of, steps, monotonic, this::correct);
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private Duration answersWithin = Duration.ZERO;
    private Duration correctsWithin = Duration.ZERO;
    private int corrections;

    private Instant read() {
      // It reads its clock last: the request was what took long.
      now = now.plus(answersWithin);
      monotonic.advance(answersWithin);
      return now;
    }

    private void correct() {
      corrections++;
      now = now.plus(correctsWithin);
      monotonic.advance(correctsWithin);
    }

    private void pass(int seconds) {
      for (int second = 0; second < seconds; second++) {
        now = now.plusSeconds(1);
        monotonic.advance(Duration.ofSeconds(1));
        watching.check();
      }
    }
  }

  @Test
  void aStartingCentralManagerCorrectsTimesInTheFuture() {
    bench.employ(JobBench.E1, "e1", 2);
    long job = bench.submit(JobBench.command());
    dateAhead(job);

    new ClockWatch(bench.database, "c2", () -> nodes, steps, clock).check();

    bench.place();
    assertThat(bench.state(job)).isEqualTo(JobState.PLACED);
  }

  @Test
  void aJobDatedInTheFutureIsFoundBehindAnyNumberOfWaitingJobs() {
    bench.employ(JobBench.E1, "e1", 2);
    Instant soon = bench.database.now().plus(Duration.ofMinutes(30));
    JobSpec later = JobDraft.command("/bin/true").notBefore(soon).spec();
    bench.submit(JobKind.SUBMITTED, Collections.nCopies(1001, later).toArray(JobSpec[]::new));
    long job = bench.submit(JobBench.command());
    dateAhead(job);

    assertThat(new ReadyTimeCorrection(bench.database).correct()).isEqualTo(1);

    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(job)).isEqualTo(JobState.PLACED);
  }

  private void dateAhead(long job) {
    bench.database.transaction(
        handle ->
            handle.execute(
                "update job_ready set ready_at = timestampadd(hour, 1, ready_at) where job_id = ?",
                job));
  }

  private void look() {
    Instant now = bench.database.now();
    clock.advance(Duration.between(last, now));
    last = now;
    watch.check();
  }
}
