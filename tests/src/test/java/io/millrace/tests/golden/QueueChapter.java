package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Definitions, events on their path through the three servers, and the actions of operators on
 * queues.
 */
final class QueueChapter {
  private static final String ORDERS =
      "{kind: queue, name: orders, batch: 10, maxAttempts: 1," + " minSegments: 1}";
  private static final String MAILS =
      "{kind: queue, name: mails, minSegments: 1, pacing: {tick: 200ms, waitTarget: 1s}, worker: {command: [cat]}}";
  private static final Duration SOON = Duration.ofSeconds(30);

  private final RecordingClient wire;

  QueueChapter(RecordingClient wire) {
    this.wire = wire;
  }

  void play() {
    definitions();
    balancer();
    deliveries();
    deadLetters();
    operations();
    pacing();
  }

  private static String file(String yaml, boolean dryRun) {
    return "{'files':[{'name':'golden.yaml','text':'%s'}],'dryRun':%s}".formatted(yaml, dryRun);
  }

  private void definitions() {
    wire.chapter("definitions");
    wire.manager(Role.OPERATOR, "a dry run").post("/v1/definitions", file(ORDERS, true));
    wire.manager(Role.OPERATOR, "a new queue").post("/v1/definitions", file(ORDERS, false));
    wire.manager(Role.OPERATOR, "the same again").post("/v1/definitions", file(ORDERS, false));
    wire.manager(Role.OPERATOR, "a change")
        .post("/v1/definitions", file(ORDERS.replace("10", "20"), false));
    wire.manager(Role.OPERATOR, "a wrong field")
        .post("/v1/definitions", file("{kind: queue, name: orders, bach: 1}", false));
    wire.manager(Role.OPERATOR, "a wrong value")
        .post("/v1/definitions", file("{kind: queue, name: orders, batch: -1}", false));
    wire.manager(Role.OPERATOR, "no such kind")
        .post("/v1/definitions", file("{kind: thing, name: orders}", false));
    wire.manager(Role.VIEWER, "one").get("/v1/definitions/queue/orders");
    wire.manager(Role.VIEWER, "its first version").get("/v1/definitions/queue/orders?version=1");
    wire.manager(Role.VIEWER, "no such version").get("/v1/definitions/queue/orders?version=9");
    wire.manager(Role.VIEWER, "its history").get("/v1/definitions/queue/orders/history");
    wire.manager(Role.OPERATOR, "a dry rollback")
        .post("/v1/definitions/queue/orders/rollback", "{'version':1,'dryRun':true}");
    wire.manager(Role.OPERATOR, "a rollback").post("/v1/definitions/queue/orders/rollback", "{}");
    wire.manager(Role.OPERATOR, "a rollback to nowhere")
        .post("/v1/definitions/queue/orders/rollback", "{'version':9}");
    wire.cluster().define(ORDERS);
    wire.cluster().define("{kind: queue, name: spare, minSegments: 1}");
    wire.cluster().define(MAILS);
    await("a decision of the queue manager")
        .atMost(SOON)
        .until(() -> !wire.look("/v1/queues/mails/decisions?limit=1").isEmpty());
    wire.manager(Role.VIEWER, "all").get("/v1/definitions");
  }

  private void balancer() {
    wire.chapter("events");
    String path = "/v1/queues/orders/events";
    balanced("one event").header("Millrace-Batch", "one").post(path, "{'n':1}");
    balanced("the same batch again").header("Millrace-Batch", "one").post(path, "{'n':1}");
    balanced("a list").header("Millrace-Batch", "list").post(path, "[{'n':2},3,'four']");
    balanced("lines, delayed")
        .header("Millrace-Batch", "lines")
        .header("Content-Type", "application/x-ndjson")
        .post(path + "?delay=1h&priority=3", "{'n':5}\n{'n':6}\n");
    balanced("events with ids and attributes")
        .header("Millrace-Batch", "own")
        .header("Content-Type", "application/vnd.millrace.events+x-ndjson")
        .post(path, "{'id':'mine','data':{'n':7},'attributes':{'colour':'green'}}\n");
    balanced("not JSON").header("Millrace-Batch", "bad").post(path, "{'n':");
    balanced("an empty list").header("Millrace-Batch", "bad").post(path, "[]");
    balanced("a bad line")
        .header("Millrace-Batch", "bad")
        .header("Content-Type", "application/x-ndjson")
        .post(path, "{'n':5}\n{'n':\n");
    balanced("another media type").header("Content-Type", "text/csv").post(path, "a,b");
    balanced("no such queue").post("/v1/queues/nothing/events", "{}");
    balanced("a bad delay").post(path + "?delay=soon", "{}");
    wire.ask("load-balancer", Role.VIEWER, "a role that may not").post(path, "{}");
  }

