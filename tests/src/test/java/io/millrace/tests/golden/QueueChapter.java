package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Definitions, events on their path through the three servers, and the actions of operators on
 * queues.
 */
final class QueueChapter {
  private static final String ORDERS =
      "{kind: queue, name: orders, maxAttempts: 1, minSegments: 1}";
  private static final String MAILS =
      "{kind: queue, name: mails, minSegments: 1, pacing: {tick: 200ms, waitTarget: 1s}, worker: {command: [cat]}}";
  private static final Duration SOON = Duration.ofMinutes(3);

  private final RecordingClient client;

  QueueChapter(RecordingClient client) {
    this.client = client;
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
    client.chapter("definitions");
    client.manager(Role.OPERATOR, "a dry run").post("/v1/definitions", file(ORDERS, true));
    client.manager(Role.OPERATOR, "a new queue").post("/v1/definitions", file(ORDERS, false));
    client.manager(Role.OPERATOR, "the same again").post("/v1/definitions", file(ORDERS, false));
    client
        .manager(Role.OPERATOR, "a change")
        .post("/v1/definitions", file(ORDERS.replace("10", "20"), false));
    client
        .manager(Role.OPERATOR, "a wrong field")
        .post("/v1/definitions", file("{kind: queue, name: orders, bach: 1}", false));
    client
        .manager(Role.OPERATOR, "a wrong value")
        .post("/v1/definitions", file("{kind: queue, name: orders, batch: -1}", false));
    client
        .manager(Role.OPERATOR, "no such kind")
        .post("/v1/definitions", file("{kind: thing, name: orders}", false));
    client.manager(Role.VIEWER, "one").get("/v1/definitions/queue/orders");
    client.manager(Role.VIEWER, "its first version").get("/v1/definitions/queue/orders?version=1");
    client.manager(Role.VIEWER, "no such version").get("/v1/definitions/queue/orders?version=9");
    client.manager(Role.VIEWER, "its history").get("/v1/definitions/queue/orders/history");
    client
        .manager(Role.OPERATOR, "a dry rollback")
        .post("/v1/definitions/queue/orders/rollback", "{'version':1,'dryRun':true}");
    client.manager(Role.OPERATOR, "a rollback").post("/v1/definitions/queue/orders/rollback", "{}");
    client
        .manager(Role.OPERATOR, "a rollback to nowhere")
        .post("/v1/definitions/queue/orders/rollback", "{'version':9}");
    client.cluster().define(ORDERS);
    client.cluster().define("{kind: queue, name: spare, minSegments: 1}");
    client.cluster().define(MAILS);
    await("a decision of the queue manager")
        .atMost(SOON)
        .until(() -> !client.look("/v1/queues/mails/decisions?limit=1").isEmpty());
    client.manager(Role.VIEWER, "all").get("/v1/definitions");
    client
        .manager(Role.OPERATOR, "a dry deletion")
        .post("/v1/definitions/queue/spare/delete", "{'dryRun':true}");
    client
        .manager(Role.OPERATOR, "a mode of tasks")
        .post("/v1/definitions/queue/spare/delete", "{'mode':'STOP'}");
    client
        .manager(Role.OPERATOR, "no such queue to delete")
        .post("/v1/definitions/queue/nothing/delete", "{}");
    client.manager(Role.VIEWER, "deleted ones").get("/v1/definitions/deleted");
  }

  private void balancer() {
    client.chapter("events");
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
    client.ask("load-balancer", Role.VIEWER, "a role that may not").post(path, "{}");
  }

  private RecordingClient.Asked balanced(String title) {
    return client.ask("load-balancer", Role.PRODUCER, title);
  }

  private RecordingClient.Asked node(String title) {
    return client.ask("queue-node", Role.OPERATOR, title);
  }

