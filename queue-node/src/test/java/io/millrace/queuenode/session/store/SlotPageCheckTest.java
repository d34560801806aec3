package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SlotPage;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.store.NewEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a node stores of what another one sends as a part of a slot. */
class SlotPageCheckTest {
  private static final String KEY = "a";
  private static final int SLOT = SessionKey.slot(KEY);
  private static final String SOUND =
      """
      {"slot":%d,"epoch":5,"from":"q2","part":0,"next":null,"contained":["q3/4","q1/2"],
       "sending":{"ownerEpoch":6,"id":"00000000-0000-0001-0000-000000000001"},
       "sessions":[{"key":"a","number":"5.2","openedAt":7,"accepted":3,"acknowledged":2,
         "snapshot":{"x":1},"snapshotThrough":1,"attempts":1,"parked":null,"earlierIds":[9],
         "events":[{"n":2,"id":"e2","storedAt":8,"attributes":"{\\"k\\":\\"v\\"}","data":"{}"},
                   {"n":3,"id":"e3","storedAt":8,"attributes":null,"data":"17"}]}],
       "completed":[{"key":"a","number":"3.1","completedAt":4,"events":2,"outcome":"COMPLETED",
         "worker":null,"ids":[1,2]}]}
      """
          .formatted(SLOT);

  @TempDir private Path folder;

  private static void judge(String page) {
    SlotPageCheck.require(Json.read(page, SlotPage.class));
  }

  private static MillraceException refusal(ThrowingJudge judge) {
    try {
      judge.run();
    } catch (MillraceException e) {
      return e;
    }
    throw new AssertionError("nothing was refused");
  }

  private interface ThrowingJudge {
    void run();
  }

