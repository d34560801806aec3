package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.identity.Role;
import java.time.Duration;

/** Nodes: their requests to a central manager, and the requests of operators. */
final class NodeChapter {
  private static final String FAKE = "00000000-0000-0000-0000-0000000000e9";
  private static final String BEFORE = "?incarnation=1&sequence=9";

  private final RecordingClient client;
  private int sequence;

  NodeChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    agent();
    operators();
    queueNodes();
    servers();
    backup();
  }

  private void backup() {
    client.chapter("backup");
    admin("the central database").first(1).get("/v1/backup/central");
    admin("a store").shape().get("/v1/backup/stores/q1");
    admin("no such node").get("/v1/backup/stores/q8");
    admin("its events").shape().get("/v1/backup/stores/q1/orders?after=0&upTo=1");
    client.ask("queue-node", Role.ADMIN, "its store").shape().get("/v1/store");
    client
        .ask("queue-node", Role.ADMIN, "its events")
        .shape()
        .get("/v1/store/orders/events?after=0&upTo=1");
  }

  private void sampled(String path) {
    await("a sample of " + path)
        .atMost(Duration.ofSeconds(60))
        .until(() -> !client.look(path).get("samples").isEmpty());
    viewer("figures over time").shape().get(path);
  }

  private RecordingClient.Asked admin(String title) {
    return client.manager(Role.ADMIN, title);
  }

  private RecordingClient.Asked node(String title) {
    return client.manager(Role.EXECUTION_NODE, title).as("e9", FAKE);
  }

  /** The path with the sequence number of a node's request. */
  private String numbered(String path) {
    return path + "?incarnation=2&sequence=" + ++sequence;
  }

  private RecordingClient.Asked operator(String title) {
    return client.manager(Role.OPERATOR, title);
  }

  private RecordingClient.Asked viewer(String title) {
    return client.manager(Role.VIEWER, title);
  }

  private void agent() {
    client.chapter("agents");
    node("a node registers")
        .post(
            numbered("/v1/execution-nodes"),
            "{'id':'%s','name':'e9','address':'http://127.0.0.1:1','capacity':{'slots':1},"
                    .formatted(FAKE)
                + "'pools':['golden'],'attributes':{'rack':'r1'},'version':'golden','live':[]}");
    node("without a name").post(numbered("/v1/execution-nodes"), "{'id':'" + FAKE + "'}");
    String path = "/v1/execution-nodes/" + FAKE;
    // Whether a poll is stored depends on timing; a registration always is.
    node("a poll before it").post(path + "/poll" + BEFORE, "{'held':[],'patience':'0s'}");
    node("a goodbye before it").delete(path + BEFORE);
    node("a poll without a number").post(path + "/poll", "{'held':[],'patience':'0s'}");
    JsonNode job =
        operator("a job for it")
            .post("/v1/jobs", "{'command':['/bin/true'],'pool':'golden','name':'fake'}");
    String attempt = job.path("id").asLong() + ".1";
    node("work").post(numbered(path + "/poll"), "{'held':[],'patience':'10s','accepting':true}");
    node("nothing more")
        .post(
            numbered(path + "/poll"),
            "{'held':['" + attempt + "'],'patience':'0s','accepting':true}");
    node("a node that nobody knows")
        .post(
            numbered("/v1/execution-nodes/00000000-0000-0000-0000-0000000000e8/poll"),
            "{'held':[]}");
    node("not an id").post(numbered("/v1/execution-nodes/x/poll"), "{'held':[]}");
    node("it runs").post(path + "/reports", report(attempt, "'ended':false"));
    node("it has ended")
        .post(
            path + "/reports",
            report(
                attempt,
                "'ended':true,'outcome':'FAILED','exitCode':3,'stderrTail':'no paper',"
                    + "'runMillis':1200"));
    node("a stale attempt").post(path + "/reports", report("1.9", "'ended':false"));
    viewer("what became of it").get("/v1/jobs/" + job.path("id").asLong());
  }

  private static String report(String attempt, String rest) {
    return "{'reports':[{'attempt':'%s',%s}]}".formatted(attempt, rest);
  }

  private void operators() {
    client.chapter("execution-nodes");
    viewer("all").get("/v1/execution-nodes");
    viewer("one").get("/v1/execution-nodes/e9");
    viewer("no such node").get("/v1/execution-nodes/e8");
    sampled("/v1/execution-nodes/e1/history");
    viewer("no such node").get("/v1/execution-nodes/e8/history");
    String path = "/v1/execution-nodes/e9";
    operator("drained").post(path + "/drain", "{'duration':'1h','reason':'new disk'}");
    operator("at work again").post(path + "/undrain");
    operator("nothing to allow").post(path + "/allow", "{'definition':'mails'}");
    operator("away").post(path + "/maintenance", "{'duration':'5m','reason':'new disk'}");
    operator("away for no time").post(path + "/maintenance", "{'duration':'0s'}");
    operator("at work again").post(path + "/undrain");
    operator("no such node").post("/v1/execution-nodes/e8/drain");
    node("goodbye").delete(numbered("/v1/execution-nodes/" + FAKE));
    node("goodbye of nobody")
        .delete(numbered("/v1/execution-nodes/00000000-0000-0000-0000-0000000000e8"));
  }

  private void queueNodes() {
    client.chapter("queue-nodes");
    viewer("all").get("/v1/queue-nodes");
    viewer("one").get("/v1/queue-nodes/q1");
    viewer("no such node").get("/v1/queue-nodes/q8");
    sampled("/v1/queue-nodes/q1/history");
    viewer("no such node").get("/v1/queue-nodes/q8/history");
    operator("away").post("/v1/queue-nodes/q1/maintenance", "{'duration':'5m','reason':'disk'}");
    operator("back").post("/v1/queue-nodes/q1/undrain");
    operator("drained").post("/v1/queue-nodes/q1/drain", "{'reason':'new disk'}");
    await("the node says that nobody takes its weight")
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.look("/v1/queue-nodes/q1").has("shortage"));
    operator("at work again").post("/v1/queue-nodes/q1/undrain");
    await("the node says no more that nobody takes its weight")
        .atMost(Duration.ofSeconds(30))
        .until(() -> !client.look("/v1/queue-nodes/q1").has("shortage"));
    operator("no such node").post("/v1/queue-nodes/q8/drain");
    operator("not a lost one").delete("/v1/queue-nodes/q1");
    operator("no such node").delete("/v1/queue-nodes/q8");
  }

  /** Nodes that register without existing: last, because points would move to them. */
  void playNewNodes() {
    client.chapter("reports");
    client
        .manager(Role.QUEUE_NODE, "a queue node reports")
        .as("q9", "00000000-0000-0000-0000-0000000000a9")
        .post(
            numbered("/v1/queue-nodes/00000000-0000-0000-0000-0000000000a9/report"),
            "{'id':'00000000-0000-0000-0000-0000000000a9','name':'q9',"
                + "'address':'http://127.0.0.1:1','capacity':1,'configuredCapacity':1,"
                + "'load':{'state':'IDLE','load':0.1,'cpu':0.1,'store':0.1},'segments':[]}");
    client
        .manager(Role.QUEUE_NODE, "a name that another has")
        .as("q8", "00000000-0000-0000-0000-0000000000a8")
        .post(
            numbered("/v1/queue-nodes/00000000-0000-0000-0000-0000000000a8/report"),
            "{'id':'00000000-0000-0000-0000-0000000000a8','name':'q1',"
                + "'address':'http://127.0.0.1:1','capacity':1,'configuredCapacity':1,"
                + "'load':{'state':'IDLE','load':0.1,'cpu':0.1,'store':0.1},'segments':[]}");
    client
        .manager(Role.LOAD_BALANCER, "a load balancer reports")
        .as("lb9", "00000000-0000-0000-0000-0000000000b9")
        .post(
            numbered("/v1/load-balancers/00000000-0000-0000-0000-0000000000b9/report"),
            "{'id':'00000000-0000-0000-0000-0000000000b9','name':'lb9',"
                + "'address':'http://127.0.0.1:1','accepted':3,'refused':1}");
    client
        .manager(Role.LOAD_BALANCER, "a load balancer that never reported stops")
        .as("lb8", "00000000-0000-0000-0000-0000000000b8")
        .delete(numbered("/v1/load-balancers/00000000-0000-0000-0000-0000000000b8"));
    client
        .manager(Role.LOAD_BALANCER, "a load balancer stops")
        .as("lb9", "00000000-0000-0000-0000-0000000000b9")
        .delete(numbered("/v1/load-balancers/00000000-0000-0000-0000-0000000000b9"));
    client.chapter("weights");
    client
        .manager(Role.QUEUE_NODE, "points that are not there")
        .as("q1")
        .post("/v1/weights/moves", move("00000000-0000-0000-0000-000000000001", 1, 2000));
    client
        .manager(Role.QUEUE_NODE, "points move")
        .as("q1")
        .post("/v1/weights/moves", move("00000000-0000-0000-0000-000000000002", 1, 100));
    client
        .manager(Role.QUEUE_NODE, "a version that is over")
        .as("q1")
        .post("/v1/weights/moves", move("00000000-0000-0000-0000-000000000003", 1, 100));
    viewer("the row").get("/v1/queues/spare/weights");
    viewer("what was decided").get("/v1/balancing/decisions?queue=spare");
    viewer("a wrong limit").get("/v1/balancing/decisions?limit=0");
  }

  private static String move(String id, int version, int points) {
    return """
        {'id':'%s','node':'q1','kind':'SHED','policy':'measured','reason':'too much',
         'moves':[{'queue':'spare','version':%d,'from':'q1','to':'q9','points':%d}],'inputs':{}}
        """
        .formatted(id, version, points);
  }

  private void servers() {
    for (String server : client.cluster().servers().keySet()) {
      client.chapter("health");
      client.ask(server, null, "alive").get("/livez");
      client.ask(server, null, "ready").get("/readyz");
      client.ask(server, null, "for a signed call").shape().get("/v1/nonce");
      client.ask(server, Role.VIEWER, "no such path").get("/v1/nothing");
    }
    client.chapter("health");
    client.ask("executor-node", Role.VIEWER, "what it does").get("/v1/status");
    client.chapter("overview");
    await("the job without a node is a problem by now")
        .atMost(Duration.ofSeconds(60))
        .until(() -> !client.look("/v1/problems").isEmpty());
    await("the overview, which is up to a second old, has no shortage any more")
        .atMost(Duration.ofSeconds(60))
        .until(() -> client.look("/v1/overview").findValues("shortage").isEmpty());
    viewer("the whole cluster").shape().get("/v1/overview");
    client.manager(Role.PRODUCER, "where to send").get("/v1/load-balancers");
    viewer("for followers").shape().get("/v1/topology");
    viewer("at once, which is for nodes").get("/v1/topology?fresh=true");
    viewer("as it changes").first(12).get("/v1/stream");
    viewer("what to look at").shape().get("/v1/problems");
    viewer("what has ended").shape().get("/v1/problems/ended?limit=1");
    String silences = "/v1/problems/silences";
    operator("known and being repaired")
        .post(
            silences,
            "{'code':'DISK_FULL','subject':'e9','duration':'1h','reason':'new disks come'}");
    operator("no such problem").post(silences, "{'code':'FULL','duration':'1h','reason':'none'}");
    viewer("what is silenced").get(silences);
    JsonNode silence = client.look(silences).get(0);
    operator("repaired").delete(silences + "/" + silence.get("id").asLong());
    operator("no such silence").delete(silences + "/987654321");
  }
}