  private RecordingClient.Asked balanced(String title) {
    return wire.ask("load-balancer", Role.PRODUCER, title);
  }

  private RecordingClient.Asked node(String title) {
    return wire.ask("queue-node", Role.OPERATOR, title);
  }

  private void deliveries() {
    wire.chapter("deliveries");
    String queue = "/v1/queues/orders";
    node("a batch").header("Millrace-Batch", "direct").post(queue + "/events", "[8,9]");
    node("no such queue").post("/v1/queues/nothing/events", "[8,9]");
    JsonNode leased =
        node("a lease of two").post(queue + "/leases", "{'max':2,'lease':'10m','worker':'golden'}");
    node("a lease without a number").post(queue + "/leases", "{'lease':'soon'}");
    String first = receipt(leased, 0);
    String second = receipt(leased, 1);
    node("an extension")
        .post(queue + "/extensions", "{'receipts':['" + first + "'],'lease':'20m'}");
    node("an acknowledgement").post(queue + "/acks", "{'receipts':['" + first + "']}");
    node("the same again").post(queue + "/acks", "{'receipts':['" + first + "']}");
    node("returned")
        .post(
            queue + "/nacks",
            "{'receipts':['" + second + "'],'kind':'RETURNED','reason':'not now'}");
    node("a receipt that was never given").post(queue + "/acks", "{'receipts':['x']}");
    for (String reason : new String[] {"too large", "too small"}) {
      String one =
          receipt(node("a lease of one").post(queue + "/leases", "{'max':1,'lease':'10m'}"), 0);
      node("failed: dead after one attempt")
          .post(
              queue + "/nacks",
              "{'receipts':['" + one + "'],'kind':'FAILED','reason':'" + reason + "'}");
    }
    node("what waits").get(queue + "/peek");
    node("what is delayed").get(queue + "/peek?state=delayed&limit=1");
    node("an unknown state").get(queue + "/peek?state=gone");
    node("the figures of all segments").get("/v1/segments");
    node("the figures of one").get("/v1/segments/orders");
    node("no such segment").get("/v1/segments/nothing");
    wire.ask("queue-node", Role.NODE, "room for weight")
        .post(
            "/v1/reservations",
            "{'id':'00000000-0000-0000-0000-000000000001','from':'q9','queue':'orders',"
                + "'points':10,'load':0.01,'ttl':'1s'}");
  }

  private static String receipt(JsonNode leased, int number) {
    JsonNode receipt = leased.at("/events/" + number + "/receipt");
    if (receipt.isMissingNode()) {
      receipt = leased.at("/" + number + "/receipt");
    }
    return receipt.asText();
  }

  private void deadLetters() {
    reached("orders", view -> view.dead() == 2 && view.leased() == 0);
    wire.chapter("dead");
    String dead = "/v1/queues/orders/dead";
    node("dead letters").get(dead);
    JsonNode letters = wire.manager(Role.VIEWER, "of all segments").get(dead + "?limit=1");
    wire.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/dead");
    wire.manager(Role.OPERATOR, "requeued by reason")
        .post(dead + "/requeue", "{'reasonContains':'large'}");
    wire.manager(Role.OPERATOR, "no choice made").post(dead + "/requeue", "{}");
    wire.manager(Role.OPERATOR, "dropped by id").post(dead + "/drop", "{'ids':['nobody']}");
    wire.manager(Role.OPERATOR, "no choice made").post(dead + "/drop", "{}");
    node("none of that reason").post(dead + "/requeue", "{'reasonContains':'no such reason'}");
    node("none of that age").post(dead + "/drop", "{'olderThan':'1h'}");
    node("no choice made").post(dead + "/drop", "{}");
    node("no choice made").post(dead + "/requeue", "{}");
    if (letters.isEmpty()) {
      throw new IllegalStateException("no dead letters");
    }
  }