  @Test
  void whatANodeSendsPasses() {
    assertThatCode(() -> judge(SOUND)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/slot | 1000",
        "/epoch | -1",
        "/sending | null",
        "/sending/ownerEpoch | 5",
        "/sending/id | null",
        "/part | -1",
        "/next | \"more\"",
        "/next | \"2/1/0\"",
        "/contained/0 | \"q3\"",
        "/contained/0 | \"/3\"",
        "/contained/0 | \"q3/5\"",
        "/contained/0 | \"q3/99999999999999999999999\"",
        "/sessions/0/key | null",
        "/sessions/0/key | \" \"",
        "/sessions/0/key | \"of another slot\"",
        "/sessions/0/number | null",
        "/sessions/0/number | \"6.1\"",
        "/sessions/0/number | \"-5.1\"",
        "/sessions/0/number | \"5.-7\"",
        "/sessions/0/number | \"5.2147483647\"",
        "/sessions/0/openedAt | -1",
        "/sessions/0/openedAt | 9223372036854775807",
        "/sessions/0/accepted | 2",
        "/sessions/0/accepted | 4",
        "/sessions/0/accepted | 9223372036854775807",
        "/sessions/0/acknowledged | -3",
        "/sessions/0/acknowledged | 4",
        "/sessions/0/snapshotThrough | 0",
        "/sessions/0/snapshotThrough | 3",
        "/sessions/0/snapshotThrough | -7",
        "/sessions/0/attempts | -7",
        "/sessions/0/earlierIds | null",
        "/sessions/0/earlierIds/0 | null",
        "/sessions/0/events | null",
        "/sessions/0/events | []",
        "/sessions/0/events/0 | null",
        "/sessions/0/events/0/n | 3",
        "/sessions/0/events/0/id | null",
        "/sessions/0/events/0/storedAt | -9",
        "/sessions/0/events/0/attributes | \"nonsense\"",
        "/sessions/0/events/0/attributes | \"[]\"",
        "/sessions/0/events/0/attributes | \"{\\\"k\\\":{}}\"",
        "/sessions/0/events/0/attributes | \"{}{}\"",
        "/sessions/0/events/0/data | null",
        "/sessions/0/events/0/data | \"\"",
        "/sessions/0/events/0/data | \"{\"",
        "/sessions/0/events/0/data | \"1},\\\"evil\\\":{\"",
        "/sessions/0/events/0/data | \"1 2\"",
        "/completed/0/key | null",
        "/completed/0/key | \"of another slot\"",
        "/completed/0/number | null",
        "/completed/0/completedAt | 9223372036854775807",
        "/completed/0/events | -1",
        "/completed/0/outcome | null",
        "/completed/0/ids | null"
      })
  void whatNoNodeSendsIsRefusedWithFieldSlotAndSender(String place, String value) {
    ObjectNode page = (ObjectNode) Json.read(SOUND, JsonNode.class);
    int cut = place.lastIndexOf('/');
    JsonNode parent = page.at(place.substring(0, cut));
    String last = place.substring(cut + 1);
    JsonNode changed = Json.read(value, JsonNode.class);
    if (parent instanceof ArrayNode list) {
      list.set(Integer.parseInt(last), changed);
    } else {
      ((ObjectNode) parent).set(last, changed);
    }
    MillraceException refusal = refusal(() -> judge(page.toString()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refusal.getMessage()).contains("slot ").contains("q2").hasSizeLessThan(600);
    String[] names = place.substring(1).replaceAll("/\\d+", "").split("/");
    assertThat(refusal.getMessage()).contains(names[0]);
  }

  @Test
  void aPartHasBoundedEntries() {
    ObjectNode page = (ObjectNode) Json.read(SOUND, JsonNode.class);
    ArrayNode completed = (ArrayNode) page.get("completed");
    for (int i = 0; i <= SlotPageCheck.MOST_ENTRIES; i++) {
      completed.add(completed.get(0));
    }
    assertThatThrownBy(() -> judge(page.toString())).hasMessageContaining("completed");
    ArrayNode contained = ((ObjectNode) Json.read(SOUND, JsonNode.class)).putArray("contained");
    IntStream.range(0, 65).forEach(i -> contained.add("q/1"));
    page.set("contained", contained);
    completed.removeAll();
    assertThatThrownBy(() -> judge(page.toString())).hasMessageContaining("contained");
  }

  /** Of stores with long and large sessions, snapshots, failures, and completed keys. */
  @Test
  void allThatStoresExportPassesAndArrivesWhole() {
    for (int seed = 0; seed < 12; seed++) {
      Random random = new Random(seed);
      SessionStoreFixture giver = SessionStoreFixture.withAllSlots(folder.resolve("g" + seed));
      giver.fileBytes = 4 << 20;
      giver.maxAttempts = 2;
      giver.available(1);
      List<String> keys = keysOfTheSlot(random.nextInt(1, 8));
      Map<String, Long> accepted = fill(giver, keys, random);
      giver.store.seal(QUEUE, List.of(SLOT));
      giver.store.retire(QUEUE, SessionStoreFixture.w(1), "by ann");
      giver.commit();
      SessionStoreFixture taker =
          new SessionStoreFixture(folder.resolve("t" + seed), "node-2", giver.clock).open();
      taker.take(2, List.of("node-1"), true, SLOT);
      taker.look();
      String next = null;
      do {
        SlotPage page = Json.read(Json.writeBytes(giver.export(SLOT, next)), SlotPage.class);
        giver.commit();
        SlotPageCheck.require(page);
        taker.arrives(page);
        taker.commit();
        next = page.next();
      } while (next != null);
      taker.reopen();
      SessionStateCheck.check(taker);
      accepted.forEach(
          (key, count) -> assertThat(taker.session(key).accepted()).as(key).isEqualTo(count));
      giver.close();
      taker.close();
    }
  }

  private static List<String> keysOfTheSlot(int count) {
    return IntStream.range(0, 100_000)
        .mapToObj(i -> "s" + i)
        .filter(key -> SessionKey.slot(key) == SLOT)
        .limit(count)
        .toList();
  }

  /** The events of each session that is open afterwards. */
  private static Map<String, Long> fill(
      SessionStoreFixture giver, List<String> keys, Random random) {
    for (String key : keys) {
      int events = random.nextBoolean() ? random.nextInt(1, 6) : random.nextInt(900, 2_100);
      int size = events < 10 ? random.nextInt(1, 700_000) : random.nextInt(1, 900);
      List<KeyedEvent> all = new ArrayList<>();
      for (int i = 0; i < events; i++) {
        byte[] data = ("\"" + "x".repeat(size) + "\"").getBytes(StandardCharsets.UTF_8);
        String attributes = random.nextBoolean() ? null : "{\"k\":\"v\"}";
        all.add(new KeyedEvent(new NewEvent("e" + i, data, attributes), key, SLOT, 0));
      }
      giver.put(all.toArray(KeyedEvent[]::new));
    }
    for (int poll = 0; poll < 6; poll++) {
      PollAnswered answer = giver.poll(1, 1_000);
      List<SessionResult> results = new ArrayList<>();
      for (SessionDelivery one : answer.sessions()) {
        if (!one.events().isEmpty()) {
          results.add(result(one, random));
        }
      }
      giver.poll(1, 0, results.toArray(SessionResult[]::new));
    }
    Map<String, Long> accepted = new TreeMap<>();
    for (String key : keys) {
      Session open = giver.session(key);
      if (open != null) {
        accepted.put(key, open.accepted());
      }
    }
    return accepted;
  }

  private static SessionResult result(SessionDelivery one, Random random) {
    ResultKind[] kinds = ResultKind.values();
    ResultKind kind = kinds[random.nextInt(kinds.length)];
    long last = one.events().get(one.events().size() - 1).n();
    long through = kind == ResultKind.FAILED ? last - 1 : last;
    TextNode state = new TextNode("z".repeat(random.nextInt(1_200_000)));
    return new SessionResult(
        one.key(),
        one.number(),
        through,
        kind,
        kind == ResultKind.SNAPSHOT ? state : null,
        kind == ResultKind.FAILED ? "no" : null);
  }

  @Test
  void aSessionInSeveralPartsMustBeWhole() {
    SessionStoreFixture taker =
        new SessionStoreFixture(folder, "node-1", new ManualClock(Instant.EPOCH));
    taker.open();
    taker.take(6, List.of("q2"), true, SLOT);
    taker.look();
    take(taker, part(0, "1/1/2", 1, 1));
    assertThat(refusal(() -> take(taker, part(1, null, 3, 3))).code())
        .as("one event is missing")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    taker.store.rollback();
    assertThat(refusal(() -> take(taker, part(1, null, 1, 3))).code())
        .as("one event comes twice")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    taker.store.rollback();
    assertThat(refusal(() -> take(taker, part(1, null, 1, 0))).code())
        .as("the rest never comes")
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    taker.store.rollback();
    take(taker, part(1, null, 2, 3));
    assertThat(taker.session(KEY).accepted()).isEqualTo(3);
    taker.reopen();
    SessionStateCheck.check(taker);
    taker.close();
  }

  private static void take(SessionStoreFixture taker, SlotPage page) {
    SlotPageCheck.require(page);
    taker.arrives(page);
    taker.commit();
  }

  /** A part with these events of a session of three, of which two are acknowledged. */
  private static SlotPage part(int part, String next, int first, int last) {
    ObjectNode page = (ObjectNode) Json.read(SOUND, JsonNode.class);
    page.put("part", part).put("next", next).putArray("completed");
    ObjectNode session = (ObjectNode) page.at("/sessions/0");
    session.put("snapshotThrough", 0).put("accepted", 3).remove("snapshot");
    ArrayNode events = session.putArray("events");
    for (int n = first; n <= last; n++) {
      events.addObject().put("n", n).put("id", "e" + n).put("storedAt", 1).put("data", "1");
    }
    if (last == 0) {
      page.putArray("sessions");
    }
    return Json.read(page.toString(), SlotPage.class);
  }
}
