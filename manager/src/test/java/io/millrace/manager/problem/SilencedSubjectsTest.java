package io.millrace.manager.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SilencedSubjectsTest {
  @TempDir private Path folder;
  private QueueWorld world;
  private SilencedSubjects subjects;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    world.apply("{kind: queue, name: alert}");
    world.reports("q1");
    subjects = new SilencedSubjects(world.database);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @ParameterizedTest
  @CsvSource({
    "QUEUE_PAUSED, alrt, UNKNOWN_QUEUE, no queue 'alrt' is defined",
    "DEAD_LETTERS, q1, UNKNOWN_QUEUE, no queue 'q1' is defined",
    "TASK_LATE, alert, UNKNOWN_TASK, no task 'alert' is defined",
    "DISK_FULL, e9, UNKNOWN_NODE, no node 'e9' is registered"
  })
  void whatDoesNotExistIsRefused(String code, String subject, ErrorCode error, String words) {
    assertThatThrownBy(() -> require(code, subject))
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(error))
        .hasMessageContaining(words);
  }

  @ParameterizedTest
  @CsvSource({
    "QUEUE_PAUSED, alert",
    "NODE_LOST, q1",
    "JOB_LATE, later",
    "QUEUE_PAUSED,",
    "NO_CODE, x"
  })
  void whatExistsOrComesAndGoesIsNot(String code, String subject) {
    assertThatCode(() -> require(code, subject)).doesNotThrowAnyException();
  }

  @Test
  void aPresentProblemMayBeSilencedWhateverItIsAbout() {
    Alert present = new Alert("DEAD_LETTERS", "deleted", "2 dead letters");
    assertThatCode(() -> require("DEAD_LETTERS", "deleted", present)).doesNotThrowAnyException();
    assertThatThrownBy(() -> require("BREAKER_OPEN", "deleted", present))
        .hasMessageContaining("no queue 'deleted'");
  }

  private void require(String code, String subject, Alert... present) {
    subjects.require(
        new SilenceRequest(code, subject, Duration.ofHours(1), "deploy"), List.of(present));
  }
}
