package io.millrace.queuenode.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.queuenode.segment.SegmentActions.DeadPage;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentActionsTest {
  private static final String QUEUE = "alert";

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final SegmentStore store = new MemorySegmentStore().open(clock);
  private final GroupCommitter<SegmentStore> committer =
      new GroupCommitter<>("q1", store, new SystemClock(), CommitSettings.defaults());
  private final SegmentService segments =
      new SegmentService(
          "q1",
          store,
          committer,
          new DiskReserve("the disk", new DataSize(1), () -> 1 << 30, clock),
          new SegmentNotes(),
          clock);
  private final SegmentActions actions = segments.actions();

  @BeforeEach
  void begin() {
    committer.start();
    QueueDefinition definition =
        new QueueDefinition(QUEUE, 0, 1, 0, null, 0, null, 0, null, null, 0, null, null);
    segments.follow(
        new Topology(
            "1",
            List.of(new VersionedQueue(definition, 1)),
            List.of(new QueueWeights(QUEUE, 7, Map.of("q1", 1000))),
            List.of(),
            List.of()));
  }

  @AfterEach
  void end() {
    segments.close();
    committer.stop();
  }

  @Test
  void changingADeadLetterThatIsGoneNamesItsHandle() {
    for (String gone : List.of("q1/7", "q1/999999")) {
      assertThatThrownBy(
              () -> actions.requeueChanged(QUEUE, gone, new NewEvent("e", new byte[] {'1'}, null)))
          .isInstanceOfSatisfying(
              MillraceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_DEAD_LETTER))
          .hasMessage("queue alert has no dead letter " + gone + "; it was requeued or dropped");
    }
  }

  @Test
  void everyDeadLetterHasAHandleForRequeueing() {
    kill(3, "broken");
    List<DeadEvent> dead = actions.dead(QUEUE, Long.MAX_VALUE, 10).events();
    assertThat(dead).hasSize(3);
    assertThat(dead.get(0).handle()).startsWith("q1/");

    DeadSelection one =
        new DeadSelection(
            List.of(dead.get(1).handle(), "q2/" + number(dead.get(0))),
            null,
            null,
            null,
            false,
            null);
    assertThat(actions.requeue(QUEUE, one).events()).isEqualTo(1);
    assertThat(lease(10)).extracting(event -> event.event().id()).containsExactly(dead.get(1).id());
    assertThat(actions.dead(QUEUE, number(dead.get(0)), 10).events())
        .extracting(DeadEvent::id)
        .containsExactly(dead.get(2).id());
  }

  @Test
  void manyDeadLettersAreProcessedInSteps() {
    kill(5_000, "broken");
    assertThat(actions.requeue(QUEUE, new DeadSelection(null, null, null, null, true, 4_500)))
        .isEqualTo(new QueueActionAnswer(4_500, List.of()));
    assertThat(actions.drop(QUEUE, reason("brok")).events()).isEqualTo(500);
    assertThat(segments.figures(QUEUE).waiting()).isEqualTo(4_500);
    assertThat(segments.figures(QUEUE).dead()).isZero();
  }

  @Test
  void aSelectionOfEverythingMustBeExplicit() {
    kill(1, "broken");
    DeadSelection silent = new DeadSelection(null, null, null, null, false, null);
    refused(() -> actions.drop(QUEUE, silent), "all=true");
    refused(() -> actions.requeue(QUEUE, silent), "all=true");
    refused(() -> actions.drop(QUEUE, new DeadSelection(null, null, null, null, true, 0)), "max");
    refused(
        () ->
            actions.drop(QUEUE, new DeadSelection(List.of("q1-7"), null, null, null, false, null)),
        "not the handle");
    assertThat(segments.figures(QUEUE).dead()).isEqualTo(1);
  }

  @Test
  void theAgeOfADeadLetterCountsFromItsDeath() {
    kill(1, "broken");
    clock.advance(Duration.ofHours(2));
    kill(1, "broken");
    DeadSelection old = new DeadSelection(null, null, null, Duration.ofHours(1), false, null);
    assertThat(actions.drop(QUEUE, old).events()).isEqualTo(1);
    assertThat(actions.drop(QUEUE, old).events()).isZero();
  }

  @Test
  void aPurgeNeedsTheQueuesNameAndAState() {
    put(3);
    refused(() -> actions.purge(QUEUE, new PurgeRequest("alerts", true, true, true)), "confirm");
    refused(() -> actions.purge(QUEUE, new PurgeRequest(null, true, true, true)), "confirm");
    refused(() -> actions.purge(QUEUE, new PurgeRequest(QUEUE, false, false, false)), "waiting");
    lease(1);
    assertThat(actions.purge(QUEUE, new PurgeRequest(QUEUE, true, true, true)).events())
        .isEqualTo(2);
    assertThat(segments.figures(QUEUE).leased()).isEqualTo(1);
    assertThat(segments.figures(QUEUE).waiting()).isZero();
  }

  @Test
  void aPeekShowsAnEventWithItsDataAndAge() {
    put(1);
    clock.advance(Duration.ofSeconds(3));
    PeekedEvent peeked = actions.peek(QUEUE, EventState.READY, 10).get(0);
    assertThat(peeked.node()).isEqualTo("q1");
    assertThat(peeked.state()).isEqualTo("ready");
    assertThat(peeked.ageSeconds()).isEqualTo(3.0);
    assertThat(Json.write(peeked)).contains("\"data\":{\"n\":1}");
    assertThat(segments.figures(QUEUE).waiting()).isEqualTo(1);
  }

  @Test
  void anUnknownQueueIsRefused() {
    assertThatThrownBy(() -> actions.peek("alertt", EventState.READY, 1))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNKNOWN_QUEUE));
  }

  @Test
  void aListOfLargeDeadLettersIsAnsweredInPartsThatACentralManagerReads() {
    large(12, 300_000);
    refuseEach(12, "too large");
    List<String> seen = new ArrayList<>();
    OptionalLong before = OptionalLong.of(Long.MAX_VALUE);
    int parts = 0;
    while (before.isPresent()) {
      DeadPage page = actions.dead(QUEUE, before.getAsLong(), 100);
      assertThat(Json.writeBytes(page.events()).length).isLessThan(4 << 20);
      page.events().forEach(event -> seen.add(event.id()));
      before = page.next();
      parts++;
    }
    assertThat(seen).hasSize(12).doesNotHaveDuplicates();
    assertThat(parts).isEqualTo(2);
  }

  @Test
  void dataThatDoesNotFitIntoAPeekIsOmittedAndTheEventsAreStillListed() {
    large(12, 300_000);
    List<PeekedEvent> peeked = actions.peek(QUEUE, EventState.READY, 12);
    assertThat(peeked).hasSize(12);
    assertThat(Json.writeBytes(peeked).length).isLessThan(4 << 20);
    assertThat(peeked.get(0).omittedBytes()).isNull();
    assertThat(peeked.get(0).data()).isNotNull();
    assertThat(peeked.get(11).data()).isNull();
    assertThat(peeked.get(11).omittedBytes()).isEqualTo(300_000);
  }

  private static DeadSelection reason(String text) {
    return new DeadSelection(null, null, text, null, false, null);
  }

  private static long number(DeadEvent dead) {
    return Long.parseLong(dead.handle().substring("q1/".length()));
  }

  private int batches;

  private void put(int count) {
    batches++;
    segments.put(
        QUEUE,
        "b" + batches,
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    new NewEvent(
                        batches + "-" + i, "{\"n\":1}".getBytes(StandardCharsets.UTF_8), null))
            .toList());
  }

  private void large(int count, int bytes) {
    byte[] data = ("\"" + "x".repeat(bytes - 2) + "\"").getBytes(StandardCharsets.UTF_8);
    segments.put(
        QUEUE,
        "large",
        IntStream.range(0, count).mapToObj(i -> new NewEvent("large-" + i, data, null)).toList());
  }

  private List<LeasedEvent> lease(int max) {
    return segments.lease(QUEUE, new LeaseRequest(max, null, null, "w")).events();
  }

  private void kill(int count, String reason) {
    put(count);
    refuseEach(count, reason);
  }

  private void refuseEach(int count, String reason) {
    for (int i = 0; i < count; i++) {
      segments.refuse(
          QUEUE,
          lease(1).stream().map(LeasedEvent::receipt).toList(),
          new Refusal(null, RefusalKind.FAILED, null, reason));
    }
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining(message);
  }
}
