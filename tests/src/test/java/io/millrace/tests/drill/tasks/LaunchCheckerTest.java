package io.millrace.tests.drill.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.TaskRunView;
import io.millrace.tests.drill.check.Availability.Span;
import io.millrace.tests.drill.tasks.LaunchJournal.Launch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaunchCheckerTest {
  private static final Instant BEGIN = Instant.parse("2026-03-01T00:00:00Z");

  private final DrillTask task = new DrillTask("t", CatchUpRule.NONE, Duration.ofSeconds(5));
  private final LaunchJournal journal = new LaunchJournal();
  private final List<TaskRunView> runs = new ArrayList<>();
  private final Set<Span> nodesHit = new HashSet<>();

  private void launched(int id, int version, int second) {
    runs.add(run(id, version, second, RunState.SUCCEEDED));
    wrote(id, second, id + ".1", second);
  }

  private void wrote(int id, int second, String attempt, double at) {
    journal.add(id, new Launch(BEGIN.plusSeconds(second), AttemptId.parse(attempt), at));
  }

  private static TaskRunView run(int id, int version, int second, RunState state) {
    Instant planned = BEGIN.plusSeconds(second);
    Instant late = planned.plusSeconds(40);
    return new TaskRunView(
        id,
        "t",
        version,
        RunCause.SCHEDULE,
        planned,
        late,
        late,
        state,
        null,
        null,
        1,
        1,
        0,
        0,
        null,
        null,
        1);
  }

  private List<String> violations() {
    return LaunchChecker.violations(task, runs, journal, nodesHit::contains);
  }

  @Test
  void consecutiveLaunchesAndRecordsAreAccepted() {
    launched(1, 1, 5);
    runs.add(run(2, 1, 10, RunState.MISSED));
    runs.add(run(3, 1, 15, RunState.SKIPPED));
    task.change(Duration.ofSeconds(7));
    launched(4, 2, 21);

    assertThat(violations()).isEmpty();
  }

  @Test
  void aMissingPlannedTimeIsReported() {
    launched(1, 1, 5);
    launched(2, 1, 15);

    assertThat(violations()).singleElement().asString().contains("does not follow");
  }

  @Test
  void aRunThatRanTwiceOrNeverIsReported() {
    launched(1, 1, 5);
    wrote(1, 5, "9.1", 6);
    runs.add(run(2, 1, 10, RunState.SUCCEEDED));

    assertThat(violations()).hasSize(2).allMatch(words -> words.contains("instead of one line"));
  }

  @Test
  void aRunMayBeRetriedIfItsNodeWasHit() {
    launched(1, 1, 5);
    wrote(1, 5, "1.2", 9);

    assertThat(violations()).singleElement().asString().contains("instead of one line");

    nodesHit.add(new Span(5, 9));
    assertThat(violations()).isEmpty();
  }

  @Test
  void aSecondJobOfARunIsReportedWhateverWasHit() {
    launched(1, 1, 5);
    wrote(1, 5, "2.1", 9);
    nodesHit.add(new Span(5, 9));

    assertThat(violations()).singleElement().asString().contains("instead of one line");
  }

  @Test
  void anAttemptThatWroteTwiceIsReportedWhateverWasHit() {
    launched(1, 1, 5);
    wrote(1, 5, "1.1", 9);
    nodesHit.add(new Span(5, 9));

    assertThat(violations()).singleElement().asString().contains("instead of one line");
  }

  @Test
  void aMissedTimeThatRanIsReported() {
    runs.add(run(1, 1, 5, RunState.MISSED));
    wrote(1, 5, "1.1", 5);

    assertThat(violations()).singleElement().asString().contains("ran nevertheless");
  }

  @Test
  void withCatchUpAllEveryTimeAfterTheMissedOnesIsCaughtUp() {
    DrillTask all = new DrillTask("t", CatchUpRule.ALL, Duration.ofSeconds(5));
    runs.add(run(1, 1, 5, RunState.MISSED));
    IntStream.rangeClosed(2, 30).forEach(id -> launched(id, 1, 5 * id));

    assertThat(LaunchChecker.violations(all, runs, journal, nodesHit::contains))
        .singleElement()
        .asString()
        .contains("fewer than 20 were caught up");
  }
}
