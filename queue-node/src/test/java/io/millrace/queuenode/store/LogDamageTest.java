package io.millrace.queuenode.store;

import static io.millrace.queuenode.store.LogFolderFixture.QUEUE;
import static io.millrace.queuenode.store.LogFolderFixture.content;
import static io.millrace.queuenode.store.LogFolderFixture.copy;
import static io.millrace.queuenode.store.LogFolderFixture.files;
import static io.millrace.queuenode.store.LogFolderFixture.finish;
import static io.millrace.queuenode.store.LogFolderFixture.flip;
import static io.millrace.queuenode.store.LogFolderFixture.groups;
import static io.millrace.queuenode.store.LogFolderFixture.ids;
import static io.millrace.queuenode.store.LogFolderFixture.insert;
import static io.millrace.queuenode.store.LogFolderFixture.logs;
import static io.millrace.queuenode.store.LogFolderFixture.open;
import static io.millrace.queuenode.store.LogFolderFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How opening a log handles files that are not as they were written. */
class LogDamageTest {
  @TempDir Path folder;

  /** Three forced groups, the last with one event more; never closed. */
  private Path threeGroups() throws IOException {
    Path store = folder.resolve("store");
    Path crashed = folder.resolve("crashed");
    try (LogRows rows = open(store)) {
      put(rows, QUEUE, 2, "first");
      put(rows, QUEUE, 2, "second");
      put(rows, QUEUE, 1, "third");
      return copy(store, crashed);
    }
  }

  @Test
  void aGroupTornAtAnyByteIsCutOffAndTheRestIsKept() throws IOException {
    Path crashed = threeGroups();
    Path log = logs(crashed).get(0);
    List<Integer> groups = groups(log);
    int last = groups.get(groups.size() - 2);
    int end = groups.get(groups.size() - 1);
    for (int cut = last; cut < end; cut++) {
      Path torn = copy(crashed, folder.resolve("torn-" + cut));
      try (RandomAccessFile file = new RandomAccessFile(logs(torn).get(0).toFile(), "rw")) {
        file.setLength(cut);
      }
      requireFirstFourAndOneMore(torn);
    }
  }

  @Test
  void aLastGroupWithAnyWrongByteIsCutOffAndTheRestIsKept() throws IOException {
    Path crashed = threeGroups();
    List<Integer> groups = groups(logs(crashed).get(0));
    int last = groups.get(groups.size() - 2);
    int end = groups.get(groups.size() - 1);
    for (int wrong = last; wrong < end; wrong++) {
      Path torn = copy(crashed, folder.resolve("wrong-" + wrong));
      flip(logs(torn).get(0), wrong);
      requireFirstFourAndOneMore(torn);
    }
  }

  /** What a power failure may leave of groups that were only in the page cache. */
  @Test
  void groupsThatWereNotForcedMayBeMissingInTheMiddleAndNeverComeBack() throws IOException {
    Path store = folder.resolve("store");
    Path crashed = folder.resolve("crashed");
    try (LogRows rows = open(store)) {
      put(rows, QUEUE, 2, "forced");
      for (String data : List.of("lost", "kept", "also")) {
        insert(rows, QUEUE, 1, data);
        rows.commit();
      }
      copy(store, crashed);
    }
    Path log = logs(crashed).get(0);
    List<Integer> groups = groups(log);
    int lost = groups.get(groups.size() - 4);
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(lost);
      file.write(new byte[groups.get(groups.size() - 3) - lost]);
    }

