package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * One slot that goes from node to node at random: its owners are lost, come back and are restarted,
 * and what they send arrives in parts, or has arrived without their knowing. If lost owners are
 * waited for, whoever gets a session gets all that was accepted since the key was completed, and
 * nothing of before. If not, a worker acknowledges each event at some time, and those that were
 * accepted one after the other come in their order.
 */
final class LostSlotsWorld implements AutoCloseable {
  private static final int NODES = 3;
  private static final List<String> KEYS = keys(4);
  private static final int SLOT = SessionKey.slot(KEYS.get(0));

  private final Random random;
  private final boolean waits;
  private final List<SessionStoreFixture> nodes = new ArrayList<>();
  private final boolean[] up = {true, true, true};
  private final Map<String, List<String>> accepted = new HashMap<>();
  private final Map<String, List<String>> completed = new HashMap<>();
  // Keys of whose events no order is promised until they are completed.
  private final Set<String> unordered = new HashSet<>();
  // Under which epoch an event was accepted; ids are in the order of their numbers.
  private final Map<String, Long> epochs = new HashMap<>();
  // Of the last assignment of each key.
  private final Map<String, SessionNumber> numbers = new HashMap<>();
  private final List<String> story = new ArrayList<>();
  private SlotOwner row = new SlotOwner("n0", 1, List.of());
  // What each node knows of the row.
  private final SlotOwner[] known = {row, row, row};
  private final List<Late> late = new ArrayList<>();
  private int ids;

  /** A part that is on its way for long; it may arrive more than once. */
  private record Late(String to, SlotPage page) {}

  LostSlotsWorld(Path folder, Random random, boolean waits) {
    this.random = random;
    this.waits = waits;
    ManualClock clock = new ManualClock(Instant.ofEpochSecond(1_700_000_000));
    for (int i = 0; i < NODES; i++) {
      SessionStoreFixture node = new SessionStoreFixture(folder.resolve("n" + i), "n" + i, clock);
      node.rules = SessionDefinition.of("key").withDuplicates(DuplicatePolicy.REOPEN);
      nodes.add(node.open());
    }
    nodes.get(0).take(1, List.of(), true, SLOT);
    for (String key : KEYS) {
      accepted.put(key, new ArrayList<>());
      completed.put(key, new ArrayList<>());
    }
  }

  /** Keys of one slot. */
  private static List<String> keys(int count) {
    List<String> keys = new ArrayList<>(List.of("a"));
    for (int i = 0; keys.size() < count; i++) {
      if (SessionKey.slot("s" + i) == SessionKey.slot("a")) {
        keys.add("s" + i);
      }
    }
    return keys;
  }

  void run(int steps) {
    try {
      for (int i = 0; i < steps; i++) {
        step();
        nodes.forEach(SessionStateCheck::check);
      }
      finish();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(String.join("\n", story), e);
    }
  }

  private void step() {
    int node = random.nextInt(NODES);
    switch (random.nextInt(18)) {
      case 0, 1, 2, 3 -> put();
      case 4, 5, 6 -> work(false);
      case 7 -> give();
      case 8 -> lose();
      case 9 -> restart(node);
      case 10, 11 -> setUp(node);
      case 12, 13, 14 -> send(node, true);
      case 15 -> follow(node);
      case 16 -> arrivesLate();
      default -> report();
    }
  }

  private int owner() {
    return Integer.parseInt(row.node().substring(1));
  }

  private HeldSlot held(int node) {
    return nodes.get(node).store.slots(QUEUE).stream()
        .filter(one -> one.slot() == SLOT)
        .findFirst()
        .orElse(null);
  }

  private boolean ownerServes() {
    HeldSlot held = held(owner());
    return up[owner()] && held != null && held.epoch() == row.epoch();
  }

