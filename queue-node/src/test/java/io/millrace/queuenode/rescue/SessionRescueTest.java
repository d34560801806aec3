package io.millrace.queuenode.rescue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.queuenode.rescue.SessionRescue.RescueWatch;
import io.millrace.queuenode.rescue.SessionRescue.RescuedSessions;
import io.millrace.queuenode.rescue.SessionRescue.SlotOwners;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.session.store.SlotPageCheck;
import io.millrace.queuenode.store.NewEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rescues the sessions of a dead node, q3, from its real store to that of their new owner. */
class SessionRescueTest {
  private static final String QUEUE = "orders";
  private static final SessionDefinition RULES = SessionDefinition.of("key");
  private static final DeliveryRules DELIVERY =
      new DeliveryRules(RULES, 100, 3, Duration.ofSeconds(30), Duration.ofSeconds(30));
  private static final UUID WORKER = new UUID(0, 1);

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final Receiver receiver = new Receiver();
  private final List<String> delays = new ArrayList<>();
  private Path data;
  private SessionStore dead;
  private SessionStore owner;
  private long polls;

  /** The cluster: q1 has all slots of q3, unless the test says otherwise. */
  private final class Receiver implements SlotOwners {
    private final List<SlotPage> parts = new ArrayList<>();
    private SlotTable table =
        all("q1", 2)
            .with(
                Stream.of("a", "b", "c", "d").map(SessionKey::slot).toList(),
                one -> new SlotOwner("q1", 2, List.of("q3")));
    private int most = Integer.MAX_VALUE;
    private boolean losesItsAnswer;
    private ErrorCode refusal;
    private ErrorCode noSlots;

    @Override
    public String lostNode(UUID id) {
      assertThat(Optional.of(id)).isEqualTo(NodeIdFile.read(data));
      if (refusal != null) {
        throw new MillraceException(refusal, "no");
      }
      return "q3";
    }

    @Override
    public SlotTable slots(String queue) {
      if (noSlots != null) {
        throw new MillraceException(noSlots, "no queue " + queue);
      }
      return table;
    }

    @Override
    public void send(String queue, SlotPage page) {
      assertThat(page.from()).isEqualTo("q3");
      SlotPageCheck.require(Json.read(Json.writeBytes(page), SlotPage.class));
      if (parts.size() >= most) {
        throw new MillraceException(ErrorCode.UNREACHABLE, "no answer");
      }
      parts.add(page);
      try {
        owner.take(queue, page);
        owner.commit();
      } catch (MillraceException e) {
        throw new MillraceException(ErrorCode.STALE_SLOT, e.getMessage(), e);
      }
      if (page.next() == null && !losesItsAnswer) {
        table = table.with(List.of(page.slot()), one -> one.drained("q3"));
      } else if (page.next() == null) {
        throw new MillraceException(ErrorCode.TIMEOUT, "no answer");
      }
    }
  }

  private static SlotTable all(String node, long epoch) {
    return SlotTable.of(Map.of(node, SlotTable.SLOTS)).raised(epoch - 1);
  }

  private static List<Integer> everySlot() {
    return IntStream.range(0, SlotTable.SLOTS).boxed().toList();
  }

  @BeforeEach
  void open() {
    data = folder.resolve("q3");
    NodeIdFile.ensure(data.toAbsolutePath());
    dead = LogSessionStore.open(data.resolve("sessions"), "q3", clock);
    owner = LogSessionStore.open(folder.resolve("owner"), "q1", clock);
  }

  @AfterEach
  void close() {
    owner.close();
  }

  private void takes(SessionStore store, long epoch, List<String> undrained, String... keys) {
    List<GrantedSlot> slots = new ArrayList<>();
    for (String key : keys) {
      slots.add(new GrantedSlot(SessionKey.slot(key), epoch, undrained, !undrained.isEmpty()));
    }
    store.take(QUEUE, 1, slots, clock.nanoTime());
    store.commit();
  }

