package io.millrace.executor.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressScanTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final ProgressScan scan =
      new ProgressScan(attempt -> new AttemptDirectory(folder, attempt), clock);

  @Test
  void onlyWhatHasChangedIsSentAndAtMostEveryFiveSeconds() throws IOException {
    assertThat(due(FIRST)).isEmpty();
    write(FIRST, "1/9");
    assertThat(due(FIRST)).containsExactly(1L);
    scan.answered();
    assertThat(due(FIRST)).isEmpty();
    write(FIRST, "2/9 b");
    assertThat(due(FIRST)).as("two seconds later").isEmpty();
    clock.advance(Duration.ofSeconds(5));
    assertThat(due(FIRST)).containsExactly(2L);
    scan.answered();
    clock.advance(Duration.ofSeconds(5));
    assertThat(due(FIRST)).isEmpty();
  }

  @Test
  void aReportThatMayNotHaveArrivedIsSentAgain() throws IOException {
    write(FIRST, "1/9");
    assertThat(due(FIRST)).containsExactly(1L);
    scan.notAnswered();
    assertThat(due(FIRST)).containsExactly(1L);
  }

  @Test
  void aPollCarriesABoundedNumberAndTheOthersFollow() throws IOException {
    List<AttemptId> many = new ArrayList<>();
    for (int job = 1; job <= 120; job++) {
      many.add(new AttemptId(job, 1));
      write(new AttemptId(job, 1), "1/9");
    }
    Set<AttemptId> sent = new HashSet<>();
    for (int poll = 0; poll < 3; poll++) {
      clock.advance(Duration.ofSeconds(1));
      List<ProgressReport> due = scan.due(many);
      assertThat(due).hasSizeLessThanOrEqualTo(50);
      due.forEach(report -> sent.add(report.attempt()));
      scan.answered();
    }
    assertThat(sent).hasSize(120);
  }

  @Test
  void everyAttemptHasItsTurnHoweverManyReportAllTheTime() throws IOException {
    List<AttemptId> many = new ArrayList<>();
    for (int job = 1; job <= 300; job++) {
      many.add(new AttemptId(job, 1));
    }
    Set<AttemptId> sent = new HashSet<>();
    for (int second = 1; second <= 12; second++) {
      for (AttemptId attempt : many) {
        write(attempt, second + "/99");
      }
      clock.advance(Duration.ofSeconds(1));
      scan.due(many).forEach(report -> sent.add(report.attempt()));
      scan.answered();
    }
    assertThat(sent).hasSize(300);
  }

  private List<Long> due(AttemptId attempt) {
    clock.advance(Duration.ofSeconds(1));
    return scan.due(List.of(attempt)).stream().map(report -> report.progress().done()).toList();
  }

  private void write(AttemptId attempt, String text) throws IOException {
    AttemptDirectory directory = new AttemptDirectory(folder, attempt);
    directory.create();
    Files.writeString(directory.progress(), text);
  }
}
