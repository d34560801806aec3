package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.Json;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.KeptEvent;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionWorkerCalls;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.log.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Large events and snapshots are delivered and moved with little memory, in small messages. */
class LargeSessionsTest {
  private static final int MEBIBYTE = 1 << 20;

  /** {@code web.maxBody} by default. */
  private static final int LARGEST_REQUEST = 8 * MEBIBYTE;

  @TempDir private Path folder;
  private final ReadBytes disk = new ReadBytes();
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder.resolve("giver"));
    sessions.close();
    sessions.disk = disk;
    sessions.fileBytes = 16 * MEBIBYTE;
    sessions.batch = 10_000;
    sessions.open();
    sessions.available(1);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private void put(String key, int number, int bytes) {
    // As many characters as possible that need an escape.
    String data = "\"" + "\\\"".repeat((bytes - 2) / 2) + "\"";
    NewEvent event = new NewEvent("e" + number, data.getBytes(StandardCharsets.UTF_8), null);
    sessions.put(new KeyedEvent(event, key, SessionKey.slot(key), 0));
  }

  private void reopen() {
    sessions.reopen();
    sessions.poll(1, 0);
    disk.bytes = 0;
  }

  private List<Long> delivered(int max, SessionResult... results) {
    return sessions.poll(1, max, results).sessions().stream()
        .flatMap(one -> one.events().stream())
        .map(SessionEvent::n)
        .toList();
  }

  @Test
  void aPollReadsLittleMoreThanItDelivers() {
    for (int i = 1; i <= 40; i++) {
      put("a", i, MEBIBYTE / 2);
    }
    reopen();
    List<Long> first = delivered(1_000);
    assertThat(first).containsExactly(1L);
    assertThat(disk.bytes).isLessThan(4 * MEBIBYTE);
    SessionNumber number = sessions.session("a").number();
    SessionResult done =
        SessionStoreFixture.result("a", number, first.size(), ResultKind.ACKNOWLEDGED);
    assertThat(delivered(1_000, done)).startsWith(2L);
  }

  @Test
  void ofASessionWithSmallAndLargeEventsAPollReadsLittleMoreThanItDelivers() {
    for (int i = 1; i <= 500; i++) {
      put("a", i, 40);
    }
    for (int i = 501; i <= 540; i++) {
      put("a", i, MEBIBYTE / 2);
    }
    reopen();
    assertThat(delivered(1_000)).hasSizeBetween(500, 502);
    assertThat(disk.bytes).isLessThan(4 * MEBIBYTE);
  }

  @Test
  void aPageOfSessionsWithLargeEventsEndsEarly() {
    for (int i = 1; i <= 40; i++) {
      put("k" + i, i, MEBIBYTE / 2);
    }
    reopen();
    SessionPage page = sessions.store.list(QUEUE, null, null, null, 1_000);
    assertThat(page.sessions()).hasSizeBetween(16, 18);
    assertThat(disk.bytes).isLessThan(12 * MEBIBYTE);
    int found = page.sessions().size();
    while (page.next() != null) {
      page = sessions.store.list(QUEUE, null, null, page.next(), 1_000);
      found += page.sessions().size();
    }
    assertThat(found).isEqualTo(40);
  }

  @Test
  void anEventThatIsLargerThanAnAnswerIsDelivered() {
    put("a", 1, MEBIBYTE);
    put("a", 2, MEBIBYTE);
    reopen();
    assertThat(delivered(10)).containsExactly(1L);
  }

  private void snapshot(String key, int bytes) {
    PollAnswered answer = sessions.poll(1, 10);
    SessionDelivery delivery =
        answer.sessions().stream().filter(one -> one.key().equals(key)).findAny().orElseThrow();
    TextNode state = TextNode.valueOf("s".repeat(bytes - 2));
    sessions.poll(
        1, 0, new SessionResult(key, delivery.number(), 1, ResultKind.SNAPSHOT, state, null));
  }

  private List<SlotPage> export(String key) {
    sessions.store.leave(QUEUE, w(1), PROCESS);
    sessions.store.seal(QUEUE, List.of(SessionKey.slot(key)));
    sessions.commit();
    List<SlotPage> pages = new ArrayList<>();
    String next = null;
    do {
      pages.add(sessions.export(SessionKey.slot(key), next));
      sessions.commit();
      next = pages.get(pages.size() - 1).next();
    } while (next != null);
    return pages;
  }

  @Test
  void aPartOfASlotReadsLittleMoreThanItHolds() {
    for (int i = 1; i <= 40; i++) {
      put("a", i, MEBIBYTE / 2);
    }
    reopen();
    List<SlotPage> pages = export("a");
    assertThat(disk.bytes).isLessThan(80 * MEBIBYTE);
    assertThat(pages)
        .flatExtracting(SlotPage::sessions)
        .flatExtracting(MovedSession::events)
        .extracting(MovedEvent::n)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 40).mapToObj(Long::valueOf).toList());
  }

  @Test
  void aLargeSnapshotHasAPartOfItsOwnSoThatEachPartFitsIntoARequest() {
    String sibling = sibling();
    put(sibling, 1, 100);
    put("a", 1, 100);
    snapshot("a", SessionWorkerCalls.LARGEST_SNAPSHOT);
    put("a", 2, MEBIBYTE - 100);
    put("a", 3, MEBIBYTE);
    put("a", 4, MEBIBYTE);
    List<SlotPage> pages = export("a");
    assertThat(pages)
        .flatExtracting(SlotPage::sessions)
        .filteredOn(one -> one.snapshot() != null)
        .singleElement()
        .satisfies(one -> assertThat(one.events()).isEmpty());
    assertThat(pages)
        .allSatisfy(page -> assertThat(Json.writeBytes(page)).hasSizeLessThan(LARGEST_REQUEST));
    SessionStoreFixture taker =
        new SessionStoreFixture(folder.resolve("taker"), "node-2", sessions.clock).open();
    taker.fileBytes = 16 * MEBIBYTE;
    taker.reopen();
    taker.take(2, List.of("node-1"), true, SessionKey.slot("a"));
    taker.available(9);
    for (SlotPage page : pages) {
      taker.arrives(Json.read(Json.writeBytes(page), SlotPage.class));
      taker.commit();
      SessionStateCheck.check(taker);
    }
    assertThat(taker.session("a").accepted()).isEqualTo(4);
    assertThat(taker.store.show(QUEUE, "a").snapshotBytes())
        .isEqualTo(SessionWorkerCalls.LARGEST_SNAPSHOT);
    assertThat(taker.session(sibling).accepted()).isOne();
    taker.close();
  }

  private SessionDetails show() {
    disk.bytes = 0;
    return sessions.store.show(QUEUE, "a");
  }

  @Test
  void anOperatorIsShownTheFirstEventsAndHowManyOthersThereAre() {
    for (int i = 1; i <= 40; i++) {
      put("a", i, MEBIBYTE / 4);
    }
    reopen();
    SessionDetails shown = show();
    assertThat(disk.bytes).isLessThan(4 * MEBIBYTE);
    assertThat(shown.events()).extracting(KeptEvent::n).containsExactly(1L, 2L, 3L);
    assertThat(shown.moreEvents()).isEqualTo(37);
  }

  @Test
  void ofEventsThatAreEachLargerThanAnAnswerTheFirstIsShown() {
    put("a", 1, MEBIBYTE);
    put("a", 2, MEBIBYTE);
    reopen();
    SessionDetails shown = show();
    assertThat(shown.events()).extracting(KeptEvent::n).containsExactly(1L);
    assertThat(shown.moreEvents()).isOne();
  }

  @Test
  void attributesCountAsTheyAreSent() {
    // 8,192 characters of which each is sent as two, and those of JSON.
    String attributes = "{\"a\":\"" + "\\\"".repeat(4_090) + "\"}";
    for (int i = 1; i <= 200; i++) {
      byte[] data = "1".getBytes(StandardCharsets.UTF_8);
      NewEvent event = new NewEvent("e" + i, data, attributes);
      sessions.put(new KeyedEvent(event, "a", SessionKey.slot("a"), 0));
    }
    SessionDetails shown = show();
    assertThat(Json.writeBytes(shown)).hasSizeBetween(MEBIBYTE / 2, MEBIBYTE + 4_096);
    assertThat(shown.events().size() + shown.moreEvents()).isEqualTo(200);
  }

  @Test
  void aSnapshotIsShownBeforeEventsIfItIsNoLargerThanAnAnswer() {
    put("a", 1, 100);
    snapshot("a", MEBIBYTE / 2);
    for (int i = 2; i <= 9; i++) {
      put("a", i, MEBIBYTE / 4);
    }
    SessionDetails shown = show();
    assertThat(shown.snapshot().toString()).hasSize(MEBIBYTE / 2);
    assertThat(shown.snapshotBytes()).isEqualTo(MEBIBYTE / 2);
    assertThat(shown.events()).hasSize(1);
    assertThat(shown.moreEvents()).isEqualTo(7);
  }

  @Test
  void ofALargerSnapshotOnlyTheSizeIsShown() {
    put("a", 1, 100);
    snapshot("a", SessionWorkerCalls.LARGEST_SNAPSHOT);
    put("a", 2, 100);
    SessionDetails shown = show();
    assertThat(shown.snapshot()).isNull();
    assertThat(shown.snapshotBytes()).isEqualTo(SessionWorkerCalls.LARGEST_SNAPSHOT);
    assertThat(shown.snapshotThrough()).isOne();
    assertThat(shown.events()).hasSize(1);
    assertThat(Json.writeBytes(shown)).hasSizeLessThan(4_096);
  }

  @Test
  void theStateOfASessionIsKnownWithoutItsEventsAndItsSnapshot() {
    put("a", 1, 100);
    snapshot("a", MEBIBYTE);
    for (int i = 2; i <= 40; i++) {
      put("a", i, MEBIBYTE / 2);
    }
    reopen();
    assertThat(sessions.store.view(QUEUE, "a").accepted()).isEqualTo(40);
    assertThat(disk.bytes).isLessThan(MEBIBYTE);
  }

  private static String sibling() {
    int i = 0;
    while (SessionKey.slot("s" + i) != SessionKey.slot("a")) {
      i++;
    }
    return "s" + i;
  }

  /** Counts what is read. */
  private static final class ReadBytes implements Disk {
    private final Disk disk = new ChannelDisk();
    private long bytes;

    private DiskFile counted(DiskFile file) {
      return new DiskFile() {
        @Override
        public void read(ByteBuffer into, long offset) throws IOException {
          bytes += into.remaining();
          file.read(into, offset);
        }

        @Override
        public void write(ByteBuffer from, long offset) throws IOException {
          file.write(from, offset);
        }

        @Override
        public void force() throws IOException {
          file.force();
        }

        @Override
        public long length() throws IOException {
          return file.length();
        }

        @Override
        public void close() throws IOException {
          file.close();
        }
      };
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      return counted(disk.open(file));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      return counted(disk.create(file));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
      disk.delete(file);
    }

    @Override
    public List<String> names(Path in) throws IOException {
      return disk.names(in);
    }

    @Override
    public void forceFolder(Path in) throws IOException {
      disk.forceFolder(in);
    }
  }
}
