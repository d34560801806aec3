package io.millrace.queuenode.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentDeletionsTest {
  private final SystemClock clock = new SystemClock();
  private final SegmentStore store = new MemorySegmentStore().open(clock);
  private final GroupCommitter<SegmentStore> committer =
      new GroupCommitter<>("q1", store, clock, CommitSettings.defaults());
  private final SegmentService segments =
      new SegmentService(
          "q1",
          store,
          committer,
          new DiskReserve("the disk", new DataSize(1), () -> 1L << 20, clock),
          new SegmentNotes(),
          clock);
  private final SegmentDeletions deletions = segments.deletions();

  @BeforeEach
  void begin() {
    committer.start();
  }

  @AfterEach
  void end() {
    segments.close();
    committer.stop();
  }

  @Test
  void aDrainedQueueAcceptsNothingMoreButIsLeasedUntilItIsEmpty() {
    follow(1);
    put("b1", 2);
    follow(1, deletion(1, DeletionMode.DRAIN, false));
    deletions.carryOut();

    refused(() -> put("b2", 1), ErrorCode.QUEUE_DELETING);
    assertThat(put("b1", 2)).as("a repetition is answered as stored").isTrue();
    assertThat(deletions.closures()).containsExactly(new SegmentClosure("alert", 1, false));

    List<LeasedEvent> leased = lease();
    assertThat(leased).hasSize(2);
    segments.acknowledge("alert", leased.stream().map(LeasedEvent::receipt).toList());
    deletions.carryOut();
    assertThat(deletions.closures()).containsExactly(new SegmentClosure("alert", 1, true));
    assertThat(store.totals()).isEmpty();
  }

  /** Reports and topologies are late, so a node may hear of the deletion amid accepted events. */
  @Test
  void everyEventThatIsAcceptedWhileTheDeletionArrivesIsLeasedBeforeTheSegmentIsRemoved()
      throws Exception {
    follow(1);
    Set<String> accepted = ConcurrentHashMap.newKeySet();
    CountDownLatch underWay = new CountDownLatch(40);
    ExecutorService senders = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> sending =
          IntStream.range(0, 4)
              .<Future<?>>mapToObj(
                  one -> senders.submit(() -> sendUntilRefused("s" + one, accepted, underWay)))
              .toList();
      assertThat(underWay.await(30, TimeUnit.SECONDS)).isTrue();
      Set<String> processed = new HashSet<>();
      follow(1, deletion(1, DeletionMode.DRAIN, false));
      do {
        deletions.carryOut();
        processed.addAll(process());
      } while (!deletions.closures().equals(List.of(new SegmentClosure("alert", 1, true))));
      for (Future<?> sender : sending) {
        sender.get(30, TimeUnit.SECONDS);
      }
      assertThat(processed).isEqualTo(accepted);
      assertThat(store.totals()).isEmpty();
    } finally {
      senders.shutdownNow();
    }
  }

  private void sendUntilRefused(String sender, Set<String> accepted, CountDownLatch underWay) {
    for (int batch = 0; ; batch++) {
      String name = sender + "-" + batch + "-";
      try {
        put(name, 1);
      } catch (MillraceException refusal) {
        assertThat(refusal.code()).isEqualTo(ErrorCode.QUEUE_DELETING);
        return;
      }
      accepted.add(name + "0");
      underWay.countDown();
    }
  }

  /** Processes what is ready; returns the ids. */
  private Set<String> process() {
    Set<String> ids = new HashSet<>();
    for (List<LeasedEvent> events = lease(); !events.isEmpty(); events = lease()) {
      events.forEach(leased -> ids.add(leased.event().id()));
      segments.acknowledge("alert", events.stream().map(LeasedEvent::receipt).toList());
    }
    return ids;
  }

  @Test
  void aDiscardedQueueIsNotLeasedAndLosesItsEvents() {
    follow(1);
    put("b1", 3);
    follow(1, deletion(1, DeletionMode.DISCARD, false));
    assertThat(lease()).isEmpty();
    deletions.carryOut();
    assertThat(deletions.closures()).containsExactly(new SegmentClosure("alert", 1, true));
    assertThat(store.totals()).isEmpty();
  }

  @Test
  void aNodeWithoutASegmentOfTheQueueReportsItClosedToo() {
    follow(1, deletion(1, DeletionMode.DRAIN, false));
    deletions.carryOut();
    assertThat(deletions.closures()).containsExactly(new SegmentClosure("alert", 1, true));
    refused(() -> put("b1", 1), ErrorCode.QUEUE_DELETING);
  }

  @Test
  void aNodeThatWasAwayDropsWhatItHoldsOfADeletedQueue() {
    follow(1);
    put("b1", 3);
    follow(0, deletion(1, DeletionMode.DRAIN, true));
    deletions.carryOut();
    assertThat(store.totals()).isEmpty();
    assertThat(deletions.closures()).isEmpty();
    assertThat(segments.figures()).extracting(SegmentFigures::queue).doesNotContain("alert");
  }

  @Test
  void aQueueCreatedAgainIsNotTouchedByTheOldDeletionNorByAnOldTopology() {
    follow(1);
    put("b1", 1);
    follow(1, deletion(1, DeletionMode.DISCARD, false));
    deletions.carryOut();
    follow(2, deletion(1, DeletionMode.DISCARD, true));
    put("b1", 2);
    deletions.carryOut();
    follow(1, deletion(1, DeletionMode.DISCARD, false));
    deletions.carryOut();
    follow(1);
    refused(() -> put("b2", 1), ErrorCode.QUEUE_DELETING);

    follow(2, deletion(1, DeletionMode.DISCARD, true));
    assertThat(lease()).hasSize(2);
  }

  @Test
  void aReturningNodeAcceptsEventsOfTheQueueCreatedAgainOnceTheOldOnesAreGone() {
    follow(1);
    put("b1", 3);
    follow(2, deletion(1, DeletionMode.DRAIN, true));
    refused(() -> put("b2", 1), ErrorCode.UNAVAILABLE);
    deletions.carryOut();
    put("b2", 1);
    assertThat(lease()).hasSize(1);
  }

  @Test
  void aDiscardThatIsNotFollowedAnyMoreDropsNothingMore() {
    follow(1);
    put("b1", 3);
    SegmentDeletions[] frozen = new SegmentDeletions[1];
    AtomicInteger looks = new AtomicInteger();
    frozen[0] =
        new SegmentDeletions(
            "q1",
            committer,
            () -> {
              // The node follows another topology after it has begun with the deletion.
              if (looks.incrementAndGet() == 2) {
                frozen[0].follow(List.of());
              }
              return store.totals().keySet();
            },
            SessionSegments.NONE);
    frozen[0].follow(List.of(deletion(1, DeletionMode.DISCARD, false)));
    frozen[0].carryOut();
    assertThat(lease()).hasSize(3);
  }

  /** A node that was restarted has no confirmation of any deletion before a manager answers. */
  @Test
  void aQueueCreatedAgainAcceptsEventsAlsoWhileItsEarlierDeletionIsNotConfirmed() {
    follow(2, deletion(1, DeletionMode.DRAIN, false));
    put("b1", 2);
    deletions.carryOut();
    assertThat(lease()).hasSize(2);
    follow(1, deletion(1, DeletionMode.DRAIN, false));
    refused(() -> put("b2", 1), ErrorCode.QUEUE_DELETING);
  }

  private boolean put(String batch, int count) {
    List<NewEvent> events =
        IntStream.range(0, count)
            .mapToObj(
                i -> new NewEvent(batch + i, "1".getBytes(StandardCharsets.UTF_8), null, 0, 0))
            .toList();
    return segments.put("alert", batch, events).repeated();
  }

  private List<LeasedEvent> lease() {
    return segments.lease("alert", Json.read("{\"max\":10}", LeaseRequest.class)).events();
  }

  private static void refused(Runnable call, ErrorCode code) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  private static QueueDeletion deletion(int version, DeletionMode mode, boolean done) {
    return new QueueDeletion("alert", version, mode, done);
  }

  /** A topology with the queue in this version, 0 for none. */
  private void follow(int version, QueueDeletion... deleted) {
    QueueDefinition alert = Json.read("{\"name\":\"alert\"}", QueueDefinition.class);
    boolean defined = version > 0;
    segments.follow(
        new Topology(
            "v",
            defined ? List.of(new VersionedQueue(alert, version)) : List.of(),
            defined ? List.of(new QueueWeights("alert", 1, Map.of("q1", 1000))) : List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(deleted)));
  }
}
