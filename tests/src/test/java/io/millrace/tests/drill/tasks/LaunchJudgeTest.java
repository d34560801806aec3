package io.millrace.tests.drill.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.schedule.CatchUpRule;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaunchJudgeTest {
  private static final Instant BEGIN = Instant.parse("2026-03-01T00:00:00Z");

  private final DrilledTask task = new DrilledTask("t", CatchUpRule.NONE, Duration.ofSeconds(5));
  private final LaunchJournal journal = new LaunchJournal();
  private final List<TaskRunView> runs = new ArrayList<>();

  private void launched(int id, int version, int second) {
    runs.add(run(id, version, second, RunState.SUCCEEDED));
    journal.add(id, BEGIN.plusSeconds(second));
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

  private List<String> complaints() {
    return LaunchJudge.complaints(task, runs, journal);
  }

  @Test
  void launchesAndRecordsThatFollowOneAnotherAreFine() {
    launched(1, 1, 5);
    runs.add(run(2, 1, 10, RunState.MISSED));
    runs.add(run(3, 1, 15, RunState.SKIPPED));
    task.change(Duration.ofSeconds(7));
    launched(4, 2, 21);

    assertThat(complaints()).isEmpty();
  }

  @Test
  void aPlannedTimeThatNobodyKnowsOfIsFound() {
    launched(1, 1, 5);
    launched(2, 1, 15);

    assertThat(complaints()).singleElement().asString().contains("does not follow");
  }

  @Test
  void aRunThatRanTwiceOrNotAtAllIsFound() {
    launched(1, 1, 5);
    journal.add(1, BEGIN.plusSeconds(5));
    runs.add(run(2, 1, 10, RunState.SUCCEEDED));

    assertThat(complaints()).hasSize(2).allMatch(words -> words.contains("not itself once"));
  }

  @Test
  void aMissedTimeThatRanIsFound() {
    runs.add(run(1, 1, 5, RunState.MISSED));
    journal.add(1, BEGIN.plusSeconds(5));

    assertThat(complaints()).singleElement().asString().contains("ran all the same");
  }

  @Test
  void underAllTheTimesAfterTheMissedOnesWereCaughtUp() {
    DrilledTask all = new DrilledTask("t", CatchUpRule.ALL, Duration.ofSeconds(5));
    runs.add(run(1, 1, 5, RunState.MISSED));
    IntStream.rangeClosed(2, 30).forEach(id -> launched(id, 1, 5 * id));

    assertThat(LaunchJudge.complaints(all, runs, journal))
        .singleElement()
        .asString()
        .contains("less than 20 were caught up");
  }
}