  private void put() {
    if (!ownerServes()) {
      return;
    }
    String key = KEYS.get(random.nextInt(KEYS.size()));
    List<String> earlier = new ArrayList<>(completed.get(key));
    earlier.addAll(accepted.get(key));
    boolean again = !earlier.isEmpty() && random.nextInt(3) == 0;
    String id = "e" + ids++;
    if (again) {
      // Most likely one of the last, as after an answer that was lost.
      int back = 1 + random.nextInt(Math.min(4, earlier.size()));
      id = earlier.get(earlier.size() - back);
    }
    String outcome = nodes.get(owner()).put(key, id);
    story.add("put " + key + " " + id + " at " + row.node() + " " + outcome);
    if (again) {
      boolean mayBeUnknown = !waits || !row.undrained().isEmpty();
      assertThat(outcome).isIn(mayBeUnknown ? List.of("STORED", "REPEATED") : List.of("REPEATED"));
      if (outcome.equals("STORED")) {
        // Sent again where it was not known, it may have another place.
        epochs.remove(id);
      }
    } else {
      assertThat(outcome).isEqualTo("STORED");
      accepted.get(key).add(id);
      epochs.put(id, row.epoch());
    }
  }

  /** A worker comes, does something with what it gets, and leaves. */
  private void work(boolean all) {
    if (!ownerServes()) {
      return;
    }
    SessionStoreFixture node = nodes.get(owner());
    UUID process = new UUID(1, ids++);
    node.register(1, process, null);
    for (SessionDelivery one : node.poll(1, process, 1_000).sessions()) {
      List<String> had = check(one);
      int n = (int) one.from() - 1;
      n += all ? one.events().size() : random.nextInt(one.events().size() + 1);
      boolean whole = n == had.size();
      switch (all ? 2 : random.nextInt(5)) {
        case 0 -> report(node, process, one, n, ResultKind.ACKNOWLEDGED, null);
        case 1 -> report(node, process, one, n, ResultKind.SNAPSHOT, ids(had.subList(0, n)));
        case 2 -> {
          if (whole) {
            report(node, process, one, n, ResultKind.COMPLETED, null);
            List<String> done = new ArrayList<>(accepted.get(one.key()));
            done.retainAll(had);
            completed.get(one.key()).addAll(done);
            accepted.get(one.key()).removeAll(done);
            unordered.remove(one.key());
          }
        }
        default -> {}
      }
    }
    node.store.leave(QUEUE, w(1), process);
    node.commit();
  }

  private void report(
      SessionStoreFixture node,
      UUID process,
      SessionDelivery one,
      int through,
      ResultKind kind,
      JsonNode snapshot) {
    story.add(kind + " " + one.key() + " through " + through + " at " + node.node);
    node.poll(
        1, process, 0, new SessionResult(one.key(), one.number(), through, kind, snapshot, null));
    if (!waits && kind != ResultKind.COMPLETED) {
      // Of what was acknowledged, an owner that is not waited for may bring nothing more.
      List<String> done =
          one.events().stream()
              .filter(event -> event.n() <= through)
              .map(SessionEvent::id)
              .filter(accepted.get(one.key())::remove)
              .toList();
      completed.get(one.key()).addAll(done);
    }
  }

  private static ArrayNode ids(List<String> had) {
    ArrayNode ids = Json.mapper().createArrayNode();
    had.forEach(ids::add);
    return ids;
  }

  // What it has by the snapshot and the events, in order.
  private List<String> check(SessionDelivery one) {
    List<String> had = new ArrayList<>();
    if (one.snapshot() != null) {
      byte[] json = Json.writeBytes(one.snapshot());
      Json.read(json, JsonNode.class).forEach(id -> had.add(id.asText()));
    }
    one.events().forEach(event -> had.add(event.id()));
    story.add("got " + one.key() + "@" + one.number() + " " + had + " at " + row.node());
    SessionNumber before = numbers.put(one.key(), one.number());
    if (before != null) {
      assertThat(one.number()).isGreaterThan(before);
    }
    if (!waits) {
      assertThat(had).doesNotHaveDuplicates();
      if (!unordered.contains(one.key())) {
        had.stream()
            .filter(epochs::containsKey)
            .collect(Collectors.groupingBy(epochs::get))
            .values()
            .forEach(
                some ->
                    assertThat(some)
                        .isSortedAccordingTo(
                            Comparator.comparingInt(id -> Integer.parseInt(id.substring(1)))));
      }
      return had;
    }
    assertThat(had).containsExactlyInAnyOrderElementsOf(accepted.get(one.key()));
    if (!unordered.contains(one.key())) {
      assertThat(had).isEqualTo(accepted.get(one.key()));
    }
    return had;
  }

