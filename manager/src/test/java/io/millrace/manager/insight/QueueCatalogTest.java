package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueCatalogTest {
  @TempDir Path folder;
  private QueueWorld world;

  /** Arrivals outran the workers until the last sample. */
  @BeforeEach
  void aBacklogGrew() {
    world = new QueueWorld(folder);
    world.apply("kind: queue\nname: alert\n");
    world.reports("q1");
    world.report("q1", figures(100, 100, 0));
    world.catalog.sample();
    world.pass("queue_sample", "sampled_at", Duration.ofSeconds(10));
    world.report("q1", figures(150, 200, 50));
    world.catalog.sample();
    assertThat(view().eventRate()).isGreaterThan(view().doneRate());
    assertThat(view().doneRate()).isPositive();
    assertThat(view().secondsToEmpty()).as("the backlog grows").isNull();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aQueueThatIsBeingDeletedSaysSoAndItsBacklogShrinksAsFastAsItIsProcessed() {
    assertThat(view().deleting()).isFalse();
    world.deletions.delete("queue", "alert", new DeletionRequest(DeletionMode.DRAIN, false), "ann");
    assertThat(view().deleting()).isTrue();
    assertThat(view().takesEvents()).isFalse();
    assertThat(view().secondsToEmpty()).isEqualTo(150 / view().doneRate());
  }

  @Test
  void soDoesTheBacklogOfAQueueWhoseSendingIsPaused() {
    world.controls.pause("alert", new PauseRequest(true, false, "test"), "ann");
    assertThat(view().takesEvents()).isFalse();
    assertThat(view().secondsToEmpty()).isEqualTo(150 / view().doneRate());
  }

  private QueueView view() {
    return world.catalog.views().get(0);
  }

  private static SegmentFigures figures(long waiting, long inserted, long acknowledged) {
    return QueueWorld.segment("alert", "q1", waiting, inserted)
        .with(figures -> figures.acknowledged(acknowledged));
  }
}
