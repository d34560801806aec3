package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.session.SessionKey;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Sessions: events that open them, workers that get and complete them, what operators see of them
 * and do with them, and the calls by which slots move between queue nodes.
 */
final class SessionChapter {
  private static final String PARCELS =
      "{kind: queue, name: parcels, batch: 10, maxAttempts: 1, minSegments: 1,"
          + " sessions: {key: /parcel}}";
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final String QUEUE = "/v1/queues/parcels";
  private static final String ACTIONS = QUEUE + "/session-actions";

  /** The last slot, which is the first one to be given away. */
  private static final int LAST_SLOT = 999;

  private final RecordingClient client;

  SessionChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    client.cluster().define(PARCELS);
    segment("the slots of parcels", sessions -> sessions.path("slots").asInt() == LAST_SLOT + 1);
    client.chapter("sessions");
    opening();
    working();
    looking();
    acting();
    streaming();
    retiring();
    tokens();
    leaveSome();
  }

  private RecordingClient.Asked sender(String title, String batch) {
    return client.ask("load-balancer", Role.PRODUCER, title).header("Millrace-Batch", batch);
  }

  private RecordingClient.Asked node(String title) {
    return client.ask("queue-node", Role.OPERATOR, title);
  }

  private RecordingClient.Asked viewer(String title) {
    return client.manager(Role.VIEWER, title);
  }

  private RecordingClient.Asked operator(String title) {
    return client.manager(Role.OPERATOR, title);
  }

  private RecordingClient.Asked administrator(String title) {
    return client.manager(Role.ADMIN, title);
  }

  private static String worker(int number) {
    return QUEUE + "/session-workers/00000000-0000-0000-0000-0000000000f" + number;
  }

  private static String incarnation(int number) {
    return "00000000-0000-0000-0000-0000000000e" + number;
  }

  private static String registration(int number) {
    return "{'incarnation':'%s','cap':10,'name':'packer-%d'}"
        .formatted(incarnation(number), number);
  }

  private static String change(int number) {
    return registration(number).replace("}", ",'change':true}");
  }

  private static String poll(int number, int poll, int max, String results) {
    return "{'incarnation':'%s','poll':%d,'max':%d,'patience':'1s','results':[%s]}"
        .formatted(incarnation(number), poll, max, results);
  }

  private static String result(String key, String number, int through, String rest) {
    return "{'key':'%s','number':'%s','through':%d,%s}".formatted(key, number, through, rest);
  }

  private void opening() {
    String events = QUEUE + "/events";
    sender("events of three sessions", "first")
        .post(
            events,
            "[{'parcel':'p1','at':'depot'},{'parcel':'p2','at':'depot'},"
                + "{'parcel':'p1','at':'van'},{'parcel':'p3','at':'depot'}]");
    sender("the same batch again", "first")
        .post(
            events,
            "[{'parcel':'p1','at':'depot'},{'parcel':'p2','at':'depot'},"
                + "{'parcel':'p1','at':'van'},{'parcel':'p3','at':'depot'}]");
    sender("one without a key", "keyless")
        .post(events, "[{'parcel':'p2','at':'van'},{'at':'depot'}]");
    sender("with a priority", "hurried").post(events + "?priority=9", "{'parcel':'p1'}");
    JsonNode page = viewer("sessions without a worker").get(QUEUE + "/sessions?limit=2");
    viewer("the rest of them").get(QUEUE + "/sessions?limit=2&after=" + page.path("next").asText());
    viewer("a page that is none").get(QUEUE + "/sessions?after=x");
    viewer("of a queue without sessions").get("/v1/queues/orders/sessions");
  }

  private void working() {
    node("a worker registers").put(worker(1), registration(1));
    node("the same process again").put(worker(1), registration(1));
    node("another process of the worker")
        .put(worker(1), registration(1).replace(incarnation(1), incarnation(2)));
    node("the first process").post(worker(1) + "/polls", poll(1, 1, 10, ""));
    node("a change of its cap").put(worker(1), change(1));
    node("it registers anew").put(worker(1), registration(1));
    node("a change once it is registered").put(worker(1), change(1));
    node("without an incarnation").put(worker(1), "{'cap':10}");
    node("no room at all").put(worker(1), registration(1).replace("10", "0"));
    node("of a queue without sessions")
        .put(worker(1).replace("parcels", "orders"), registration(1));
    node("events of its sessions").post(worker(1) + "/polls", poll(1, 1, 10, ""));
    node("the same poll again").post(worker(1) + "/polls", poll(1, 1, 10, ""));
    node("what has become of them")
        .post(
            worker(1) + "/polls",
            poll(
                1,
                2,
                0,
                result("p1", "1.1", 1, "'kind':'SNAPSHOT','snapshot':{'at':'depot'}")
                    + ","
                    + result("p2", "1.1", 0, "'kind':'FAILED','reason':'no such street'")
                    + ","
                    + result("p3", "1.1", 1, "'kind':'COMPLETED'")
                    + ","
                    + result("p1", "1.9", 2, "'kind':'ACKNOWLEDGED'")
                    + ","
                    + result("p8", "1.1", 1, "'kind':'ACKNOWLEDGED'")));
    node("events that never were")
        .post(worker(1) + "/polls", poll(1, 3, 0, result("p1", "1.1", 7, "'kind':'ACKNOWLEDGED'")));
    node("a result of nothing").post(worker(1) + "/polls", poll(1, 3, 0, "{'key':'p1'}"));
    node("a poll of nobody").post(worker(1) + "/polls", "{'poll':3,'max':10}");
    sender("an event of a completed session", "late")
        .post(QUEUE + "/events", "{'parcel':'p3','at':'door'}");
  }

  private void looking() {
    viewer("one with a snapshot").get(QUEUE + "/session?key=p1");
    viewer("one that is parked").get(QUEUE + "/session?key=p2");
    viewer("one that is completed").get(QUEUE + "/session?key=p3");
    viewer("no such session").get(QUEUE + "/session?key=p8");
    viewer("those that are completed").get(QUEUE + "/sessions?state=completed");
    viewer("those of a worker")
        .get(QUEUE + "/sessions?worker=00000000-0000-0000-0000-0000000000f1");
    viewer("no such state").get(QUEUE + "/sessions?state=gone");
    viewer("workers").get(QUEUE + "/session-workers");
    viewer("of a queue without sessions").get("/v1/queues/orders/session-workers");
    node("one at its node").get(QUEUE + "/session?key=p1");
    node("no such session").get(QUEUE + "/session?key=p8");
    node("sessions of the node").get(QUEUE + "/sessions?limit=1");
    node("a page that is none").get(QUEUE + "/sessions?after=x");
    node("workers of the node").get(QUEUE + "/session-workers");
    node("the figures of its sessions").get("/v1/segments/parcels");
  }

  private void acting() {
    operator("a parked one is delivered again")
        .post(ACTIONS, "{'action':'MOVE','key':'p2','reason':'the street was renamed'}");
    node("it comes again").post(worker(1) + "/polls", poll(1, 3, 10, ""));
    operator("it ends").post(ACTIONS, "{'action':'CLOSE','key':'p2','reason':'sent back'}");
    operator("it has ended").post(ACTIONS, "{'action':'MOVE','key':'p2'}");
    operator("no such session").post(ACTIONS, "{'action':'DROP','key':'p8'}");
    operator("nothing to do").post(ACTIONS, "{'key':'p1'}");
    operator("to no session").post(ACTIONS, "{'action':'DROP'}");
    operator("of a queue without sessions")
        .post("/v1/queues/orders/session-actions", "{'action':'DROP','key':'p1'}");
    node("moved at its node").post(ACTIONS, "{'action':'MOVE','key':'p1'}");
    node("moved again").post(ACTIONS, "{'action':'MOVE','key':'p1'}");
    viewer("it is being taken from its worker").get(QUEUE + "/session?key=p1");
    node("its worker hears of it").post(worker(1) + "/polls", poll(1, 4, 0, ""));
    node("it is given back, and comes again")
        .post(worker(1) + "/polls", poll(1, 5, 10, result("p1", "1.1", 1, "'kind':'RELEASED'")));
    node("removed at its node").post(ACTIONS, "{'action':'DROP','key':'p1'}");
    node("no such session").post(ACTIONS, "{'action':'DROP','key':'p8'}");
  }

  private void streaming() {
    String stream = worker(1) + "/stream?incarnation=";
    sender("an event for a stream", "streamed")
        .post(QUEUE + "/events", "{'parcel':'p4','at':'depot'}");
    node("events as they come").firstLine().get(stream + incarnation(1));
    node("to another process").get(stream + incarnation(2));
    node("asked to end").post(worker(1) + "/retirement", "{'ask':true,'reason':'new version'}");
    node("it hears of it").post(worker(1) + "/polls", poll(1, 9, 0, ""));
    node("it leaves").delete(worker(1) + "?incarnation=" + incarnation(1));
    node("it has left").delete(worker(1) + "?incarnation=" + incarnation(1));
    node("no such worker").post(worker(8) + "/retirement", "{'ask':false}");
  }

  private void retiring() {
    node("a second worker").put(worker(2), registration(2));
    operator("asked to end").post(worker(2) + "/retirement", "{'ask':true,'reason':'new version'}");
    viewer("workers, one of them asked to end").get(QUEUE + "/session-workers");
    operator("retired").post(worker(2) + "/retirement", "{'ask':false,'reason':'is stuck'}");
    operator("retired already").post(worker(2) + "/retirement", "{'ask':false}");
    operator("no such worker").post(worker(8) + "/retirement", "{'ask':false}");
    operator("of a queue without sessions")
        .post(worker(2).replace("parcels", "orders") + "/retirement", "{}");
  }

  private void tokens() {
    operator("a token for workers outside").post(QUEUE + "/session-workers/token");
    operator("of a queue without sessions").post("/v1/queues/orders/session-workers/token");
    node("a worker that names the attempt of another one")
        .put(worker(9), registration(9).replace("}", ",'job':'1.1'}"));
  }

  /** Sessions for commands: one with a snapshot, one that is parked, and one that waits. */
  private void leaveSome() {
    node("").unrecorded().put(worker(3), registration(3).replace("10", "2"));
    operator("").unrecorded().post(ACTIONS, "{'action':'DROP','key':'p4'}");
    sender("", "last")
        .unrecorded()
        .post(
            QUEUE + "/events",
            "[{'parcel':'p5','at':'depot'},{'parcel':'p5','at':'van'},{'parcel':'p6'}]");
    node("").unrecorded().post(worker(3) + "/polls", poll(3, 1, 10, ""));
    node("")
        .unrecorded()
        .post(
            worker(3) + "/polls",
            poll(
                3,
                2,
                0,
                result("p5", "1.1", 1, "'kind':'SNAPSHOT','snapshot':{'at':'depot'}")
                    + ","
                    + result("p6", "1.1", 0, "'kind':'FAILED','reason':'no such street'")));
    sender("", "waiting").unrecorded().post(QUEUE + "/events", "[{'parcel':'p7'},{'parcel':'p9'}]");
  }

  /** Slots move to a queue node that does not exist, and back: last, because it holds them then. */
  void playSlots() {
    String moved = QUEUE + "/slot-moves";
    client.chapter("slots");
    node("slots move").post(moved, "{'to':'q9','points':2}");
    node("to itself").post(moved, "{'to':'q1','points':2}");
    node("to a node that nobody knows").post(moved, "{'to':'q8','points':2}");
    node("of a queue without sessions")
        .post("/v1/queues/orders/slot-moves", "{'to':'q9','points':2}");
    String drained = QUEUE + "/slots/drained";
    other("all has arrived at their new node", "manager")
        .post(drained, "{'node':'q9','from':'q1','slots':{'998':2,'999':2}}");
    other("the same again", "manager")
        .post(drained, "{'node':'q9','from':'q1','slots':{'998':2,'999':2}}");
    other("of another node", "manager")
        .post(drained, "{'node':'q1','from':'q9','slots':{'998':2}}");
    other("from nobody", "manager").post(drained, "{'node':'q9'}");
    other("a slot moves back", "manager")
        .post(
            "/v1/weights/moves",
            """
            {'id':'00000000-0000-0000-0000-000000000004','node':'q9','kind':'SHED',
             'policy':'measured','reason':'too much',
             'moves':[{'queue':'parcels','version':1,'from':'q9','to':'q1','points':1,
                       'slots':[999]}],'inputs':{}}
            """);
    segment("the slot waits", sessions -> sessions.path("waitingSlots").asInt() == 1);
    String parts = QUEUE + "/slots/999/parts";
    String key = keyOf(LAST_SLOT);
    viewer("the row").get(QUEUE + "/weights");
    other("its sessions arrive", "queue-node").post(parts, part(key));
    other("the same again", "queue-node").post(parts, part(key));
    other("a slot that did not move", "queue-node")
        .post(parts.replace("999", "7"), part(keyOf(7)).replace("999", "7"));
    other("a key of another slot", "queue-node").post(parts, part(keyOf(7)));
    other("under another slot's path", "queue-node").post(parts.replace("999", "7"), part(key));
    other("of another node", "queue-node").post(parts, part(key).replace("q9", "q1"));
    administrator("rescued of a node that nobody knows").post(parts, part(key).replace("q9", "q8"));
    administrator("rescued of a node that lives").post(parts, part(key).replace("q9", "q1"));
    administrator("under another slot's path").post(parts.replace("999", "7"), part(key));
    administrator("of a queue without sessions")
        .post(parts.replace("parcels", "orders"), part(key));
    viewer("a session that has arrived").get(QUEUE + "/session?key=" + key);
    await("the metrics of workers that have ended are gone")
        .atMost(SOON)
        .until(() -> !metrics().contains("millrace_session_worker_assigned{"));
  }

  private String metrics() {
    return node("").unrecorded().get("/metrics").path("text").asText();
  }

  private RecordingClient.Asked other(String title, String server) {
    return client
        .ask(server, Role.QUEUE_NODE, title)
        .as("q9", "00000000-0000-0000-0000-0000000000a9");
  }

  private static String keyOf(int slot) {
    return IntStream.iterate(1, i -> i + 1)
        .mapToObj(i -> "parcel-" + i)
        .filter(key -> SessionKey.slot(key) == slot)
        .findFirst()
        .orElseThrow();
  }

  private static String part(String key) {
    return """
        {'slot':999,'epoch':2,'from':'q9','part':0,
         'sending':{'ownerEpoch':3,'id':'00000000-0000-0000-0000-000000000005'},
         'sessions':[{'key':'%s','number':'2.1','openedAt':1772366400000,'accepted':2,
                      'acknowledged':1,'snapshot':{'at':'depot'},'snapshotThrough':1,
                      'attempts':0,'earlierIds':[],
                      'events':[{'n':2,'id':'e2','storedAt':1772366400000,
                                 'data':'{\\'at\\':\\'van\\'}'}]}],
         'completed':[]}
        """
        .formatted(key);
  }

  private void segment(String what, Predicate<JsonNode> state) {
    await(what)
        .atMost(SOON)
        .until(
            () -> state.test(node("").unrecorded().get("/v1/segments/parcels").path("sessions")));
  }
}