  private void deliveries() {
    client.chapter("deliveries");
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
    for (String reason : new String[] {"too large", "too small", "too late", "too early"}) {
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
    client
        .ask("queue-node", Role.QUEUE_NODE, "room for weight")
        .as("q9", "00000000-0000-0000-0000-0000000000a9")
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
    reached("orders", view -> view.dead() == 4 && view.leased() == 0);
    client.chapter("dead");
    String dead = "/v1/queues/orders/dead";
    node("dead letters").get(dead);
    JsonNode letters = client.manager(Role.VIEWER, "of all segments").get(dead + "?limit=2");
    client.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/dead");
    client.manager(Role.VIEWER, "by cause").get(dead + "/groups");
    client
        .manager(Role.OPERATOR, "requeued by reason")
        .post(dead + "/requeue", "{'reasonContains':'large'}");
    client.manager(Role.OPERATOR, "no choice made").post(dead + "/requeue", "{}");
    client.manager(Role.OPERATOR, "dropped by id").post(dead + "/drop", "{'ids':['nobody']}");
    client.manager(Role.OPERATOR, "no choice made").post(dead + "/drop", "{}");
    client
        .manager(Role.OPERATOR, "requeued with other data")
        .post(dead + "/requeue-changed?handle=" + letters.at("/0/handle").asText(), "{'n':70}");
    client
        .manager(Role.OPERATOR, "once more")
        .post(dead + "/requeue-changed?handle=" + letters.at("/0/handle").asText(), "{'n':70}");
    node("requeued with other data")
        .post(dead + "/requeue-changed?handle=" + letters.at("/1/handle").asText(), "{'n':70}");
    node("none of that reason").post(dead + "/requeue", "{'reasonContains':'no such reason'}");
    node("none of that age").post(dead + "/drop", "{'olderThan':'1h'}");
    node("no choice made").post(dead + "/drop", "{}");
    node("no choice made").post(dead + "/requeue", "{}");
    if (letters.isEmpty()) {
      throw new IllegalStateException("no dead letters");
    }
  }

  private void operations() {
    client.chapter("queue-operations");
    String queue = "/v1/queues/orders";
    client.manager(Role.VIEWER, "what waits").get(queue + "/peek?limit=2");
    client.manager(Role.VIEWER, "an unknown state").get(queue + "/peek?state=gone");
    client
        .manager(Role.OPERATOR, "paused")
        .post(queue + "/pause", "{'sending':true,'reason':'stocktaking'}");
    await("the pause is known to the load balancer").atMost(SOON).until(this::refusesEvents);
    balanced("a paused queue").post(queue + "/events", "{'n':1}");
    client.manager(Role.OPERATOR, "a pause of nothing").post(queue + "/pause", "{}");
    client.manager(Role.OPERATOR, "resumed").post(queue + "/resume", "{'sending':true}");
    client
        .manager(Role.OPERATOR, "purge without confirmation")
        .post(queue + "/purge", "{'delayed':true}");
    client
        .manager(Role.OPERATOR, "what is delayed is deleted")
        .post(queue + "/purge", "{'confirm':'orders','delayed':true}");
    node("nothing is delayed").post(queue + "/purge", "{'confirm':'orders','delayed':true}");
    node("another name").post(queue + "/purge", "{'confirm':'order','delayed':true}");
    client
        .manager(Role.OPERATOR, "an override")
        .put("/v1/queues/mails/override", "{'maxWorkers':3,'for':'1h','reason':'sale'}");
    client
        .manager(Role.OPERATOR, "an override of nothing")
        .put("/v1/queues/mails/override", "{'for':'1h','reason':'sale'}");
    client
        .manager(Role.OPERATOR, "an override without a reason")
        .put("/v1/queues/mails/override", "{'maxWorkers':3,'for':'1h'}");
    client.manager(Role.OPERATOR, "its end").delete("/v1/queues/mails/override");
    client.manager(Role.OPERATOR, "there is none").delete("/v1/queues/mails/override");
    client.manager(Role.VIEWER, "what was set").get("/v1/queues/mails/overrides");
    reached("orders", view -> view.delayed() == 0 && view.dead() == 1);
    client.manager(Role.VIEWER, "one queue").get(queue);
    client.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing");
    client.manager(Role.VIEWER, "all queues").get("/v1/queues");
    await("a sample of the weights")
        .atMost(SOON)
        .until(
            () ->
                client.look(queue + "/history?minutes=5").findValues("weights").stream()
                    .anyMatch(row -> !row.isEmpty()));
    client.manager(Role.VIEWER, "figures over time").shape().get(queue + "/history?minutes=5");
    client.manager(Role.VIEWER, "too far back").get(queue + "/history?minutes=100000");
    client
        .manager(Role.VIEWER, "a span that ends before it begins")
        .get(queue + "/history?from=2026-03-01T12:00:00Z&to=2026-03-01T11:00:00Z");
    client
        .manager(Role.VIEWER, "two beginnings")
        .get(queue + "/history?from=2026-03-01T12:00:00Z&minutes=5");
    client.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/history");
    client.manager(Role.VIEWER, "weights").get(queue + "/weights");
    client.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/weights");
  }

  private boolean refusesEvents() {
    try {
      client.cluster().producer().send("orders", "probe", "application/json", new byte[] {'['});
      return false;
    } catch (MillraceException e) {
      return e.code() == ErrorCode.QUEUE_PAUSED;
    }
  }

  private void pacing() {
    client.chapter("pacing");
    String queue = "/v1/queues/mails";
    client.manager(Role.VIEWER, "the last decision").get(queue + "/decisions?limit=1");
    client.manager(Role.VIEWER, "a wrong limit").get(queue + "/decisions?limit=0");
    client.manager(Role.VIEWER, "exported").shape().get(queue + "/decisions/export?format=json");
    client.manager(Role.VIEWER, "no such format").get(queue + "/decisions/export?format=xml");
    client.manager(Role.VIEWER, "why so few workers").get(queue + "/explanation?limit=0");
    client.manager(Role.VIEWER, "no such segment").get(queue + "/explanation?node=q9");
    client.manager(Role.VIEWER, "no such queue").get("/v1/queues/nothing/explanation");
    client
        .manager(Role.EXECUTION_NODE, "what a queue manager needs to know")
        .as("e1")
        .post("/v1/pacing/rounds", "{'views':[{'queue':'mails','node':'q1'}]}");
    client
        .manager(Role.EXECUTION_NODE, "a decision of a stale attempt")
        .as("e1")
        .post(
            "/v1/pacing/rounds",
            "{'decisions':[{'queue':'mails','node':'q1','decision':{'attempt':'1.9','start':1,"
                + "'policy':'demand','gate':'NONE','reason':'because'},'secret':'%s'}]}"
                    .formatted(client.cluster().secret(new AttemptId(1, 9))));
    client
        .manager(Role.EXECUTION_NODE, "a decision without the secret of the attempt")
        .as("e1")
        .post(
            "/v1/pacing/rounds",
            "{'decisions':[{'queue':'mails','node':'q1','decision':{'attempt':'1.9','start':1,"
                + "'policy':'demand','gate':'NONE','reason':'because'}}]}");
  }

  private void reached(String queue, Predicate<QueueView> state) {
    await("queue " + queue).atMost(SOON).until(() -> state.test(client.cluster().view(queue)));
  }
}
