package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueControl.PauseRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueControlsTest {
  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void aQueue() {
    world = new QueueWorld(folder);
    world.apply("{kind: queue, name: alert}");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void sendingAndConsumingArePausedAndResumedSeparately() {
    QueueControl first =
        world.controls.pause("alert", new PauseRequest(true, false, "deploy"), "ann");
    assertThat(first.by()).isEqualTo("ann");
    assertThat(first.reason()).isEqualTo("deploy");
    assertThat(first.at()).isBeforeOrEqualTo(world.database.now());
    assertThat(paused()).containsExactly(true, false);

    world.controls.pause("alert", new PauseRequest(false, true, null), "bob");
    assertThat(paused()).containsExactly(true, true);
    assertThat(world.catalog.views().get(0).control().words()).isEqualTo("paused by bob: deploy");

    world.controls.resume("alert", new PauseRequest(true, false, null), "bob");
    assertThat(paused()).containsExactly(false, true);
    QueueControl last = world.controls.resume("alert", new PauseRequest(true, true, null), "bob");
    assertThat(last.paused()).isFalse();
    assertThat(world.controls.all()).isEmpty();
    assertThat(world.catalog.views().get(0).control()).isNull();
  }

  @Test
  void resumingARunningQueueChangesNothing() {
    assertThat(world.controls.resume("alert", new PauseRequest(true, true, null), "ann").paused())
        .isFalse();
    assertThat(world.controls.find("alert")).isEmpty();
  }

  @Test
  void theSelectionMustBeExplicit() {
    assertThatThrownBy(
            () -> world.controls.pause("alert", new PauseRequest(false, false, "so"), "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("sending, consuming or both");
    assertThatThrownBy(
            () -> world.controls.pause("alarm", new PauseRequest(true, false, "so"), "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_QUEUE));
  }

  private boolean[] paused() {
    QueueControl control = world.controls.find("alert").orElseThrow();
    return new boolean[] {control.sendingPaused(), control.consumingPaused()};
  }
}
