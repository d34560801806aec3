package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.StoredEvent;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that take the place of others. */
class StoreRestoreTest {
  private static final String QUEUE = "alert";
  private static final int VERSION = 7;

  @TempDir private Path data;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-06-01T00:00:00Z"));
  private QueueNodeSettings settings;

  @BeforeEach
  void configure() {
    settings = of(data);
  }

  private QueueNodeSettings of(Path dataDirectory) {
    return QueueNodeSettings.of(
        "q1",
        dataDirectory,
        List.of(URI.create("http://127.0.0.1:1")),
        data.resolve("cluster.pub"));
  }

  @Test
  void aStoreOnAServerForgetsTheBatchesAndVersionsOfTheEventsThatAreReplaced() {
    try (SegmentStore store = new MemorySegmentStore().open(clock)) {
      put(store, "b1", "held");
      store.lease(new LeaseOrder(QUEUE, 10, Long.MAX_VALUE, Duration.ofMinutes(1)));
      store.commit();
      put(store, "b2", "waits");

      StoreRestore.empty(store);

      assertThat(store.totals()).isEmpty();
      assertThat(store.stored(new BatchLookup(QUEUE, "b2", 1)))
          .as("what was stored under the name of a batch whose events are gone")
          .isEmpty();
      store.restore(QUEUE, VERSION, List.of(event("a")));
      store.commit();
      assertThat(store.copy(QUEUE, 0, store.lastSeq()).version()).isEqualTo(VERSION);
      assertThat(store.copy(QUEUE, 0, store.lastSeq()).events())
          .extracting(StoredEvent::id)
          .containsExactly("a");
    }
  }

  private static void put(SegmentStore store, String batch, String id) {
    byte[] data = "{}".getBytes(StandardCharsets.UTF_8);
    store.put(new PutOrder(QUEUE, batch, List.of(new NewEvent(id, data, null)), 100));
    store.commit();
  }

  private static StoredEvent event(String id) {
    return new StoredEvent(1, id, "{}", null, 0, "READY", 0, 0, 0, 0, false, 0, 0, null, 0);
  }

  @Test
  void aRestorationThatIsCutOffBetweenItsLastStepsIsFinishedByTheNextOpening() throws IOException {
    restore("old");
    restore("new");
    assertThat(folders()).hasSize(2);

    // Whole, with the former store still in its place.
    move("store", "store.restored");
    move(aside(), "store");
    assertThat(opened()).containsExactly("new");
    assertThat(folders()).hasSize(2).contains("store");

    // Whole, with the former store out of the way.
    move("store", "store.restored");
    assertThat(opened()).containsExactly("new");
  }

  @Test
  void aStoreIsCountedWithoutPuttingARestoredOneInItsPlace() throws IOException {
    restore("old");
    restore("new");
    move("store", "store.restored");
    move(aside(), "store");
    assertThat(StoreRestore.present(settings, clock)).isEqualTo(1);
    assertThat(folders()).containsExactlyInAnyOrder("store", "store.restored");
  }

  @Test
  void noNodeOpensAStoreWhileItIsRestored() {
    restore("old");
    try (StoreRestore running = StoreRestore.begin(settings, 1, clock)) {
      running.add(QUEUE, VERSION, List.of(event("new")));
      assertRefuses(() -> NodeStore.open(settings, clock).close(), "is being restored");
      assertRefuses(() -> StoreRestore.begin(settings, 1, clock).close(), "is being restored");
    }
    assertThat(opened()).containsExactly("old");
    try (SegmentStore used = NodeStore.open(settings, clock)) {
      assertRefuses(() -> StoreRestore.begin(settings, 1, clock), "stop that node first");
      assertThat(used.totals().get(QUEUE).waiting()).isEqualTo(1);
    }
  }

  private static void assertRefuses(ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining(message);
  }

