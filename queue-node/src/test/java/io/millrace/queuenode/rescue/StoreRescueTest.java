package io.millrace.queuenode.rescue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.queuenode.rescue.StoreRescue.RescueTarget;
import io.millrace.queuenode.rescue.StoreRescue.RescuedQueue;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rescues from real stores. */
class StoreRescueTest {
  private static final long UNBOUNDED = Long.MAX_VALUE;

  @TempDir Path data;

  private final Clock clock = new SystemClock();
  private final Cluster cluster = new Cluster();

  /** Takes batches as a cluster does: one of a known name is stored once. */
  private static final class Cluster implements RescueTarget {
    final Map<String, List<NewEvent>> batches = new LinkedHashMap<>();
    final List<String> names = new ArrayList<>();
    int maxBatches = Integer.MAX_VALUE;
    boolean losesItsAnswer;
    String unknownQueue = "";

    @Override
    public void send(String queue, String batch, List<NewEvent> events) {
      if (queue.equals(unknownQueue)) {
        throw new MillraceException(ErrorCode.UNKNOWN_QUEUE, "no queue " + queue);
      }
      if (batches.size() >= maxBatches) {
        throw new MillraceException(ErrorCode.QUEUE_FULL, "full");
      }
      names.add(batch);
      batches.putIfAbsent(batch, events);
      if (losesItsAnswer) {
        throw new MillraceException(ErrorCode.UNREACHABLE, "no answer");
      }
    }

    List<String> ids() {
      return batches.values().stream().flatMap(List::stream).map(NewEvent::id).toList();
    }
  }

  @Test
  void allEventsAreSentToTheClusterAndDeletedFromTheStore() throws Exception {
    fill("alert", 1_200);
    fill("mail", 3);
    assertThat(rescue(false).run())
        .containsExactly(
            new RescuedQueue("alert", 1_200, 1_200, 0, 0, null),
            new RescuedQueue("mail", 3, 3, 0, 0, null));
    assertThat(cluster.ids()).hasSize(1_203).doesNotHaveDuplicates().contains("alert-0", "mail-2");
    assertThat(cluster.names).hasSize(4);
    assertThat(rescue(false).run()).allMatch(queue -> queue.found() == 0 && queue.sent() == 0);
  }

  @Test
  void eventsKeepTheirFieldsAndTheRestOfTheirDelay() throws Exception {
    NewEvent plain = event("plain", "{\"n\":1.10}", "{\"colour\":\"red\"}", 7, 0);
    NewEvent delayed = event("delayed", "2", null, 3, Duration.ofHours(2).toMillis());
    put("alert", "b1", List.of(plain, delayed));
    rescue(false).run();
    Map<String, NewEvent> sent = new LinkedHashMap<>();
    cluster.batches.values().forEach(batch -> batch.forEach(one -> sent.put(one.id(), one)));
    assertThat(sent).containsOnlyKeys("plain", "delayed");
    assertThat(sent.get("plain").text()).isEqualTo("{\"n\":1.10}");
    assertThat(sent.get("plain").attributes()).isEqualTo("{\"colour\":\"red\"}");
    assertThat(sent.get("plain").priority()).isEqualTo(7);
    assertThat(sent.get("plain").delayMillis()).isZero();
    assertThat(sent.get("delayed").priority()).isEqualTo(3);
    assertThat(Duration.ofMillis(sent.get("delayed").delayMillis()))
        .isBetween(Duration.ofMinutes(90), Duration.ofHours(2));
  }

