package io.millrace.queuenode.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.segment.SegmentHooks.HookSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentHooksTest {
  @TempDir Path folder;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private Path journal;
  private Path obstacle;
  private SegmentNotes notes;
  private SegmentHooks segmentHooks;
  private List<SegmentFigures> segments = List.of();

  @BeforeEach
  void make() {
    journal = folder.resolve("journal");
    obstacle = folder.resolve("obstacle");
    HookSettings hooks =
        new HookSettings(
            List.of("/bin/sh", "-c", script("start") + "test ! -e '" + obstacle + "'"),
            List.of("/bin/sh", "-c", script("stop")),
            Duration.ofSeconds(30));
    notes = SegmentHooks.notes(hooks);
    segmentHooks = new SegmentHooks("q1", hooks, () -> segments, notes, clock);
  }

  private String script(String command) {
    return "echo "
        + command
        + " $MILLRACE_QUEUE $MILLRACE_NODE $MILLRACE_WEIGHT >> '"
        + journal
        + "'; ";
  }

  @Test
  void aSegmentAcceptsNoEventsBeforeItsStartHookHasSucceeded() throws Exception {
    segments = List.of(segment(300, 0));
    assertThat(notes.trouble("alert")).contains("its start hook has not run yet");
    segmentHooks.follow();
    segmentHooks.follow();
    assertThat(notes.trouble("alert")).isEmpty();
    assertThat(journal()).containsExactly("start alert q1 300");
  }

  @Test
  void aFailingStartHookIsReportedAndRetriedWithIncreasingDelay() throws Exception {
    Files.createFile(obstacle);
    segments = List.of(segment(300, 0));
    segmentHooks.follow();
    segmentHooks.follow();
    assertThat(notes.trouble("alert"))
        .get()
        .asString()
        .contains("failed 1 time")
        .contains("status");
    assertThat(journal()).hasSize(1);

    clock.advance(Duration.ofSeconds(1));
    segmentHooks.follow();
    clock.advance(Duration.ofSeconds(1));
    segmentHooks.follow();
    assertThat(notes.trouble("alert")).get().asString().contains("failed 2 times");
    assertThat(journal()).hasSize(2);

    Files.delete(obstacle);
    clock.advance(Duration.ofSeconds(1));
    segmentHooks.follow();
    assertThat(notes.trouble("alert")).isEmpty();
  }

  @Test
  void aSegmentWithoutWeightClosesWhenItsLastEventIsDone() throws Exception {
    segments = List.of(segment(300, 2));
    segmentHooks.follow();
    segments = List.of(segment(0, 1));
    segmentHooks.follow();
    assertThat(journal()).hasSize(1);
    segments = List.of(segment(0, 0));
    segmentHooks.follow();
    segmentHooks.follow();
    assertThat(journal()).containsExactly("start alert q1 300", "stop alert q1 0");
    assertThat(notes.trouble("alert")).isPresent();
  }

  @Test
  void aSegmentThatGetsWeightAgainIsOpenedAgain() throws Exception {
    segments = List.of(segment(300, 0));
    segmentHooks.follow();
    segments = List.of();
    segmentHooks.follow();
    segments = List.of(segment(50, 0));
    segmentHooks.follow();
    assertThat(journal())
        .containsExactly("start alert q1 300", "stop alert q1 0", "start alert q1 50");
  }

  @Test
  void withoutAStartHookSegmentsAcceptEventsImmediately() {
    assertThat(SegmentHooks.notes(HookSettings.defaults()).trouble("alert")).isEmpty();
  }

  private List<String> journal() throws IOException {
    return Files.readAllLines(journal);
  }

  private static SegmentFigures segment(int weight, long waiting) {
    return new SegmentFigures(
        "alert", "q1", weight, 1, waiting, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null);
  }
}