    Path crashedAgain = folder.resolve("crashed-again");
    try (LogRows rows = open(crashed)) {
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2");
      // As long as the lost group, so that what follows it would fit.
      put(rows, QUEUE, 1, "back");
      copy(crashed, crashedAgain);
    }
    try (LogRows rows = open(crashedAgain)) {
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2", "event-3");
    }
  }

  private static void requireFirstFourAndOneMore(Path torn) throws IOException {
    try (LogRows rows = open(torn)) {
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2", "event-3", "event-4");
      put(rows, QUEUE, 1, "after");
    }
    try (LogRows rows = open(torn)) {
      assertThat(ids(rows, QUEUE)).hasSize(5).endsWith("event-5");
    }
  }

  @Test
  void aWrongByteInAForcedGroupIsRejectedWithItsOffsetAndNothingIsChanged() throws IOException {
    Path crashed = threeGroups();
    List<Integer> groups = groups(logs(crashed).get(0));
    for (int wrong = groups.get(0); wrong < groups.get(2); wrong++) {
      Path damaged = copy(crashed, folder.resolve("damaged-" + wrong));
      flip(logs(damaged).get(0), wrong);
      int group = wrong < groups.get(1) ? groups.get(0) : groups.get(1);
      requireRefused(damaged, "000000000001.log is damaged at offset " + group);
    }
  }

  @Test
  void aWrongFileHeaderIsRefused() throws IOException {
    Path crashed = threeGroups();
    flip(logs(crashed).get(0), 3);
    requireRefused(crashed, "000000000001.log is damaged at offset 0");
  }

  @Test
  void anyMissingFileOfALogIsRefusedByName() throws IOException {
    Path store = folder.resolve("store");
    Path crashed = folder.resolve("crashed");
    DyingDisk disk = new DyingDisk();
    try (LogRows rows = open(store, disk)) {
      // Never forced, so without a checkpoint.
      for (int i = 0; i < 10; i++) {
        insert(rows, QUEUE, 20, "x".repeat(200));
        rows.commit();
      }
      copy(store, crashed);
    }
    List<Path> logs = logs(crashed);
    assertThat(logs).hasSizeGreaterThan(2);
    for (Path log : logs) {
      String name = log.getFileName().toString();
      Path damaged = copy(crashed, folder.resolve("without-" + name));
      Files.delete(damaged.resolve(name));
      requireRefused(damaged, name + " is missing");
    }
  }

  @Test
  void aDamagedCheckpointIsIgnoredWhileTheLogIsComplete() throws IOException {
    Path store = folder.resolve("store");
    try (LogRows rows = open(store)) {
      put(rows, QUEUE, 3, "kept");
    }
    Path checkpoint = checkpoints(store).get(0);
    flip(checkpoint, 30);

    try (LogRows rows = open(store)) {
      assertThat(ids(rows, QUEUE)).containsExactly("event-1", "event-2", "event-3");
    }
  }

  @Test
  void aDamagedCheckpointIsRejectedOnceEarlierFilesAreDeleted() throws IOException {
    Path store = folder.resolve("store");
    try (LogRows rows = open(store)) {
      for (int i = 0; i < 10; i++) {
        finish(rows, put(rows, QUEUE, 20, "x".repeat(200)));
      }
    }
    assertThat(logs(store).get(0))
        .doesNotHaveToString(store.resolve("000000000001.log").toString());
    for (Path checkpoint : checkpoints(store)) {
      flip(checkpoint, 30);
    }
    requireRefused(store, "000000000001.log is missing");
  }

  @Test
  void aDamagedEventInAFinishedFileMakesOnlyItsQueueUnreadable() throws IOException {
    Path store = folder.resolve("store");
    try (LogRows rows = open(store)) {
      put(rows, 2, 1, "healthy");
      put(rows, QUEUE, 1, "needle in a hay stack");
      for (int i = 0; i < 4; i++) {
        put(rows, 2, 30, "x".repeat(200));
      }
    }
    Path first = logs(store).get(0);
    String bytes = Files.readString(first, StandardCharsets.ISO_8859_1);
    flip(first, bytes.indexOf("needle") + 3);

    try (LogRows rows = open(store)) {
      assertThat(rows.unreadable(QUEUE)).isEmpty();
      assertThatThrownBy(() -> rows.ready(QUEUE, null, 10)).isInstanceOf(StoreFailure.class);
      assertThat(rows.unreadable(QUEUE).orElseThrow())
          .contains("000000000001.log is damaged at offset");
      assertThat(rows.oldestReady(QUEUE)).isZero();
      assertThat(rows.unreadable(2)).isEmpty();
      assertThat(ids(rows, 2)).hasSize(121);
    }
  }

  @Test
  void aLostIndexOfAFinishedFileIsRebuilt() throws IOException {
    Path store = folder.resolve("store");
    try (LogRows rows = open(store)) {
      for (int i = 0; i < 8; i++) {
        put(rows, QUEUE, 30, "x".repeat(200));
      }
    }
    List<Path> indexes =
        files(store).stream().filter(file -> file.toString().endsWith(".index")).toList();
    assertThat(indexes).hasSizeGreaterThan(1);
    Files.delete(indexes.get(0));
    flip(indexes.get(1), 20);

    try (LogRows rows = open(store)) {
      assertThat(ids(rows, QUEUE)).hasSize(240);
    }
  }

  private void requireRefused(Path damaged, String message) throws IOException {
    Map<String, ByteBuffer> before = content(damaged);
    assertThatThrownBy(() -> open(damaged))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining(message)
        .hasMessageContaining("Nothing was changed");
    assertThat(content(damaged)).isEqualTo(before);
  }

  private static List<Path> checkpoints(Path store) throws IOException {
    return files(store).stream()
        .filter(file -> file.getFileName().toString().startsWith("checkpoint-"))
        .toList();
  }
}