  @Test
  void aRestorationThatIsCutOffEarlierChangesNothing() {
    restore("old");
    StoreRestore cut = StoreRestore.begin(settings, 1, clock);
    cut.add(QUEUE, VERSION, List.of(event("new")));
    cut.close();
    assertThat(opened()).containsExactly("old");
    restore("new");
    assertThat(opened()).containsExactly("new");
  }

  @Test
  void aStoreThatANodeHasOpenedMeanwhileIsNotMoved() throws IOException {
    restore("old");
    StoreRestore late = StoreRestore.begin(settings, 1, clock);
    late.add(QUEUE, VERSION, List.of(event("new")));
    // As a node of an earlier version does, which does not know of restorations that are running.
    try (SegmentStore used = LogSegmentStore.open(data.resolve("store"), clock)) {
      assertRefuses(late::finish, "stop that node first");
      put(used, "b1", "meanwhile");
    }
    assertThat(opened()).containsExactly("old", "meanwhile");
    assertThat(folders()).as("what a later start would finish").doesNotContain("store.restored");
  }

  @Test
  void aRestoredNodeForgetsWhichQueuesWereDeletedSinceTheBackup() throws IOException {
    Path remembered = Files.writeString(data.resolve("topology.json"), "{}");
    restore("old");
    assertThat(remembered).doesNotExist();
  }

  @Test
  void aRestorationThatIsGivenUpForgetsNoDeletion() throws IOException {
    Path remembered = Files.writeString(data.resolve("topology.json"), "{}");
    StoreRestore.begin(settings, 1, clock).close();
    assertThat(remembered).exists();
  }

  @Test
  void aNumberFromBeforeARestorationNamesNoOtherEvent() {
    long before = restoredLast("old");
    assertThat(before).isGreaterThan(1L << 40).isLessThan(1L << 53);
    clock.advance(Duration.ofMinutes(1));
    assertThat(restoredLast("new")).as("of the same backup").isGreaterThan(before);
  }

  /** Its term is the second of that restoration, so the backup's is almost the time. */
  @Test
  void twoRestorationsOfTheBackupOfARestoredStoreGiveOutDifferentNumbersAlsoIntoNewFolders() {
    long copied = Duration.between(Instant.parse("2026-01-01T00:00:00Z"), clock.now()).toSeconds();
    clock.advance(Duration.ofMinutes(1));
    long first = restoredLast("first", copied);
    clock.advance(Duration.ofMinutes(1));
    settings = of(data.resolve("another"));
    assertThat(restoredLast("second", copied)).isGreaterThan(first + 1_000_000);
  }

  @Test
  void aRestoredStoreGivesOutHigherNumbersThanTheOneThatItReplacesWhateverTheClockSays() {
    long before = restoredLast("old", 100_000_000);
    assertThat(restoredLast("new", 1)).isGreaterThan(before + 1_000_000);
  }

  private long restoredLast(String id) {
    return restoredLast(id, 1);
  }

  private long restoredLast(String id, long term) {
    restore(id, term);
    try (SegmentStore store = NodeStore.open(settings, clock)) {
      put(store, id, "another");
      return store.lastSeq();
    }
  }

  private void restore(String id) {
    restore(id, 1);
  }

  private void restore(String id, long term) {
    try (StoreRestore store = StoreRestore.begin(settings, term, clock)) {
      store.add(QUEUE, VERSION, List.of(event(id)));
      store.finish();
    }
  }

  private List<String> opened() {
    try (SegmentStore store = NodeStore.open(settings, clock)) {
      return store.copy(QUEUE, 0, store.lastSeq()).events().stream().map(StoredEvent::id).toList();
    }
  }

  private String aside() throws IOException {
    return folders().stream().filter(name -> name.startsWith("store.before")).findFirst().get();
  }

  private List<String> folders() throws IOException {
    try (Stream<Path> files = Files.list(data)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("store"))
          .toList();
    }
  }

  private void move(String from, String to) throws IOException {
    Files.move(data.resolve(from), data.resolve(to));
  }
}
