package io.millrace.queuenode.session.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionDefinition.SessionOrder;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.platform.clock.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Two nodes, producers and workers at random: slots move, nodes restart, workers vanish,
 * transactions are rolled back. What workers get is compared with what producers sent.
 */
final class SessionWorld implements AutoCloseable {
  private static final int KEYS = 12;
  private static final int WORKERS = 3;

  private final Random random;
  private final Path folder;
  private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(1_700_000_000));
  private final List<SessionStoreFixture> nodes = new ArrayList<>();
  private final Map<Integer, Integer> owners = new HashMap<>();
  private final Map<Integer, Long> epochs = new HashMap<>();
  private final Map<Integer, Move> moves = new TreeMap<>();
  // What was accepted of each key since its last completion.
  private final Map<String, List<String>> accepted = new HashMap<>();
  // How many of them were completed while the slot was given away: these come again if others do.
  private final Map<String, Integer> ending = new HashMap<>();
  private final List<Worker> workers = new ArrayList<>();
  private int ids;
  private int copies;

  private static final class Move {
    private final int from;
    private final int to;
    private final long epoch;
    private final List<SlotPage> pages = new ArrayList<>();

    Move(int from, int to, long epoch) {
      this.from = from;
      this.to = to;
      this.epoch = epoch;
    }
  }

  /** A session that a worker believes to have. */
  private static final class Had {
    private final SessionNumber number;
    private long seen;
    private long acknowledged;
    private boolean revoked;
    private long revokedAt;

    Had(SessionNumber number, long seen) {
      this.number = number;
      this.seen = seen;
      this.acknowledged = seen;
    }
  }

  private static final class Worker {
    private final int node;
    private final int number;
    private final Map<String, Had> sessions = new TreeMap<>();
    // Revoked ones that it does not have, as the answer that brought them was lost.
    private final Map<String, SessionNumber> unknown = new TreeMap<>();
    private UUID process = new UUID(1, 0);
    private boolean registered;
    private boolean vanished;
    private long answeredAt;

    Worker(int node, int number) {
      this.node = node;
      this.number = number;
    }
  }

  SessionWorld(Path folder, Random random, SessionOrder order) {
    this.folder = folder;
    this.random = random;
    SessionDefinition rules =
        SessionDefinition.of("key")
            .withOrder(order)
            .withDuplicates(DuplicatePolicy.REOPEN)
            .withMaxPerWorker(5)
            .withHeartbeat(Duration.ofSeconds(20));
    for (int node = 0; node < 2; node++) {
      SessionStoreFixture one =
          new SessionStoreFixture(folder.resolve("n" + node), "n" + node, clock);
      one.rules = rules;
      one.batch = 3;
      one.fileBytes = 16 << 10;
      nodes.add(one.open());
      for (int worker = 0; worker < WORKERS; worker++) {
        workers.add(new Worker(node, worker));
      }
    }
    for (int key = 0; key < KEYS; key++) {
      int slot = SessionKey.slot("k" + key);
      owners.put(slot, 0);
      epochs.put(slot, 1L);
      nodes.get(0).take(1, List.of(), false, slot);
    }
  }

  void run(int steps) throws Exception {
    for (int i = 0; i < steps; i++) {
      if (random.nextInt(4) == 0) {
        rolledBack();
      }
      step();
      nodes.forEach(SessionStateCheck::check);
    }
    finish();
  }

  // A transaction that is undone leaves everything as before.
  private void rolledBack() {
    SessionStoreFixture node = nodes.get(random.nextInt(2));
    String before = SessionStateCheck.state(node);
    node.rollsBack = true;
    try {
      for (int i = random.nextInt(4); i >= 0; i--) {
        undone(node);
      }
    } finally {
      node.rollsBack = false;
    }
    node.store.rollback();
    SessionStateCheck.same(SessionStateCheck.state(node), before);
    SessionStateCheck.check(node);
  }

  private void undone(SessionStoreFixture node) {
    String key = "k" + random.nextInt(KEYS);
    int slot = SessionKey.slot(key);
    int worker = random.nextInt(WORKERS);
    try {
      switch (random.nextInt(10)) {
        case 0 -> node.put(key, "undone" + ids++);
        case 1 -> node.register(worker, new UUID(9, ids++), null);
        case 2 -> node.store.seal(SessionStoreFixture.QUEUE, List.of(slot));
        case 3 -> node.store.unseal(SessionStoreFixture.QUEUE, List.of(slot));
        case 4 ->
            node.store.retire(SessionStoreFixture.QUEUE, SessionStoreFixture.w(worker), "by ann");
        case 5 -> node.look();
        case 6 ->
            node.store.act(
                SessionStoreFixture.QUEUE,
                key,
                SessionAction.values()[random.nextInt(3)],
                "for a test");
        case 7 -> node.store.exported(SessionStoreFixture.QUEUE, slot, epochs.get(slot));
        default -> {
          Worker one = workers.get(workers.size() / 2 * nodes.indexOf(node) + worker);
          List<SessionResult> results = new ArrayList<>();
          for (Map.Entry<String, Had> had : one.sessions.entrySet()) {
            ResultKind kind = ResultKind.values()[random.nextInt(5)];
            results.add(result(had.getKey(), had.getValue(), kind));
          }
          node.pollAs(
              worker,
              one.process,
              node.lastPoll(worker) + random.nextInt(3),
              random.nextInt(10),
              results.toArray(new SessionResult[0]));
        }
      }
    } catch (MillraceException refused) {
      // Nothing was changed.
    }
  }

  private void step() throws Exception {
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5 -> put();
      case 6 -> look();
      case 7 -> clock.advance(Duration.ofMillis(random.nextInt(15_000)));
      case 8 -> move();
      case 9, 10 -> transfer();
      case 11 -> restart();
      case 12 -> vanishOrLeave();
      case 13 -> act();
      default -> work(workers.get(random.nextInt(workers.size())));
    }
  }

  private void put() {
    String key = "k" + random.nextInt(KEYS);
    List<String> sent = accepted.computeIfAbsent(key, none -> new ArrayList<>());
    boolean again = !sent.isEmpty() && random.nextInt(5) == 0;
    String id = again ? sent.get(random.nextInt(sent.size())) : "e" + ids++;
    SessionStoreFixture owner = nodes.get(owners.get(SessionKey.slot(key)));
    String outcome = owner.put(key, id);
    if (again) {
      // While its slot moves it is detected later.
      boolean moving = moves.containsKey(SessionKey.slot(key));
      assertThat(outcome).isIn(moving ? List.of("STORED", "REPEATED") : List.of("REPEATED"));
    } else {
      assertThat(outcome).isEqualTo("STORED");
      sent.add(id);
    }
  }

  private void look() {
    SessionStoreFixture node = nodes.get(random.nextInt(2));
    while (node.look().more()) {
      // At once.
    }
  }

  private void move() {
    int slot = SessionKey.slot("k" + random.nextInt(KEYS));
    if (moves.containsKey(slot)) {
      return;
    }
    int from = owners.get(slot);
    SessionStoreFixture giver = nodes.get(from);
    giver.store.seal(SessionStoreFixture.QUEUE, List.of(slot));
    giver.commit();
    if (random.nextInt(5) == 0) {
      giver.store.unseal(SessionStoreFixture.QUEUE, List.of(slot));
      giver.commit();
      return;
    }
    long epoch = epochs.get(slot);
    moves.put(slot, new Move(from, 1 - from, epoch));
    owners.put(slot, 1 - from);
    epochs.put(slot, epoch + 1);
    nodes.get(1 - from).take(epoch + 1, List.of(giver.node), true, slot);
  }

  private void transfer() {
    for (int slot : List.copyOf(moves.keySet())) {
      Move move = moves.get(slot);
      SessionStoreFixture giver = nodes.get(move.from);
      SessionStoreFixture taker = nodes.get(move.to);
      String after = move.pages.isEmpty() ? null : move.pages.get(move.pages.size() - 1).next();
      SlotPage page;
      try {
        page = giver.export(slot, after);
        giver.commit();
        // As its receiver reads and judges it.
        SlotPageCheck.require(Json.read(Json.writeBytes(page), SlotPage.class));
      } catch (MillraceException workersHaveSome) {
        assertThat(workersHaveSome.code()).isEqualTo(ErrorCode.CONFLICT);
        continue;
      }
      move.pages.add(page);
      for (SlotPage one : random.nextBoolean() ? move.pages : List.of(page)) {
        try {
          taker.arrives(one);
          taker.commit();
        } catch (MillraceException rulesUnknown) {
          assertThat(rulesUnknown.code()).isEqualTo(ErrorCode.UNAVAILABLE);
          taker.look();
          taker.arrives(one);
          taker.commit();
        }
      }
      if (page.next() == null) {
        giver.store.exported(SessionStoreFixture.QUEUE, slot, move.epoch);
        giver.commit();
        taker.take(move.epoch + 1, List.of(), true, slot);
        moves.remove(slot);
      }
    }
  }

  private void restart() throws Exception {
    int index = random.nextInt(2);
    SessionStoreFixture node = nodes.get(index);
    String before = SessionStateCheck.durable(node);
    if (random.nextBoolean()) {
      node.reopen();
    } else {
      SessionStoreFixture killed = node.copy(folder.resolve("copy" + copies++));
      node.close();
      nodes.set(index, killed);
    }
    SessionStateCheck.same(SessionStateCheck.durable(nodes.get(index)), before);
  }

  private void vanishOrLeave() {
    Worker worker = workers.get(random.nextInt(workers.size()));
    if (!worker.registered) {
      return;
    }
    if (random.nextBoolean()) {
      worker.vanished = !worker.vanished;
    } else if (!worker.vanished) {
      nodes
          .get(worker.node)
          .store
          .leave(SessionStoreFixture.QUEUE, SessionStoreFixture.w(worker.number), worker.process);
      nodes.get(worker.node).commit();
      worker.registered = false;
      worker.sessions.clear();
    }
  }

  private void act() {
    String key = "k" + random.nextInt(KEYS);
    SessionStoreFixture node = nodes.get(owners.get(SessionKey.slot(key)));
    try {
      node.store.act(SessionStoreFixture.QUEUE, key, SessionAction.MOVE, "for a test");
      node.commit();
    } catch (MillraceException none) {
      assertThat(none.code()).isIn(ErrorCode.UNKNOWN_SESSION, ErrorCode.CONFLICT);
    }
  }

  private static SessionResult result(String key, Had had, ResultKind kind) {
    return new SessionResult(
        key,
        had.number,
        had.acknowledged,
        kind,
        kind == ResultKind.SNAPSHOT ? state(had) : null,
        null);
  }

  private static JsonNode state(Had had) {
    return LongNode.valueOf(had.acknowledged);
  }

  private boolean mayWork(Worker worker) {
    return clock.nanoTime() - worker.answeredAt < SessionStoreFixture.DEADLINE.toNanos();
  }

  private void work(Worker worker) {
    if (worker.vanished) {
      return;
    }
    SessionStoreFixture node = nodes.get(worker.node);
    if (worker.registered && !mayWork(worker)) {
      // What it had may be another's by now: it begins anew, as another process.
      worker.registered = false;
      worker.process = new UUID(1, ids++);
    }
    if (!worker.registered) {
      if (random.nextBoolean()) {
        worker.process = new UUID(1, ids++);
      }
      node.register(worker.number, worker.process, null);
      worker.registered = true;
      worker.answeredAt = clock.nanoTime();
      worker.sessions.clear();
    }
    poll(worker, node);
  }

  private void poll(Worker worker, SessionStoreFixture node) {
    List<SessionResult> results = results(worker);
    long begun = clock.nanoTime();
    PollAnswered answer;
    try {
      int max = random.nextInt(12);
      answer = node.poll(worker.number, worker.process, max, results.toArray(new SessionResult[0]));
      if (random.nextInt(6) == 0) {
        // The answer was lost.
        answer =
            node.pollAs(
                worker.number,
                worker.process,
                node.lastPoll(worker.number),
                max,
                results.toArray(new SessionResult[0]));
      }
    } catch (MillraceException unknown) {
      assertThat(unknown.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER);
      worker.registered = false;
      worker.sessions.clear();
      return;
    }
    worker.answeredAt = begun;
    for (int i = 0; i < results.size(); i++) {
      answered(worker, results.get(i), answer.answers().get(i));
    }
    answer.sessions().forEach(delivery -> delivered(worker, delivery));
    answer
        .revoked()
        .forEach(
            one -> {
              Had had = worker.sessions.get(one.key());
              if (had == null) {
                worker.unknown.put(one.key(), one.number());
              } else if (had.number.equals(one.number())) {
                had.revokedAt = had.revoked ? had.revokedAt : begun;
                had.revoked = true;
              }
            });
  }

  private List<SessionResult> results(Worker worker) {
    List<SessionResult> results = new ArrayList<>();
    worker.sessions.forEach(
        (key, had) -> {
          if (had.acknowledged < had.seen && random.nextInt(3) > 0) {
            had.acknowledged += 1 + random.nextInt((int) (had.seen - had.acknowledged));
          }
          ResultKind kind =
              switch (random.nextInt(12)) {
                case 0 -> ResultKind.SNAPSHOT;
                case 1 -> ResultKind.COMPLETED;
                case 2 -> ResultKind.RELEASED;
                case 3 -> had.acknowledged < had.seen ? ResultKind.FAILED : null;
                case 4, 5, 6, 7 -> ResultKind.ACKNOWLEDGED;
                default -> null;
              };
          if (had.revoked && (random.nextInt(3) == 0 || stopped(had))) {
            kind = ResultKind.RELEASED;
          }
          if (kind == ResultKind.COMPLETED && had.acknowledged < had.seen) {
            kind = ResultKind.ACKNOWLEDGED;
          }
          if (kind != null) {
            results.add(result(key, had, kind));
          }
        });
    worker.unknown.forEach(
        (key, number) ->
            results.add(new SessionResult(key, number, 0, ResultKind.RELEASED, null, null)));
    worker.unknown.clear();
    return results;
  }

  /** A revoked one it gives back within the deadline of the first answer that told it. */
  private boolean stopped(Had has) {
    return has.revoked
        && clock.nanoTime() - has.revokedAt >= SessionStoreFixture.DEADLINE.toNanos();
  }

  private void answered(Worker worker, SessionResult result, ResultAnswer answer) {
    String key = result.key();
    switch (answer.outcome()) {
      case STALE, UNKNOWN -> worker.sessions.remove(key);
      case DONE -> done(worker, result);
      case CONTINUES -> {
        if (moves.containsKey(SessionKey.slot(key))) {
          ending.put(key, (int) result.through());
        }
      }
    }
  }

  private void done(Worker worker, SessionResult result) {
    Had had = worker.sessions.get(result.key());
    switch (result.kind()) {
      case COMPLETED -> {
        worker.sessions.remove(result.key());
        List<String> sent = accepted.get(result.key());
        assertThat(moves).doesNotContainKey(SessionKey.slot(result.key()));
        assertThat(result.through()).as("nothing is left out").isEqualTo(sent.size());
        sent.clear();
        ending.remove(result.key());
      }
      case RELEASED -> worker.sessions.remove(result.key());
      case FAILED -> had.seen = had.acknowledged;
      default -> {}
    }
  }

  private void delivered(Worker worker, SessionDelivery delivery) {
    String key = delivery.key();
    for (Worker other : workers) {
      if (other != worker && other.sessions.containsKey(key)) {
        Had has = other.sessions.get(key);
        assertThat(mayWork(other) && !other.vanished && !stopped(has))
            .as("%s is with worker %s of node %s", key, other.number, other.node)
            .isFalse();
      }
    }
    Had had = worker.sessions.get(key);
    if (had == null || !had.number.equals(delivery.number())) {
      assertThat(had == null || had.number.compareTo(delivery.number()) < 0).isTrue();
      goesOn(delivery);
      long before = delivery.from() - 1;
      had = new Had(delivery.number(), before);
      worker.sessions.put(key, had);
    }
    List<String> sent = accepted.get(key);
    for (SessionEvent event : delivery.events()) {
      assertThat(event.n()).as("in order").isLessThanOrEqualTo(had.seen + 1);
      assertThat(event.id()).isEqualTo(sent.get((int) event.n() - 1));
      had.seen = Math.max(had.seen, event.n());
    }
  }

  // Whether what was completed has ended, or goes on as others came, shows its next delivery.
  private void goesOn(SessionDelivery delivery) {
    Integer through = ending.remove(delivery.key());
    List<String> sent = accepted.get(delivery.key());
    if (through != null
        && delivery.from() == 1
        && !delivery.events().get(0).id().equals(sent.get(0))) {
      sent.subList(0, through).clear();
    }
  }

  // Everybody works until nothing is left.
  private void finish() {
    workers.forEach(worker -> worker.vanished = false);
    for (int round = 0; round < 100 && left() > 0; round++) {
      clock.advance(Duration.ofSeconds(5));
      transfer();
      nodes.forEach(SessionStoreFixture::look);
      workers.forEach(this::finish);
    }
    nodes.forEach(SessionStateCheck::check);
    assertThat(left()).as("%s", nodes.stream().map(SessionStateCheck::state).toList()).isZero();
    ending.forEach((key, through) -> accepted.get(key).subList(0, through).clear());
    assertThat(accepted.values()).allSatisfy(sent -> assertThat(sent).isEmpty());
    for (SessionStoreFixture node : nodes) {
      node.clock.advance(Duration.ofHours(25));
      node.look();
      assertThat(node.store.book().live().isEmpty()).isTrue();
    }
  }

  private long left() {
    return nodes.stream()
        .mapToLong(
            node ->
                node.store.figures().values().stream()
                    .mapToLong(
                        one ->
                            one.sessions().assigned()
                                + one.sessions().unassigned()
                                + one.sessions().parked())
                    .sum())
        .sum();
  }

  private void finish(Worker worker) {
    SessionStoreFixture node = nodes.get(worker.node);
    node.store.list(SessionStoreFixture.QUEUE, null, null, null, 100).sessions().stream()
        .filter(session -> session.waitsFor() != null && session.waitsFor().contains("operator"))
        .forEach(
            session ->
                node.store.act(SessionStoreFixture.QUEUE, session.key(), SessionAction.MOVE, null));
    node.commit();
    work(worker);
    if (!worker.registered) {
      return;
    }
    List<SessionResult> results = new ArrayList<>();
    worker.sessions.forEach(
        (key, had) -> {
          had.acknowledged = had.seen;
          results.add(result(key, had, had.revoked ? ResultKind.RELEASED : ResultKind.COMPLETED));
        });
    PollAnswered answer =
        node.poll(worker.number, worker.process, 0, results.toArray(new SessionResult[0]));
    worker.answeredAt = clock.nanoTime();
    for (int i = 0; i < results.size(); i++) {
      answered(worker, results.get(i), answer.answers().get(i));
    }
  }

  @Override
  public void close() {
    nodes.forEach(SessionStoreFixture::close);
  }
}
