package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionDefinition.OwnerLostPolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.session.SlotTable.SlotRange;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.NewEvent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes do with one slot as its row changes, whatever they have missed. */
@Timeout(60)
class SlotKeeperTest {
  private static final String QUEUE = "orders";
  private static final int SLOT = SessionKey.slot("a");
  private static final SessionDefinition RULES = SessionDefinition.of("/key");

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private final Queue<SlotPage> sent = new ConcurrentLinkedQueue<>();
  private SessionDefinition rules = RULES;
  private List<String> others = List.of("q1", "q2", "q3");
  private volatile CountDownLatch answering = new CountDownLatch(0);
  private long rows;

  @AfterEach
  void close() {
    nodes.values().forEach(Node::close);
  }

  private final class Node implements AutoCloseable {
    private final SessionStore store;
    private final GroupCommitter<SessionStore> committer;
    private final NodeLease lease;
    private final SessionService sessions;
    private final SessionLook look;
    private final SlotKeeper keeper;
    private final SlotReception reception;

    Node(String name) {
      store = LogSessionStore.open(folder.resolve(name), name, clock);
      committer = new GroupCommitter<>(name, store, clock, CommitSettings.defaults());
      lease = new NodeLease(name, clock::nanoTime);
      DiskReserve disk = new DiskReserve("the disk", new DataSize(1), () -> 1 << 30, clock);
      sessions = new SessionService(name, store, committer, lease, disk, new SegmentNotes(), clock);
      look = new SessionLook(name, sessions, store, lease, clock);
      keeper =
          new SlotKeeper(
              name,
              sessions,
              null,
              SlotKeeperTest.this::deliver,
              lease,
              new SlotSeals(name, sessions, null),
              clock);
      reception = new SlotReception(name, sessions, keeper);
      committer.start();
      lease.begins(lease.now(), Optional.of(Duration.ofDays(1)));
      nodes.put(name, this);
    }

    void follow(SlotTable table) {
      sessions.follow(topology(table));
      keep();
    }

    void keep() {
      keeper.keep();
      look.look();
    }

    Optional<HeldSlot> held() {
      return sessions.commits().always(Change.of(QUEUE, s -> s.slots(QUEUE))).stream()
          .filter(one -> one.slot() == SLOT)
          .findFirst();
    }

    PutResult put(String id) {
      byte[] data = "{\"key\":\"a\"}".getBytes(StandardCharsets.UTF_8);
      KeyedEvent event = new KeyedEvent(new NewEvent(id, data, null), "a", SLOT, 0);
      SessionPut put = new SessionPut(QUEUE, RULES, List.of(event), 1_000, 0, 1);
      return sessions
          .commits()
          .within(Change.of(QUEUE, s -> s.put(put)), one -> one.effects())
          .results()
          .get(0);
    }

    @Override
    public void close() {
      keeper.stop();
      sessions.close();
      committer.stop();
      store.close();
    }
  }