  private String put(SessionStore store, String key, String... ids) {
    List<KeyedEvent> events = new ArrayList<>();
    for (String id : ids) {
      byte[] json = ("{\"id\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8);
      events.add(new KeyedEvent(new NewEvent(id, json, null), key, SessionKey.slot(key), 0));
    }
    PutResult last =
        store
            .put(new SessionPut(QUEUE, RULES, events, Long.MAX_VALUE, 0, SlotTable.SLOTS))
            .results()
            .get(events.size() - 1);
    store.commit();
    return last.code() != null ? last.code().name() : last.repeated() ? "REPEATED" : "STORED";
  }

  private PollAnswered poll(SessionStore store, SessionResult... results) {
    PollAnswered answer =
        store
            .poll(
                QUEUE,
                WORKER,
                new SessionPoll(WORKER, ++polls, 100, null, List.of(results)),
                polls,
                polls,
                DELIVERY,
                1 << 20)
            .answer();
    store.commit();
    return answer;
  }

  private void employ(SessionStore store) {
    polls = 0;
    store.register(QUEUE, 1, WORKER, new WorkerRegistration(WORKER, null, "w", null), RULES);
    poll(store);
  }

  private static SessionResult result(PollAnswered answer, String key, long n, ResultKind kind) {
    SessionDelivery found =
        answer.sessions().stream().filter(one -> one.key().equals(key)).findFirst().orElseThrow();
    return new SessionResult(
        key,
        found.number(),
        n,
        kind,
        kind == ResultKind.SNAPSHOT ? Json.mapper().createObjectNode().put("n", 1) : null,
        null);
  }

  /** Of a: a snapshot, an acknowledged event and a delivered one. b is completed, c waits. */
  private void sessionsOfADeadHost() {
    takes(dead, 1, List.of(), "a", "b", "c", "d");
    employ(dead);
    put(dead, "a", "a1", "a2", "a3");
    put(dead, "b", "b1");
    PollAnswered answer = poll(dead);
    poll(
        dead,
        result(answer, "a", 1, ResultKind.SNAPSHOT),
        result(answer, "a", 2, ResultKind.ACKNOWLEDGED),
        result(answer, "b", 1, ResultKind.COMPLETED));
    put(dead, "c", "c1");
    dead.force();
    dead.close();
  }

  private void anOwnerThatWaits() {
    takes(owner, 2, List.of("q3"), "a", "b", "c", "d");
    employ(owner);
    put(owner, "a", "a3", "a4");
    put(owner, "b", "b1");
    assertThat(poll(owner).sessions()).as("nothing is assigned before").isEmpty();
  }

  private SessionRescue rescue() {
    RescueWatch watch =
        new RescueWatch() {
          @Override
          public void sent(String queue, int sent, int found) {
            assertThat(sent).isLessThanOrEqualTo(found);
          }

          @Override
          public void waits(String reason) {
            delays.add(reason);
          }
        };
    return new SessionRescue(data, receiver, Duration.ZERO, watch, clock);
  }

  private RescuedSessions rescued() throws InterruptedException {
    List<RescuedSessions> queues = rescue().run();
    assertThat(queues).hasSize(1);
    return queues.get(0);
  }

  private void assertThatTheOwnerGoesOn() {
    PollAnswered answer = poll(owner);
    assertThat(answer.sessions())
        .extracting(SessionDelivery::key)
        .containsExactlyInAnyOrder("a", "c");
    SessionDelivery a =
        answer.sessions().stream().filter(one -> one.key().equals("a")).findFirst().orElseThrow();
    assertThat(a.events()).extracting(SessionEvent::id).containsExactly("a2", "a3", "a4");
    assertThat(a.snapshot()).hasToString("{\"n\":1}");
    assertThat(a.replayed()).isEqualTo(2);
    assertThat(a.number()).hasToString("2.1");
    assertThat(put(owner, "b", "b2")).as("a completed key is remembered").isEqualTo("DUPLICATE");
  }

  @Test
  void theOwnersGetTheSessionsAndGoOnWhereTheDeadHostsWorkersStopped() throws Exception {
    sessionsOfADeadHost();
    anOwnerThatWaits();
    assertThat(rescued()).isEqualTo(new RescuedSessions(QUEUE, 4, 2, 2, 2, 0, 0, 0, null));
    assertThatTheOwnerGoesOn();
    assertThat(rescue().run()).as("nothing is left").isEmpty();
  }

  @Test
  void aDryRunCountsAndAsksNobody() {
    sessionsOfADeadHost();
    receiver.refusal = ErrorCode.FORBIDDEN;
    RescuedSessions all = new RescuedSessions(QUEUE, 4, 2, 2, 0, 2, 4, 2, null);
    assertThat(rescue().inspect()).containsExactly(all);
    assertThat(rescue().inspect()).containsExactly(all);
  }

  @Test
  void anInterruptedRescueIsRepeated() throws Exception {
    sessionsOfADeadHost();
    anOwnerThatWaits();
    receiver.most = 1;
    RescuedSessions first = rescued();
    assertThat(first.trouble()).isEqualTo("no answer");
    assertThat(first.slotsLeft()).isEqualTo(3);
    receiver.most = Integer.MAX_VALUE;
    receiver.losesItsAnswer = true;
    assertThat(rescued().slotsLeft()).as("its outcome is unknown").isEqualTo(3);
    receiver.losesItsAnswer = false;
    assertThat(rescued().trouble()).isNull();
    assertThatTheOwnerGoesOn();
  }

  @Test
  void aSlotInSeveralPartsGoesOnAfterTheLastOneThatArrived() throws Exception {
    takes(dead, 1, List.of(), "a", "b", "c", "d");
    for (int i = 0; i < 25; i++) {
      int hundred = i * 100;
      put(
          dead,
          "a",
          IntStream.range(hundred, hundred + 100).mapToObj(n -> "e" + n).toArray(String[]::new));
    }
    dead.close();
    takes(owner, 2, List.of("q3"), "a", "b", "c", "d");
    employ(owner);
    // The slots of b and c are empty and come first.
    receiver.most = 4;
    assertThat(rescued().trouble()).isEqualTo("no answer");
    receiver.most = Integer.MAX_VALUE;
    assertThat(rescued().sent()).isEqualTo(2_500);
    SessionDetails moved = owner.show(QUEUE, "a");
    assertThat(moved.session().accepted()).isEqualTo(2_500);
    assertThat(receiver.parts)
        .filteredOn(part -> part.slot() == SessionKey.slot("a"))
        .extracting(SlotPage::part)
        .containsExactly(0, 1, 0, 1, 2);
  }

  @Test
  void earlierHoldingsOfTheDeadHostAreNamedAsTheClusterKnowsIt() throws Exception {
    takes(dead, 1, List.of(), "a");
    // It got the slot back before its first copy was removed.
    takes(dead, 3, List.of(), "a");
    put(dead, "a", "a1");
    dead.close();
    receiver.table = all("q1", 4).with(everySlot(), one -> new SlotOwner("q1", 4, List.of("q3")));
    takes(owner, 4, List.of("q3"), "a");
    employ(owner);
    rescue().run();
    assertThat(receiver.parts)
        .singleElement()
        .satisfies(part -> assertThat(part.contained()).containsExactly("q3/1"));
  }

  @Test
  void whatArrivedBeforeAndIsNoLongerWaitedForIsRemoved() throws Exception {
    sessionsOfADeadHost();
    anOwnerThatWaits();
    receiver.losesItsAnswer = true;
    while (rescued().trouble() != null && receiver.parts.size() < 4) {
      receiver.losesItsAnswer = receiver.parts.size() < 3;
    }
    // As after the owner's report that it has everything.
    receiver.losesItsAnswer = false;
    receiver.table = receiver.table.with(everySlot(), one -> one.drained("q3"));
    assertThat(rescue().run()).allMatch(queue -> queue.trouble() == null && queue.slotsLeft() == 0);
    assertThatTheOwnerGoesOn();
  }

  @Test
  void whatNobodyWaitsForIsLeft() throws Exception {
    sessionsOfADeadHost();
    receiver.table = all("q1", 7);
    takes(owner, 7, List.of(), "a", "b", "c", "d");
    RescuedSessions left = rescued();
    assertThat(left.trouble()).contains("no node waits for 3 slots of q3");
    assertThat(left.sessionsLeft()).isEqualTo(2);
    assertThat(left.slotsLeft()).as("one was empty").isEqualTo(3);
  }

  @Test
  void slotsThatAreStillTheNodesOwnAreLeftWithAdvice() throws Exception {
    sessionsOfADeadHost();
    receiver.table = all("q3", 1);
    RescuedSessions left = rescued();
    assertThat(left.trouble()).startsWith("q3 is still the owner of 4 slots").contains("repeat");
    assertThat(left.left()).isEqualTo(2);
    dead = LogSessionStore.open(data.resolve("sessions"), "q3", clock);
    assertThat(dead.slots(QUEUE)).noneMatch(HeldSlot::sealed);
    assertThat(dead.workers(QUEUE))
        .noneMatch(worker -> worker.state() == SessionWorkerState.RETIRED);
    dead.close();
  }

  @Test
  void anOwnerThatDoesNotKnowItsSlotsYetIsAskedAgain() throws Exception {
    sessionsOfADeadHost();
    RescuedSessions left = rescued();
    assertThat(left.trouble()).contains("no sessions of the queue");
    anOwnerThatWaits();
    assertThat(rescued().trouble()).isNull();
    assertThatTheOwnerGoesOn();
  }

  @Test
  void sessionsOfUnknownQueuesOrOfANodeThatIsNotLostAreLeftWithTheReason() throws Exception {
    sessionsOfADeadHost();
    receiver.noSlots = ErrorCode.UNKNOWN_QUEUE;
    assertThat(rescued().trouble()).isEqualTo("no queue orders");
    receiver.noSlots = null;
    receiver.refusal = ErrorCode.CONFLICT;
    assertThat(rescued()).isEqualTo(new RescuedSessions(QUEUE, 4, 2, 2, 0, 2, 4, 2, "no"));
  }

  @Test
  void slotsThatWaitForMoreThanTheDirectoryHoldsAreReported() throws Exception {
    sessionsOfADeadHost();
    receiver.table =
        all("q1", 2)
            .with(
                List.of(SessionKey.slot("a"), SessionKey.slot("zz")),
                one -> new SlotOwner("q1", 2, List.of("q3")));
    takes(owner, 2, List.of("q3"), "a", "b", "c", "d");
    employ(owner);
    assertThat(rescued().trouble()).contains("wait for q3 in 1 slot of which");
  }

  @Test
  void sessionsInUseByANodeAreRejected() {
    assertThatThrownBy(rescue()::run).hasMessageContaining("open already");
    dead.close();
  }

  @Test
  void aDirectoryWithoutSessionsHasNone() throws Exception {
    dead.close();
    data = folder.resolve("another");
    assertThat(rescue().run()).isEmpty();
    assertThat(rescue().inspect()).isEmpty();
    assertThat(data).doesNotExist();
  }
}