  /** The owner gives the slot away, as it has all of it. */
  private void give() {
    if (ownerServes() && row.undrained().isEmpty() && held(owner()).undrained().isEmpty()) {
      pass("gives");
    }
  }

  private void lose() {
    up[owner()] = false;
    pass("is lost");
  }

  private void pass(String how) {
    int next = (owner() + 1 + random.nextInt(NODES - 1)) % NODES;
    story.add(row.node() + " " + how + ", the slot goes to n" + next);
    row = row.passedTo("n" + next);
    story.add("row " + row);
    // An order is promised only for one return before all has arrived.
    if (row.undrained().size() > 1 || held(next) != null) {
      KEYS.stream().filter(key -> !accepted.get(key).isEmpty()).forEach(unordered::add);
    }
    for (int node = 0; node < NODES; node++) {
      // Its last owner has sealed it before the row changed; others may hear of it later.
      if (row.undrained().get(row.undrained().size() - 1).equals("n" + node)
          || random.nextInt(3) > 0) {
        follow(node);
      }
    }
  }

  /** Seals or takes the slot as the row says. */
  private void follow(int node) {
    if (!up[node]) {
      return;
    }
    known[node] = row;
    SessionStoreFixture one = nodes.get(node);
    HeldSlot held = held(node);
    if (node != owner()) {
      if (held != null && !held.sealed()) {
        one.store.seal(QUEUE, List.of(SLOT));
        one.commit();
      }
    } else {
      List<String> missing = new ArrayList<>(row.undrained());
      if (held != null && held.epoch() == row.epoch()) {
        missing.retainAll(held.undrained());
      }
      boolean forAny =
          waits
              ? !missing.isEmpty() || held == null || held.epoch() != row.epoch()
              : missing.stream().anyMatch(this::isUp);
      GrantedSlot granted = new GrantedSlot(SLOT, row.epoch(), row.undrained(), forAny);
      one.store.take(QUEUE, 1, List.of(granted), one.clock.nanoTime());
      one.commit();
      one.look();
    }
  }

  private boolean isUp(String node) {
    return up[Integer.parseInt(node.substring(1))];
  }

  private void setUp(int node) {
    if (!up[node]) {
      story.add("n" + node + " is back");
      up[node] = true;
    }
    follow(node);
  }

  private void restart(int node) {
    SessionStoreFixture one = nodes.get(node);
    String before = SessionStateCheck.durable(one);
    one.reopen();
    SessionStateCheck.same(SessionStateCheck.durable(one), before);
    story.add("n" + node + " is restarted");
    follow(node);
  }

  /** Sends what a node has of the slot to its owner, as far as it knows the owner. */
  private void send(int node, boolean fails) {
    HeldSlot held = held(node);
    SlotOwner owner = known[node];
    SessionStoreFixture giver = nodes.get(node);
    if (!up[node] || owner.node().equals(giver.node)) {
      return;
    }
    Sending sending = Sending.to(owner.epoch());
    if (held == null) {
      if (owner.undrained().contains(giver.node)) {
        SlotPage nothing =
            new SlotPage(
                SLOT,
                owner.epoch() - 1,
                giver.node,
                sending,
                0,
                List.of(),
                List.of(),
                null,
                List.of());
        story.add(giver.node + " says that it holds nothing, to " + owner);
        arrives(owner.node(), nothing, fails);
      }
      return;
    }
    if (held.epoch() >= owner.epoch()) {
      return;
    }
    giver.store.endArrivals(QUEUE, SLOT, owner.undrained());
    giver.commit();
    List<SlotPage> pages = parts(giver.store.export(QUEUE, SLOT, sending, null));
    giver.commit();
    int sent = fails && random.nextInt(3) == 0 ? random.nextInt(pages.size()) : pages.size();
    for (SlotPage page : pages.subList(0, sent)) {
      if (!arrives(owner.node(), page, fails)) {
        return;
      }
    }
    boolean told = sent == pages.size() && !(fails && random.nextInt(3) == 0);
    story.add(
        "%s sends %d/%d%s %s to %s"
            .formatted(
                giver.node, sent, pages.size(), told ? "" : " unanswered", page(pages), owner));
    if (told) {
      giver.store.exported(QUEUE, SLOT, held.epoch());
      giver.commit();
    }
  }