  private void deliver(QueueNodeAddress to, String queue, SlotPage page) {
    sent.add(page);
    try {
      answering.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    Node receiver = nodes.get(to.name());
    if (receiver == null) {
      throw new MillraceException(ErrorCode.UNREACHABLE, to.name() + " is away");
    }
    receiver.reception.take(queue, page);
  }

  private static SlotTable table(String owner, long epoch, String... undrained) {
    return table(
        new SlotOwner(owner, epoch, List.of(undrained)), new SlotOwner("q9", 1, List.of()));
  }

  private static SlotTable table(SlotOwner slot, SlotOwner rest) {
    return new SlotTable(
        List.of(
            new SlotRange(0, SLOT - 1, rest),
            new SlotRange(SLOT, SLOT, slot),
            new SlotRange(SLOT + 1, SlotTable.SLOTS - 1, rest)));
  }

  private Topology topology(SlotTable table) {
    return topology(table, 1);
  }

  private Topology topology(SlotTable table, int version) {
    rows++;
    QueueDefinition orders =
        new QueueDefinition(
            QUEUE, 0, 0, 0, null, 0, null, 0, null, null, 0, null, null, null, null, rules);
    Map<String, Integer> points = new TreeMap<>(table.points());
    return new Topology(
        Long.toString(rows),
        List.of(new VersionedQueue(orders, version)),
        List.of(new QueueWeights(QUEUE, rows, points, table)),
        others.stream().map(SlotKeeperTest::address).toList(),
        List.of());
  }

  private static QueueNodeAddress address(String name) {
    return new QueueNodeAddress(
        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
        name,
        URI.create("http://127.0.0.1:9"),
        NodeStatus.ACTIVE);
  }

  /** Lets the nodes look again and again, as their loops do. */
  private void until(Callable<Boolean> done, Node... looking) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              clock.advance(Duration.ofMillis(200));
              for (Node one : looking) {
                one.keep();
              }
              return done.call();
            });
  }

  @Test
  void anEarlierOwnerThatNeverTookTheSlotEndsTheWaitingOfItsOwner() {
    Node q1 = new Node("q1");
    Node q2 = new Node("q2");
    Node q3 = new Node("q3");
    q1.follow(table("q1", 1));
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    // q2 was lost before it saw that it had the slot.
    SlotTable now = table("q3", 3, "q1", "q2");
    List.of(q3, q1, q2).forEach(one -> one.follow(now));

    until(() -> q3.held().orElseThrow().undrained().isEmpty(), q1, q2, q3);
    assertThat(q3.held().orElseThrow().sessions()).isEqualTo(1);
    until(() -> q1.held().isEmpty(), q1);
    sent.clear();
    for (int i = 0; i < 5; i++) {
      q2.keep();
    }
    assertThat(sent)
        .as("it was said once, and answered")
        .noneMatch(page -> page.from().equals("q2"));
  }

  @Test
  void aNodeWhoseEventsWereGivenUpServesNothingAndKeepsThem() {
    Node q1 = new Node("q1");
    Node q2 = new Node("q2");
    q1.follow(table("q1", 1));
    q1.put("e1");
    SlotTable given = table("q2", 2);
    q2.follow(given);
    q1.follow(given);

    assertThat(q1.put("e2").code()).isEqualTo(ErrorCode.STALE_SLOT);
    // After five refusals it is sent once a minute.
    await()
        .until(
            () -> {
              pass(q1, Duration.ofMinutes(1));
              pass(q2, Duration.ofMinutes(1));
              return sent.size() > 6;
            });
    assertThat(q1.held().orElseThrow().sessions()).as("nobody else has it").isEqualTo(1);
    assertThat(q2.held().orElseThrow().sessions()).isZero();
  }

  @Test
  void aCopyIsDeletedWhenItsOwnerSaysThatItHasItAlthoughTheRowSaysNothingAnyMore() {
    Node q1 = new Node("q1");
    Node q2 = new Node("q2");
    q1.follow(table("q1", 1));
    q1.put("e1");
    q1.sessions.commits().always(Change.lasting(QUEUE, s -> s.seal(QUEUE, List.of(SLOT))));
    q2.follow(table("q2", 2, "q1"));
    SlotPage page =
        q1.sessions
            .commits()
            .always(Change.of(QUEUE, s -> s.export(QUEUE, SLOT, Sending.to(2), null)));
    // The answer to q1 was lost.
    q2.reception.take(QUEUE, page);
    SlotTable drained = table("q2", 2);
    q2.follow(drained);
    q1.follow(drained);

    until(() -> q1.held().isEmpty(), q1);
    assertThat(q2.held().orElseThrow().sessions()).isEqualTo(1);
  }

  @Test
  void aNodeThatReturnsServesNothingBeforeItHasSealedWhatOthersHaveGot() {
    Node q1 = new Node("q1");
    q1.follow(table("q1", 1));
    q1.put("e1");
    clock.advance(Duration.ofDays(2));
    q1.sessions.follow(topology(table("q2", 2, "q1")));
    Optional<Duration> day = Optional.of(Duration.ofDays(1));
    assertThat(q1.lease.extended(q1.lease.now(), day)).isFalse();
    q1.lease.begins(q1.lease.now(), day);

    assertThatThrownBy(() -> q1.put("e2"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    q1.keep();
    assertThat(q1.put("e2").code()).isEqualTo(ErrorCode.STALE_SLOT);
  }

  /**
   * The slots' owner does not answer for a while. Meanwhile one of them comes to this node, and
   * what waits to be said of it is no longer true.
   */
  @Test
  void aNodeThatHasHadASlotAgainDoesNotSayThatItHoldsNothingOfIt() {
    Node q1 = new Node("q1");
    Node q2 = new Node("q2");
    SlotOwner waiting = new SlotOwner("q2", 2, List.of("q1"));
    answering = new CountDownLatch(1);
    q2.sessions.follow(topology(table(waiting, waiting)));
    q2.keep();
    q1.sessions.follow(topology(table(waiting, waiting)));
    q1.keep();
    q1.sessions.follow(topology(table(new SlotOwner("q1", 3, List.of("q2")), waiting)));
    q1.keep();
    assertThat(q1.held().orElseThrow().epoch()).isEqualTo(3);
    answering.countDown();

    await()
        .until(
            () -> sent.stream().mapToInt(SlotPage::slot).distinct().count() >= SlotTable.SLOTS - 1);
    assertThat(sent).noneMatch(page -> page.slot() == SLOT);
  }

  @Test
  void nothingOfADeletedQueueGetsIntoTheOneThatIsDefinedAgain() {
    Node q1 = new Node("q1");
    q1.follow(table("q1", 5));
    assertThat(q1.put("e1").repeated()).isFalse();
    QueueDeletion deletion = new QueueDeletion(QUEUE, 2, DeletionMode.DISCARD, true);

    q1.sessions.follow(topology(table("q1", 9), 3).withDeletions(List.of(deletion)));
    q1.keep();
    assertThat(q1.held().orElseThrow().epoch()).isEqualTo(9);
    assertThat(q1.held().orElseThrow().sessions()).isZero();
    assertThat(q1.put("e1").repeated()).isFalse();

    q1.keep();
    assertThat(q1.sessions.remove(QUEUE, 2, true)).isFalse();
    assertThat(q1.held().orElseThrow().sessions()).as("of the new queue").isEqualTo(1);
  }

  private void pass(Node node, Duration time) {
    for (Duration left = time; !left.isZero(); ) {
      Duration step = left.compareTo(Duration.ofHours(12)) < 0 ? left : Duration.ofHours(12);
      clock.advance(step);
      node.lease.extended(node.lease.now(), Optional.of(Duration.ofDays(1)));
      node.keep();
      left = left.minus(step);
    }
  }

  /** Whether the session of the slot has a worker, now that another one asks for sessions. */
  private static boolean isAssigned(Node node) {
    UUID worker = UUID.randomUUID();
    node.sessions.register(QUEUE, worker, new WorkerRegistration(worker, null, null, null));
    SessionPoll poll = new SessionPoll(worker, 1, 10, null, List.of());
    node.sessions.polls().poll(QUEUE, worker, poll).join();
    return node.held().orElseThrow().withWorkers() > 0;
  }

  /** Its workers may work until then: the lease, and the silence after which they are retired. */
  @Test
  void theSlotOfALostNodeIsAssignedOnlyWhenItsWorkersHaveStoppedAlsoAfterARestart() {
    rules = RULES.withOwnerLost(OwnerLostPolicy.CONTINUE);
    Duration hold = Duration.ofDays(1).plus(rules.silence());
    SlotTable table = table("q1", 2, "q0");
    Node q1 = new Node("q1");
    q1.follow(table);
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    pass(q1, hold.minusSeconds(1));
    assertThat(isAssigned(q1)).isFalse();
    q1.close();

    Node again = new Node("q1");
    again.follow(table);
    pass(again, hold.minusSeconds(1));
    assertThat(isAssigned(again)).as("it is unknown when it was lost").isFalse();
    pass(again, Duration.ofSeconds(1));
    assertThat(isAssigned(again)).isTrue();
  }

  /** Its giver was alive when the slot was taken, and is lost, or silent, before it sent it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSlotIsAssignedOnlyWhenTheWorkersOfAGiverThatWasGivenUpHaveStopped(boolean lost) {
    Duration hold = Duration.ofDays(1).plus(rules.silence());
    Node q1 = new Node("q1");
    q1.follow(table("q1", 2, "q2"));
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    if (lost) {
      others = List.of("q1", "q3");
      q1.follow(table("q1", 2, "q2"));
    }
    q1.follow(table("q1", 2));
    pass(q1, hold.minusSeconds(1));
    assertThat(isAssigned(q1)).isFalse();
    pass(q1, Duration.ofSeconds(1));
    assertThat(isAssigned(q1)).isTrue();
  }

  @Test
  void aSlotIsHeldForALostGiverOnlyOnce() {
    Duration hold = Duration.ofDays(1).plus(rules.silence());
    Node q1 = new Node("q1");
    q1.follow(table("q1", 2, "q2"));
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    others = List.of("q1", "q3");
    q1.follow(table("q1", 2, "q2"));
    assertThat(q1.keeper.holdsFor(QUEUE, SLOT, 2, "q2")).isTrue();
    assertThat(q1.keeper.holdsFor(QUEUE, SLOT, 2, "q3")).isFalse();
    pass(q1, hold);
    q1.follow(table("q1", 2));
    assertThat(isAssigned(q1)).isTrue();
  }

  /** The row does not change with the definition. */
  @Test
  void slotsWaitNoLongerWhenTheDefinitionSaysSo() {
    Duration hold = Duration.ofDays(1).plus(rules.silence());
    others = List.of("q1", "q3");
    Node q1 = new Node("q1");
    q1.follow(table("q1", 2, "q2"));
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    pass(q1, hold.multipliedBy(2));
    assertThat(isAssigned(q1)).isFalse();
    rules = RULES.withOwnerLost(OwnerLostPolicy.CONTINUE);
    rows--;
    q1.follow(table("q1", 2, "q2"));
    pass(q1, hold.multipliedBy(2));
    assertThat(isAssigned(q1)).isTrue();
  }

  @Test
  void afterTheRemovalOfAQueueTheSlotsOfTheNextOneAreTaken() {
    Node q1 = new Node("q1");
    q1.follow(table("q1", 5));
    q1.keep();
    while (q1.sessions.remove(QUEUE, 1, true)) {
      assertThat(q1.held()).isPresent();
    }
    assertThat(q1.held()).isEmpty();
    q1.keep();
    assertThat(q1.held().orElseThrow().epoch()).isEqualTo(5);
  }

  /**
   * Two earlier owners are lost, and the slot goes on without them; then what one of them had is
   * given up.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSlotThatGoesOnWithoutItsLostOwnersDoesNotWaitAgainWhenOneOfThemIsGivenUp(boolean givenUp) {
    rules = RULES.withOwnerLost(OwnerLostPolicy.CONTINUE);
    Duration hold = Duration.ofDays(1).plus(rules.silence());
    Node q1 = new Node("q1");
    others = List.of("q1", "q2", "q3", "q4", "q5");
    q1.follow(table("q1", 3, "q4", "q5"));
    assertThat(q1.put("e1")).isEqualTo(PutResult.STORED);
    others = List.of("q1", "q2", "q3");
    q1.follow(table("q1", 3, "q4", "q5"));
    pass(q1, hold.multipliedBy(3));
    assertThat(q1.sessions.figures().get(QUEUE).sessions().waitingSlots()).as("released").isZero();
    if (givenUp) {
      q1.follow(table("q1", 3, "q5"));
    }
    pass(q1, hold.multipliedBy(20));
    assertThat(isAssigned(q1)).isTrue();
  }
}