  private void operations() {
    wire.chapter("queue-operations");
    String queue = "/v1/queues/orders";
    wire.manager(Role.VIEWER, "what waits").get(queue + "/peek?limit=2");
    wire.manager(Role.VIEWER, "an unknown state").get(queue + "/peek?state=gone");
    wire.manager(Role.OPERATOR, "paused")
        .post(queue + "/pause", "{'sending':true,'reason':'stocktaking'}");
    await("the pause is known to the load balancer").atMost(SOON).until(this::refusesEvents);
    balanced("a paused queue").post(queue + "/events", "{'n':1}");
    wire.manager(Role.OPERATOR, "a pause of nothing").post(queue + "/pause", "{}");
    wire.manager(Role.OPERATOR, "resumed").post(queue + "/resume", "{'sending':true}");
    wire.manager(Role.OPERATOR, "purge without confirmation")
        .post(queue + "/purge", "{'delayed':true}");
    wire.manager(Role.OPERATOR, "what is delayed is deleted")
        .post(queue + "/purge", "{'confirm':'orders','delayed':true}");
    node("nothing is delayed").post(queue + "/purge", "{'confirm':'orders','delayed':true}");
    node("another name").post(queue + "/purge", "{'confirm':'order','delayed':true}");
    wire.manager(Role.OPERATOR, "an override")
        .put("/v1/queues/mails/override", "{'maxWorkers':3,'for':'1h','reason':'sale'}");
    wire.manager(Role.OPERATOR, "an override of nothing")
        .put("/v1/queues/mails/override", "{'for':'1h','reason':'sale'}");
    wire.manager(Role.OPERATOR, "an override without a reason")
        .put("/v1/queues/mails/override", "{'maxWorkers':3,'for':'1h'}");
    wire.manager(Role.OPERATOR, "its end").delete("/v1/queues/mails/override");
    wire.manager(Role.OPERATOR, "there is none").delete("/v1/queues/mails/override");
    wire.manager(Role.VIEWER, "what was set").get("/v1/queues/mails/overrides");
    reached("orders", view -> view.delayed() == 0 && view.dead() == 1);
    wire.manager(Role.VIEWER, "one queue").get(queue);
    wire.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing");
    wire.manager(Role.VIEWER, "all queues").get("/v1/queues");
    await("a sample of the weights")
        .atMost(SOON)
        .until(
            () ->
                wire.look(queue + "/history?minutes=5").findValues("weights").stream()
                    .anyMatch(row -> !row.isEmpty()));
    wire.manager(Role.VIEWER, "figures over time").shape().get(queue + "/history?minutes=5");
    wire.manager(Role.VIEWER, "too far back").get(queue + "/history?minutes=100000");
    wire.manager(Role.VIEWER, "weights").get(queue + "/weights");
    wire.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/weights");
  }

  private boolean refusesEvents() {
    try {
      wire.cluster().producer().send("orders", "probe", "application/json", new byte[] {'['});
      return false;
    } catch (MillraceException e) {
      return e.code() == ErrorCode.QUEUE_PAUSED;
    }
  }

  private void pacing() {
    wire.chapter("pacing");
    String queue = "/v1/queues/mails";
    wire.manager(Role.VIEWER, "the last decision").get(queue + "/decisions?limit=1");
    wire.manager(Role.VIEWER, "a wrong limit").get(queue + "/decisions?limit=0");
    wire.manager(Role.VIEWER, "exported").shape().get(queue + "/decisions/export?format=json");
    wire.manager(Role.VIEWER, "no such format").get(queue + "/decisions/export?format=xml");
    wire.manager(Role.VIEWER, "why so few workers").get(queue + "/explanation?limit=0");
    wire.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/explanation");
    wire.manager(Role.NODE, "what a queue manager needs to know")
        .post("/v1/pacing/rounds", "{'views':[{'queue':'mails','node':'q1'}]}");
    wire.manager(Role.NODE, "a decision of a stale attempt")
        .post(
            "/v1/pacing/rounds",
            "{'decisions':[{'queue':'mails','node':'q1','decision':{'attempt':'1.9','start':1,"
                + "'policy':'demand','gate':'NONE','reason':'because'}}]}");
  }

  private void reached(String queue, Predicate<QueueView> state) {
    await("queue " + queue).atMost(SOON).until(() -> state.test(wire.cluster().view(queue)));
  }
}