  private static String page(List<SlotPage> pages) {
    return pages.get(0).epoch() + " containing " + pages.get(0).contained();
  }

  // Each session in one or two parts of its own, as if they were large.
  private static List<SlotPage> parts(SlotPage whole) {
    List<List<MovedSession>> sessions = new ArrayList<>();
    for (MovedSession one : whole.sessions()) {
      if (one.events().size() > 1) {
        sessions.add(List.of(withEvents(one, one.snapshot(), one.earlierIds(), 0, 1)));
        sessions.add(List.of(withEvents(one, null, List.of(), 1, one.events().size())));
      } else {
        sessions.add(List.of(one));
      }
    }
    List<SlotPage> parts = new ArrayList<>();
    for (int i = 0; i <= sessions.size(); i++) {
      boolean last = i == sessions.size();
      parts.add(
          new SlotPage(
              SLOT,
              whole.epoch(),
              whole.from(),
              whole.sending(),
              i,
              last ? List.of() : sessions.get(i),
              last ? whole.completed() : List.of(),
              last ? null : "more",
              whole.contained()));
    }
    return parts;
  }

  private static MovedSession withEvents(
      MovedSession one, JsonNode snapshot, List<Long> earlierIds, int from, int to) {
    return new MovedSession(
        one.key(),
        one.number(),
        one.assigned(),
        one.openedAt(),
        one.accepted(),
        one.acknowledged(),
        snapshot,
        one.snapshotThrough(),
        one.failed(),
        one.attempts(),
        one.parked(),
        one.ending(),
        earlierIds,
        one.events().subList(from, to));
  }

  private boolean arrives(String to, SlotPage page, boolean fails) {
    if (fails && random.nextInt(6) == 0) {
      late.add(new Late(to, page));
      // It may have arrived as well, and be on its way again.
      return random.nextBoolean() && arrives(to, page);
    }
    return arrives(to, page);
  }

  private boolean arrives(String to, SlotPage page) {
    int receiver = Integer.parseInt(to.substring(1));
    if (!up[receiver]) {
      return false;
    }
    SessionStoreFixture node = nodes.get(receiver);
    try {
      node.store.take(QUEUE, page);
      node.commit();
      return true;
    } catch (MillraceException notNow) {
      assertThat(notNow.code())
          .isIn(ErrorCode.CONFLICT, ErrorCode.UNAVAILABLE, ErrorCode.UNKNOWN_QUEUE);
      follow(receiver);
      return false;
    }
  }

  private void arrivesLate() {
    if (!late.isEmpty()) {
      Late one = late.remove(random.nextInt(late.size()));
      boolean accepted = arrives(one.to(), one.page());
      story.add(
          "late at %s, %s: part %d of %s"
              .formatted(
                  one.to(),
                  accepted ? "accepted" : "refused",
                  one.page().part(),
                  one.page().sending()));
    }
  }

  /** The owner has the row say what has arrived. */
  private void report() {
    if (ownerServes()) {
      List<String> missing = held(owner()).undrained();
      for (String earlier : row.undrained()) {
        row = missing.contains(earlier) ? row : row.drained(earlier);
      }
      follow(owner());
    }
  }

  private void finish() {
    story.add("all come back");
    while (!late.isEmpty()) {
      arrivesLate();
    }
    for (int round = 0; round < 10; round++) {
      for (int node = 0; node < NODES; node++) {
        setUp(node);
        send(node, false);
      }
      report();
    }
    assertThat(row.undrained()).isEmpty();
    work(true);
    assertThat(accepted.values()).allSatisfy(left -> assertThat(left).isEmpty());
    for (int node = 0; node < NODES; node++) {
      HeldSlot held = held(node);
      assertThat(held == null || node == owner()).as("n%s keeps %s", node, held).isTrue();
    }
    assertThat(held(owner()).sessions()).isZero();
  }

  @Override
  public void close() {
    nodes.forEach(SessionStoreFixture::close);
  }
}
