package io.millrace.queuenode.store;

import static io.millrace.queuenode.store.LogFolderFixture.FILE_BYTES;
import static io.millrace.queuenode.store.LogFolderFixture.QUEUE;
import static io.millrace.queuenode.store.LogFolderFixture.finish;
import static io.millrace.queuenode.store.LogFolderFixture.ids;
import static io.millrace.queuenode.store.LogFolderFixture.insert;
import static io.millrace.queuenode.store.LogFolderFixture.logs;
import static io.millrace.queuenode.store.LogFolderFixture.open;
import static io.millrace.queuenode.store.LogFolderFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Space on disk: reclaimed after a backlog, and exhausted. */
class LogSpaceTest {
  private static final String LARGE = "x".repeat(400);

  @TempDir Path folder;

  @Test
  void spaceIsReclaimedOnceABacklogIsDone() throws IOException {
    try (LogRows rows = open(folder)) {
      List<DeliveryState> backlog = backlog(rows);
      assertThat(rows.diskBytes()).isGreaterThan(20L * FILE_BYTES);

      finish(rows, backlog);

      await().until(() -> forcedSize(rows) <= 3L * FILE_BYTES);
      assertThat(logs(folder)).hasSizeLessThanOrEqualTo(3);
    }
  }

  @Test
  void aFewRemainingEventsDoNotRetainTheSpaceOfTheirNeighbours() throws IOException {
    List<String> kept = new ArrayList<>();
    try (LogRows rows = open(folder)) {
      List<DeliveryState> done = new ArrayList<>();
      for (DeliveryState delivery : backlog(rows)) {
        if (delivery.seq() % 100 == 0) {
          kept.add("event-" + delivery.seq());
        } else {
          done.add(delivery);
        }
      }
      finish(rows, done);

      await().until(() -> forcedSize(rows) <= 5L * FILE_BYTES);
      assertThat(ids(rows, QUEUE)).isEqualTo(kept);
    }
    try (LogRows rows = open(folder)) {
      assertThat(ids(rows, QUEUE)).isEqualTo(kept);
    }
  }

  private static List<DeliveryState> backlog(LogRows rows) {
    List<DeliveryState> backlog = new ArrayList<>();
    while (rows.diskBytes() <= 20L * FILE_BYTES) {
      backlog.addAll(put(rows, QUEUE, 10, LARGE));
    }
    return backlog;
  }

  /** A force makes the log apply its keeper's changes. */
  private static long forcedSize(LogRows rows) {
    rows.saveTotals(QUEUE, SegmentTotals.NONE);
    rows.commit();
    rows.force();
    return rows.diskBytes();
  }

  @Test
  void aFullDiskRefusesTheGroupAndChangesNothing() throws IOException {
    DyingDisk disk = new DyingDisk();
    try (LogRows rows = open(folder, disk)) {
      put(rows, QUEUE, 2, LARGE);
      disk.fillUpAt(5_000);

      insert(rows, QUEUE, 12, LARGE);
      assertThatThrownBy(rows::commit)
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.DISK_FULL))
          .hasMessageContaining(folder.toString());
      rows.rollback();
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2");

      disk.fillUpAt(Long.MAX_VALUE);
      put(rows, QUEUE, 1, LARGE);
    }
    try (LogRows rows = open(folder)) {
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2", "event-15");
    }
  }

  @Test
  void afterAFailedForceNothingMoreIsWritten() throws IOException {
    DyingDisk disk = new DyingDisk();
    LogRows rows = open(folder, disk);
    put(rows, QUEUE, 1, LARGE);
    disk.failForces();

    insert(rows, QUEUE, 1, LARGE);
    rows.commit();
    assertThatThrownBy(rows::force)
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining("could not be forced");
    insert(rows, QUEUE, 1, LARGE);
    assertThatThrownBy(rows::commit)
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining("restart this node");
    rows.rollback();
    rows.close();

    try (LogRows again = open(folder)) {
      assertThat(ids(again, QUEUE)).containsExactly("event-1", "event-2");
    }
  }

  @Test
  void aGroupLargerThanAFileIsStoredAndReadBack() throws IOException {
    try (LogRows rows = open(folder)) {
      put(rows, QUEUE, 1, LARGE);
      put(rows, QUEUE, 100, LARGE);
      put(rows, QUEUE, 1, "x".repeat(3 * FILE_BYTES));
      put(rows, QUEUE, 1, LARGE);
    }
    try (LogRows rows = open(folder)) {
      assertThat(ids(rows, QUEUE)).hasSize(103);
      Rows.Row large = rows.find(QUEUE, EventState.READY, List.of(102L)).get(0);
      assertThat(large.event().data()).hasSize(3 * FILE_BYTES);
    }
  }
}