  @Test
  void eventsLeasedWhenTheHostFailedAreSentToo() throws Exception {
    fill("alert", 5);
    lease("alert", 3);
    assertThat(rescue(false).run()).containsExactly(new RescuedQueue("alert", 5, 5, 0, 0, null));
    assertThat(cluster.ids()).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void afterARefusalTheRestStaysAndASecondRescueSendsIt() throws Exception {
    fill("alert", 1_200);
    cluster.maxBatches = 1;
    StoreRescue first = rescue(false);
    assertThatThrownBy(first::run).isInstanceOf(MillraceException.class).hasMessage("full");
    assertThat(first.sent()).isEqualTo(500);

    cluster.maxBatches = Integer.MAX_VALUE;
    assertThat(rescue(false).run())
        .containsExactly(new RescuedQueue("alert", 700, 700, 0, 0, null));
    assertThat(cluster.ids()).hasSize(1_200).doesNotHaveDuplicates();
  }

  @Test
  void aBatchWhoseAnswerWasLostIsSentAgainUnderItsName() throws Exception {
    fill("alert", 700);
    put("alert", "late", List.of(event("later", "1", null, 0, 3_600_000)));
    cluster.losesItsAnswer = true;
    assertThatThrownBy(rescue(false)::run).hasMessage("no answer");
    cluster.losesItsAnswer = false;
    rescue(false).run();
    assertThat(cluster.names.get(1)).isEqualTo(cluster.names.get(0));
    assertThat(cluster.ids()).hasSize(701).doesNotHaveDuplicates();
  }

  @Test
  void eventsWithEqualIdsAreNotConfused() throws Exception {
    List<NewEvent> same =
        IntStream.range(0, 1_000).mapToObj(i -> event("same", "" + i, null, 0, 0)).toList();
    put("alert", "b", same);
    rescue(false).run();
    assertThat(cluster.batches).hasSize(2);
    assertThat(cluster.ids()).hasSize(1_000);
  }

  @Test
  void deadLettersStayUnlessRequested() throws Exception {
    fill("alert", 4);
    addDead("alert", 1);
    assertThat(rescue(false).run()).containsExactly(new RescuedQueue("alert", 3, 3, 0, 1, null));
    assertThat(rescue(true).run()).containsExactly(new RescuedQueue("alert", 1, 1, 0, 0, null));
    assertThat(cluster.ids()).containsExactlyInAnyOrder("alert-0", "alert-1", "alert-2", "alert-3");
  }

  @Test
  void eventsOfAnUnknownQueueStayAndTheOthersAreSent() throws Exception {
    fill("alert", 4);
    fill("gone", 2);
    cluster.unknownQueue = "gone";
    assertThat(rescue(false).run())
        .containsExactly(
            new RescuedQueue("alert", 4, 4, 0, 0, null),
            new RescuedQueue("gone", 2, 0, 2, 0, "no queue gone"));
  }

  @Test
  void aDryRunSendsNothing() {
    fill("alert", 4);
    assertThat(rescue(false).inspect())
        .containsExactly(new RescuedQueue("alert", 4, 0, 4, 0, null));
    assertThat(cluster.names).isEmpty();
  }

  @Test
  void aStoreInUseByANodeIsRejected() {
    try (SegmentStore inUse = LogSegmentStore.open(data.resolve("store"), clock)) {
      assertThat(inUse.term()).isEqualTo(1);
      assertThatThrownBy(rescue(false)::run)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("open already");
    }
  }

  @org.junit.jupiter.api.Test
  void aFolderWithoutAStoreIsRejectedAndNoStoreIsCreated() {
    assertThatThrownBy(rescue(false)::inspect)
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining(data.toString());
    assertThat(data).isEmptyDirectory();
  }

  private StoreRescue rescue(boolean includeDead) {
    return new StoreRescue(data, includeDead, cluster, (queue, sent, found) -> {}, clock);
  }

  private void fill(String queue, int events) {
    put(
        queue,
        "b",
        IntStream.range(0, events)
            .mapToObj(i -> event(queue + "-" + i, "{\"n\":" + i + "}", null, 0, 0))
            .toList());
  }

  private void put(String queue, String batch, List<NewEvent> events) {
    try (SegmentStore store = LogSegmentStore.open(data.resolve("store"), clock)) {
      store.put(new PutOrder(queue, batch, events, UNBOUNDED));
      store.commit();
      store.force();
    }
  }

  private void lease(String queue, int events) {
    try (SegmentStore store = LogSegmentStore.open(data.resolve("store"), clock)) {
      store.lease(new LeaseOrder(queue, events, UNBOUNDED, Duration.ofHours(3)));
      store.commit();
      store.force();
    }
  }

  private void addDead(String queue, int events) {
    try (SegmentStore store = LogSegmentStore.open(data.resolve("store"), clock)) {
      List<LeasedEvent> leased =
          store.lease(new LeaseOrder(queue, events, UNBOUNDED, Duration.ofHours(3)));
      store.commit();
      store.refuse(
          new RefuseOrder(
              queue,
              leased.stream().map(LeasedEvent::receipt).toList(),
              RefusalKind.FAILED,
              Duration.ZERO,
              "bad",
              new DeliveryLimits(1, 1)));
      store.commit();
      store.force();
    }
  }

  private static NewEvent event(
      String id, String data, String attributes, int priority, long delayMillis) {
    return new NewEvent(
        id, data.getBytes(StandardCharsets.UTF_8), attributes, priority, delayMillis);
  }
}
