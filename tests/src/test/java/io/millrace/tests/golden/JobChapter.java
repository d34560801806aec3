package io.millrace.tests.golden;

import io.millrace.platform.identity.Role;

/** Jobs: submitted, changed, run, searched and explained; fair shares and licences. */
final class JobChapter {
  private final RecordingClient client;

  JobChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    submitting();
    steering();
    running();
    reading();
    shares();
  }

  private RecordingClient.Asked operator(String title) {
    return client.manager(Role.OPERATOR, title);
  }

  private RecordingClient.Asked viewer(String title) {
    return client.manager(Role.VIEWER, title);
  }

  private void submitting() {
    client.chapter("jobs");
    operator("a job with everything")
        .post(
            "/v1/jobs",
            """
            {'name':'full','command':['/bin/echo','hello'],'env':{'COLOUR':'green'},'cwd':'/tmp',
             'slots':2,'cpu':0.5,'memory':'64MB','priority':7,'timeout':'1m','grace':'5s',
             'retry':{'max':2,'backoff':'10s','on':['exit','timeout']},'tags':['night','batch'],
             'share':'reports','pool':'nowhere','notBefore':'2999-01-01T00:00:00Z',
             'deadline':'2999-01-02T00:00:00Z','requires':'memory >= 64MB','hold':true}
            """);
    operator("the least that a job is").post("/v1/jobs", "{'command':['/bin/true'],'hold':true}");
    operator("once for its key")
        .header("Idempotency-Key", "golden-1")
        .post("/v1/jobs", "{'command':['/bin/true'],'hold':true,'name':'keyed'}");
    operator("the key again")
        .header("Idempotency-Key", "golden-1")
        .post("/v1/jobs", "{'command':['/bin/true'],'hold':true,'name':'keyed'}");
    operator("the key with another job")
        .header("Idempotency-Key", "golden-1")
        .post("/v1/jobs", "{'command':['/bin/true'],'hold':true,'name':'other'}");
    operator("an array")
        .post("/v1/jobs", "{'command':['/bin/true'],'hold':true,'name':'many','array':'1-3%2'}");
    operator("after another")
        .post("/v1/jobs", "{'command':['/bin/true'],'name':'later','after':[{'job':3}]}");
    operator("a wrong field").post("/v1/jobs", "{'command':['/bin/true'],'tag':['a']}");
    operator("nothing to run").post("/v1/jobs", "{}");
    operator("not JSON").post("/v1/jobs", "{'command':[");
    operator("no node serves its pool")
        .post("/v1/jobs", "{'command':['/bin/true'],'pool':'nowhere','name':'lost'}");
    operator("two at once")
        .post(
            "/v1/jobs/batch",
            "[{'command':['/bin/true'],'hold':true,'name':'first'},{'command':['/bin/true'],"
                + "'hold':true,'name':'second','pool':'nowhere'}]");
    operator("one of two is wrong")
        .post("/v1/jobs/batch", "[{'command':['/bin/true']},{'command':['/bin/true'],'slots':-1}]");
  }

  private void steering() {
    client.chapter("job-actions");
    operator("a dry run")
        .post("/v1/jobs/actions", "{'verb':'CANCEL','search':'name:first','dryRun':true}");
    operator("cancelled").post("/v1/jobs/actions", "{'verb':'CANCEL','search':'name:first'}");
    operator("no verb").post("/v1/jobs/actions", "{'search':'name:first'}");
    operator("a search that means nothing")
        .post("/v1/jobs/actions", "{'verb':'CANCEL','search':'colour:red'}");
    String held = "/v1/jobs/" + id("second");
    operator("another priority").post(held + "/priority", "{'priority':9}");
    operator("no priority").post(held + "/priority", "{}");
    operator("held already").post(held + "/hold");
    operator("cancelled").post(held + "/cancel");
    operator("cancelled already").post(held + "/cancel");
    operator("tried again").post(held + "/retry");
    operator("held").post(held + "/hold");
    operator("no such job").post("/v1/jobs/987654321/cancel");
    operator("not a number").post("/v1/jobs/x/release");
    operator("the lost one is held").post("/v1/jobs/" + id("lost") + "/hold");
    operator("and released").without("reason").post("/v1/jobs/" + id("lost") + "/release");
    operator("is not held").post("/v1/jobs/" + id("lost") + "/release");
  }

  private long id(String name) {
    return client.look("/v1/jobs?limit=1&name=" + name).at("/jobs/0/id").asLong();
  }

  // Those that run last a second, so that their starts are reported before their ends.
  private void running() {
    client.chapter("job-runs");
    operator("a job that ends well")
        .post("/v1/jobs", "{'command':['/bin/sh','-c','echo hello; sleep 1'],'name':'greeter'}");
    String greeter = "/v1/jobs/" + id("greeter");
    viewer("its end").get(greeter + "/wait?timeout=20s");
    viewer("the job with its attempt").get(greeter);
    viewer("its output").get(greeter + "/logs");
    viewer("no such stream").get(greeter + "/logs?stream=sideways");
    viewer("no such attempt").get(greeter + "/logs?attempt=7");
    operator("is over").post(greeter + "/retry");
    operator("a job that fails")
        .post(
            "/v1/jobs",
            "{'command':['/bin/sh','-c','echo no paper >&2; sleep 1; exit 7'],'name':'printer'}");
    String printer = "/v1/jobs/" + id("printer");
    viewer("its end").get(printer + "/wait?timeout=20s");
    viewer("the job with its attempt").get(printer);
    viewer("its messages").get(printer + "/logs?stream=stderr");
    viewer("no such job").get("/v1/jobs/987654321/wait?timeout=1s");
    viewer("a bad time").get(printer + "/wait?timeout=soon");
    client.chapter("attempts");
    String attempt = "/v1/attempts/" + id("greeter") + ".1";
    client.ask("executor-node", Role.VIEWER, "output").get(attempt + "/logs/stdout");
    client.ask("executor-node", Role.VIEWER, "no such attempt").get("/v1/attempts/9.9/logs/stdout");
    client.ask("executor-node", Role.VIEWER, "not an attempt").get("/v1/attempts/x/logs/stdout");
  }

  private void reading() {
    client.chapter("job-lists");
    viewer("newest first").get("/v1/jobs?limit=2");
    viewer("of a state").get("/v1/jobs?state=succeeded");
    viewer("a search").get("/v1/jobs?search=tag:night");
    viewer("a wrong state").get("/v1/jobs?state=done");
    viewer("a wrong search").get("/v1/jobs?search=colour:red");
    viewer("failures by cause").get("/v1/jobs/failures?search=name:printer");
    viewer("failures of a wrong search").get("/v1/jobs/failures?search=colour:red");
    viewer("an array").get("/v1/jobs/" + id("many"));
    viewer("no such job").get("/v1/jobs/987654321");
    viewer("why it waits").get("/v1/jobs/" + id("lost") + "/explanation");
    viewer("why a held one waits").get("/v1/jobs/" + id("full") + "/explanation");
    viewer("no such job").get("/v1/jobs/987654321/explanation");
  }

  private void shares() {
    client.chapter("shares");
    operator("a share").put("/v1/shares/reports", "{'weight':3}");
    operator("not a weight").put("/v1/shares/reports", "{'weight':-3}");
    viewer("all").get("/v1/shares");
    operator("a licence").put("/v1/licences/solver", "{'total':5}");
    operator("fewer than none").put("/v1/licences/solver", "{'total':-1}");
    viewer("all").get("/v1/licences");
    viewer("what nobody used").get("/v1/usage?by=queue&since=2000-01-01&until=2000-01-02");
    viewer("by something else").get("/v1/usage?by=colour");
    viewer("no period").get("/v1/usage?since=soon");
  }
}
