package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.identity.Role;
import java.time.Duration;

/** Tasks, their runs and chunks; groups that share resources. */
final class TaskChapter {
  private static final String REPORT =
      "{kind: task, name: report, schedule: {cron: 30 4 1 1 *, zone: Europe/Amsterdam},"
          + " job: {command: [/bin/true]}, chunks: {list: [a]}}";
  private static final String STUCK =
      "{kind: task, name: stuck, schedule: {cron: 30 4 1 1 *}, job: {command: [/bin/true],"
          + " requires: memory >= 64TB}, chunks: {list: [a, b, c]}}";

  private final RecordingClient client;

  TaskChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    tasks();
    chunks();
    partitions();
  }

  private RecordingClient.Asked operator(String title) {
    return client.manager(Role.OPERATOR, title);
  }

  private RecordingClient.Asked viewer(String title) {
    return client.manager(Role.VIEWER, title);
  }

  private void tasks() {
    client.chapter("tasks");
    for (String yaml : new String[] {REPORT, STUCK}) {
      operator("a task")
          .post("/v1/definitions", "{'files':[{'name':'golden.yaml','text':'" + yaml + "'}]}");
    }
    JsonNode run = operator("run now").post("/v1/tasks/report/run");
    String path = "/v1/task-runs/" + run.path("id").asLong();
    viewer("its end").get(path + "/wait?timeout=20s");
    viewer("the run").get(path);
    viewer("no such run").get("/v1/task-runs/987654321");
    viewer("no such run").get("/v1/task-runs/987654321/wait");
    operator("a run that is over").post(path + "/stop");
    operator("nothing failed").post(path + "/retry");
    operator("no such task").post("/v1/tasks/nothing/run");
    operator("a variable that the platform sets")
        .post("/v1/tasks/report/run", "{'env':{'MILLRACE_TASK':'x'}}");
    operator("paused").post("/v1/tasks/report/pause", "{'reason':'holidays','duration':'1h'}");
    operator("not while it is paused").post("/v1/tasks/report/run");
    operator("a pause of no length").post("/v1/tasks/report/pause", "{'duration':'0s'}");
    operator("resumed").post("/v1/tasks/report/resume");
    operator("no such task").post("/v1/tasks/nothing/resume");
    operator("no such task").post("/v1/tasks/nothing/pause");
    viewer("all").get("/v1/tasks");
    viewer("one").get("/v1/tasks/report");
    viewer("no such task").get("/v1/tasks/nothing");
    viewer("its next times").get("/v1/tasks/report/next?count=2");
    viewer("too many times").get("/v1/tasks/report/next?count=1000");
    viewer("its runs").get("/v1/tasks/report/runs");
    viewer("no such task").get("/v1/tasks/nothing/runs");
    operator("a number").post("/v1/tasks/report/counter/next");
    operator("some numbers").post("/v1/tasks/report/counter/next?count=5");
    operator("no such task").post("/v1/tasks/nothing/counter/next");
    viewer("what a schedule means").post("/v1/schedules/preview", "{'cron':'*/15 9-17 * * 1-5'}");
    viewer("not a schedule").post("/v1/schedules/preview", "{'cron':'every day'}");
  }

  private void chunks() {
    client.chapter("chunks");
    JsonNode run = operator("a run whose workers find no node").post("/v1/tasks/stuck/run");
    long id = run.path("id").asLong();
    String path = "/v1/task-runs/" + id;
    atWork(path);
    long job = client.cluster().central().tasks().details(id).run().manager();
    AttemptId manager = new AttemptId(job, 1);
    JsonNode first = operator("the first that nobody has").post(path + "/chunks/next?lease=5m");
    JsonNode second = operator("the next").post(path + "/chunks/next?lease=5m");
    operator("done").post(chunk(path, first) + "/done", token(first));
    operator("the first of all is with a worker").post(path + "/chunks/0/done", "{'token':'x'}");
    operator("no token").post(chunk(path, first) + "/failed", "{}");
    operator("failed").post(chunk(path, second) + "/failed", token(second));
    operator("one for good").post(path + "/chunks/next?once=true");
    operator("no such run").post("/v1/task-runs/987654321/chunks/next");
    operator("a lease of no time").post(path + "/chunks/next?lease=soon");
    client
        .manager(Role.EXECUTION_NODE, "what its task manager needs to know")
        .as("e1")
        .secret(client.cluster().secret(manager))
        .get(path + "/conduct?attempt=" + manager);
    client
        .manager(Role.EXECUTION_NODE, "not its task manager")
        .as("e1")
        .secret(client.cluster().secret(new AttemptId(1, 9)))
        .get(path + "/conduct?attempt=1.9");
    client
        .manager(Role.EXECUTION_NODE, "no secret")
        .as("e1")
        .get(path + "/conduct?attempt=" + manager);
    client
        .manager(Role.EXECUTION_NODE, "no such run")
        .as("e1")
        .secret(client.cluster().secret(manager))
        .get("/v1/task-runs/987654321/conduct?attempt=" + manager);
    client
        .manager(Role.EXECUTION_NODE, "a step of a stale attempt")
        .as("e1")
        .secret(client.cluster().secret(new AttemptId(1, 9)))
        .post(path + "/conduct", "{'attempt':'1.9','kind':'NOTE','reason':'because'}");
    client
        .manager(Role.EXECUTION_NODE, "a step of nobody")
        .as("e1")
        .post(path + "/conduct", "{'kind':'NOTE'}");
    operator("stopped").post(path + "/stop");
    viewer("its end").get(path + "/wait?timeout=20s");
    operator("what was stopped is done again").post(path + "/retry");
    atWork(path);
    operator("stopped").post(path + "/stop");
    operator("no such run").post("/v1/task-runs/987654321/stop");
    operator("no such run").post("/v1/task-runs/987654321/retry");
  }

  // A worker has the first chunk and waits for a node with enough memory.
  private void atWork(String path) {
    await("a worker of the run waits")
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.look(path).at("/run/running").asInt() == 1);
  }

  private static String chunk(String path, JsonNode chunk) {
    return path + "/chunks/" + chunk.path("position").asLong();
  }

  private static String token(JsonNode chunk) {
    return "{'token':'" + chunk.path("token").asText() + "','reason':'because'}";
  }

  private void partitions() {
    client.chapter("partitions");
    String group = "/v1/partitions/mailboxes";
    JsonNode anna = member("joins").post(group + "/members", "{'name':'anna','ttl':'10m'}");
    member("joins, too").post(group + "/members", "{'name':'bert','ttl':'10m'}");
    member("not a name").post(group + "/members", "{'name':'A B'}");
    long term = anna.path("term").asLong();
    member("goes on being a member")
        .post(group + "/members", "{'name':'anna','ttl':'10m','term':" + term + "}");
    member("a term that is over").post(group + "/members", "{'name':'anna','term':987654321}");
    String who = "'member':'anna','term':" + term;
    String all = "'resources':['m1','m2','m3','m4','m5','m6']";
    member("hers by who lives now").post(group + "/mine", "{" + who + "," + all + "}");
    member("no such member").post(group + "/mine", "{'member':'zoe','term':1," + all + "}");
    JsonNode next =
        member("a cycle begins")
            .post(group + "/next", "{" + who + "," + all + ",'interval':'1h','most':10}");
    member("all of them are done")
        .post(
            group + "/next",
            "{%s,'cycle':%d,'done':%s,'most':1}"
                .formatted(
                    who,
                    next.path("cycle").asLong(),
                    next.path("resources").toString().replace('"', '\'')));
    member("resources without an interval").post(group + "/next", "{" + who + "," + all + "}");
    member("no such group").post("/v1/partitions/nothing/next", "{" + who + "}");
    viewer("all").get("/v1/partitions");
    viewer("one").get(group);
    viewer("no such group").get("/v1/partitions/nothing");
    member("leaves without a term").delete(group + "/members/bert");
    member("leaves").delete(group + "/members/anna?term=" + term);
  }

  private RecordingClient.Asked member(String title) {
    return client.manager(Role.PRODUCER, title);
  }
}
