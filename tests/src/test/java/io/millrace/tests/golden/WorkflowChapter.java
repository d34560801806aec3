package io.millrace.tests.golden;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.Map;

/** Workflows: submitted in parts, run, read, tried again, controlled and deleted. */
final class WorkflowChapter {
  // Long enough for a sample of their memory, which is taken about once a second.
  // Two steps that succeed one after the other, one that fails, and one that never starts.
  private static final String RELEASE =
      """
      {'name':'release','arguments':{'version':'1.10'},'templates':{
       'build':{'listed':true,'job':{'command':['/bin/sh','-c','echo $1 of $2; sleep 1.5','build',
        '{target}','{workflow.version}']}},
       'publish':{'needs':[{'of':'build'}],'job':{'command':['/bin/sh','-c',
        'echo no access to the archive >&2; sleep 1; exit 3']}},
       'announce':{'needs':[{'of':'publish'}],'job':{'command':['/bin/true']}}}}
      """;

  // The two steps without listed ones before them have the numbers 0 and 1.
  private static final String STEPS =
      "{'first':2,'steps':[{'name':'library','template':'build','arguments':{'target':'library'}},"
          + "{'name':'server','template':'build','arguments':{'target':'server'},'needs':[2]}]}";

  private final RecordingClient client;

  WorkflowChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    client.chapter("workflows");
    String release = submitting();
    reading(release);
    ending(release);
    client.chapter("workflow-actions");
    controlling();
    client.chapter("workflow-lists");
    lists();
  }

  private RecordingClient.Asked operator(String title) {
    return client.manager(Role.OPERATOR, title);
  }

  private RecordingClient.Asked viewer(String title) {
    return client.manager(Role.VIEWER, title);
  }

  private String submitting() {
    String submission =
        "{'workflow':%s,'runKey':'build-7','listedSteps':2,'identity':'%s'}"
            .formatted(RELEASE, identity("build-7"));
    JsonNode begun =
        operator("begun").header("Idempotency-Key", "golden-2").post("/v1/workflows", submission);
    String path = "/v1/workflows/" + begun.path("id").asLong();
    operator("again, because the answer was lost")
        .header("Idempotency-Key", "golden-2")
        .post("/v1/workflows", submission);
    operator("the same again continues it").post("/v1/workflows", submission);
    operator("a placeholder that nothing fills")
        .post(
            "/v1/workflows",
            "{'workflow':{'name':'wrong','templates':"
                + "{'one':{'job':{'command':['cp','{file}']}}}}}");
    operator("an unknown key")
        .post("/v1/workflows", "{'workflow':{'name':'wrong','tamplates':{}}}");
    operator("its steps are missing").post(path + "/commit");
    operator("no steps").post(path + "/steps", "{'first':2,'steps':[]}");
    operator("its steps").post(path + "/steps", STEPS);
    operator("again, because the answer was lost").post(path + "/steps", STEPS);
    operator("a step too many")
        .post(path + "/steps", "{'first':4,'steps':[{'name':'client','template':'build'}]}");
    viewer("its graph is not known yet").get(path + "/graph");
    viewer("nor are the needs of its steps").get(path + "/needs");
    operator("the end of the submission").post(path + "/commit");
    viewer("its end").get(path + "/wait?timeout=30s");
    return path;
  }

  private static String identity(String runKey) {
    WorkflowGraph graph =
        WorkflowGraph.of(Json.read(RELEASE.replace('\'', '"'), WorkflowSpec.class));
    StepHandle library = graph.step("library", "build", Map.of("target", "library"));
    graph.step("server", "build", Map.of("target", "server")).needs(library);
    return graph.identity(runKey);
  }

  private void reading(String path) {
    viewer("the workflow with its templates").get(path);
    viewer("no such workflow").get("/v1/workflows/987654321");
    viewer("its templates as a graph").get(path + "/graph");
    viewer("its steps").get(path + "/steps");
    viewer("some of its steps").get(path + "/steps?template=build&after=2&limit=1");
    viewer("its failed steps").get(path + "/steps?state=failed");
    viewer("a wrong state").get(path + "/steps?state=done");
    viewer("no such template").get(path + "/steps?template=deploy");
    viewer("a step that succeeded").get(path + "/steps/server");
    viewer("a step that failed").get(path + "/steps/publish");
    viewer("a step that never started").get(path + "/steps/announce");
    viewer("no such step").get(path + "/steps/client");
    viewer("its failed steps by cause").get(path + "/errors");
    viewer("what its steps asked for and used").get(path + "/resources");
    viewer("what the steps of no template used").get(path + "/resources?template=deploy");
    viewer("what its steps need").get(path + "/needs");
    viewer("what single steps used").shape().get(path + "/usage");
    viewer("what single steps of no template used").get(path + "/usage?template=deploy");
    viewer("its longest chain").get(path + "/critical-path");
    viewer("its longest chain of templates").get(path + "/critical-path?level=templates");
    viewer("a chain of something else").get(path + "/critical-path?level=jobs");
    viewer("what ran when").shape().get(path + "/timeline");
  }

  private void ending(String path) {
    operator("tried again").post(path + "/retry");
    operator("tried again while it runs").post(path + "/retry");
    viewer("its second end").get(path + "/wait?timeout=30s");
    operator("a step is set back").post(path + "/reset", "{'steps':['publish']}");
    viewer("its third end").get(path + "/wait?timeout=30s");
    operator("a step that does not exist is set back").post(path + "/reset", "{'steps':['9']}");
    operator("no step is set back").post(path + "/reset", "{}");
    operator("an end is declared")
        .post(
            path + "/set-status",
            "{'steps':['publish'],'to':'succeeded','reason':'published by hand'}");
    operator("an end that is none")
        .post(path + "/set-status", "{'steps':['publish'],'to':'waiting'}");
    await("the declared end has been carried out")
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.look(path).at("/workflow/progress/succeeded").asInt() == 3);
    viewer("who declared it").get(path + "/steps/publish");
    operator("the run failed all the same").post(path + "/set-status", "{'to':'failed'}");
    operator("archived").post(path + "/archive");
    viewer("archived workflows").get("/v1/workflows?archived=true");
    operator("out of the archive").post(path + "/unarchive");
    viewer("what operators did to it").get(path + "/history");
    operator("a pause of what is over").post(path + "/pause");
    operator("cancelled when it is over").post(path + "/cancel");
    operator("deleted").delete(path);
    operator("deleted already").delete(path);
  }

  // Its steps find no node, so that it goes on until it is cancelled.
  private void controlling() {
    JsonNode begun =
        operator("a workflow without listed steps")
            .post(
                "/v1/workflows",
                "{'workflow':{'name':'idle','templates':{'compare':{'job':"
                    + "{'command':['compare','{part}'],'pool':'unserved'},"
                    + "'each':{'part':['a','b','c']}}}}}");
    String path = "/v1/workflows/" + begun.path("id").asLong();
    await("its steps wait for a node")
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.look(path).at("/workflow/progress/released").asInt() == 3);
    viewer("a step that waits for a node").get(path + "/steps/compare%5Bb%5D");
    operator("paused").post(path + "/pause");
    operator("resumed").post(path + "/resume");
    operator("one template resumed").post(path + "/resume?template=compare");
    operator("at most two steps at the same time").post(path + "/limit", "{'maxRunning':2}");
    operator("of one template at most one")
        .post(path + "/limit", "{'maxRunning':1,'template':'compare'}");
    operator("any number").post(path + "/limit", "{}");
    operator("no such template").post(path + "/limit", "{'maxRunning':1,'template':'deploy'}");
    operator("fewer than none").post(path + "/limit", "{'maxRunning':-1}");
    viewer("not over yet").get(path + "/wait?timeout=0s");
    operator("not while it runs").delete(path);
    operator("cancelled").post(path + "/cancel");
    viewer("its end").get(path + "/wait?timeout=30s");
    operator("no such workflow").post("/v1/workflows/987654321/cancel");
    operator("not a number").post("/v1/workflows/x/pause");
  }

  private void lists() {
    viewer("newest first").get("/v1/workflows?limit=5");
    viewer("of two states and a name").get("/v1/workflows?state=failed,cancelled&name=idle");
    viewer("older ones").get("/v1/workflows?before=1");
    viewer("a wrong state").get("/v1/workflows?state=done");
  }
}
