package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Invalid requests about jobs: each is refused with a status, a stable code, and a message that
 * names the field and what to write instead.
 */
class BadJobRequestsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * One invalid request.
   *
   * @param body null for a GET
   * @param words texts that the message must contain
   */
  private record Bad(String path, String body, ErrorCode code, List<String> words) {
    @Override
    public String toString() {
      String shown = body == null ? "GET " + path : "POST " + path + " " + body;
      return shown.length() <= 120 ? shown : shown.substring(0, 119) + "…";
    }
  }

  private static Bad get(String path, String... words) {
    return new Bad(path, null, ErrorCode.INVALID_REQUEST, List.of(words));
  }

  private static Bad post(String path, String body, ErrorCode code, String... words) {
    return new Bad(path, body, code, List.of(words));
  }

  /** A job with fields that are refused. */
  private static Bad job(String fields, String... words) {
    return post("/v1/jobs", with(fields), ErrorCode.INVALID_REQUEST, words);
  }

  private static Bad action(String body, String... words) {
    return post("/v1/jobs/actions", body, ErrorCode.INVALID_REQUEST, words);
  }

  // Single quotes stand for double quotes, which Java would have to escape.
  private static String with(String fields) {
    return "{'command':['/bin/true']" + (fields.isEmpty() ? "" : "," + fields) + "}";
  }

  private static String numbers(int count, String each) {
    return IntStream.range(0, count)
        .mapToObj(i -> each.formatted(i))
        .collect(Collectors.joining(",", "[", "]"));
  }

  static List<Bad> requests() {
    return List.of(
        // Bodies.
        post("/v1/jobs", "", ErrorCode.MALFORMED_BODY, "a request body is required", "JSON object"),
        post("/v1/jobs", "{'command':[", ErrorCode.MALFORMED_BODY, "line 1"),
        post("/v1/jobs", "null", ErrorCode.MALFORMED_BODY, "null"),
        post("/v1/jobs", "[]", ErrorCode.INVALID_REQUEST, "JSON object"),
        post("/v1/jobs", with("") + "x", ErrorCode.MALFORMED_BODY, "line 1"),
        post("/v1/jobs", with("'name':'a','name':'b'"), ErrorCode.MALFORMED_BODY, "name"),
        // Fields that do not exist.
        job("'tag':['a']", "tag:", "did you mean 'tags'?"),
        job("'Priority':3", "Priority:", "did you mean 'priority'?"),
        job("'shell':true", "shell:", "unknown key", "command"),
        job("'retry':{'maxx':1}", "retry", "maxx:", "did you mean 'max'?"),
        job("'notify':{'mail':'a@b'}", "notify", "mail:", "webhook"),
        job("'after':[{'job':1,'how':'OK'}]", "after[0]", "how:", "end"),
        // What to run.
        post("/v1/jobs", "{}", ErrorCode.INVALID_REQUEST, "command:", "either command or program"),
        post("/v1/jobs", "{'command':[]}", ErrorCode.INVALID_REQUEST, "command:"),
        post("/v1/jobs", "{'command':['']}", ErrorCode.INVALID_REQUEST, "command:", "empty"),
        post("/v1/jobs", "{'command':'ls'}", ErrorCode.INVALID_REQUEST, "command:", "list"),
        job("'program':'noop'", "command:"),
        job("'cwd':'here'", "cwd:", "absolute"),
        job("'env':{'1A':'x'}", "env:", "1A"),
        job("'env':['A=1']", "env:", "object"),
        // Numbers, sizes and times.
        job("'slots':'many'", "slots:", "whole number"),
        job("'slots':1.5", "slots:", "whole number"),
        job("'slots':-1", "slots:", "1 to 1000"),
        job("'priority':2000000", "priority:", "-1000000 to 1000000"),
        job("'cpu':0", "cpu:", "0.001 to 10000"),
        job("'memory':'lots'", "memory:", "lots"),
        job("'memory':'12B'", "memory:", "at least 1MB"),
        job("'timeout':'soon'", "timeout:", "soon"),
        job("'timeout':'0s'", "timeout:", "more than 0"),
        job("'grace':'2h'", "grace:", "0s to 1h"),
        job("'notBefore':'tomorrow'", "notBefore:", "tomorrow"),
        job("'deadline':'2001-01-01T00:00:00Z'", "deadline:", "later"),
        job(
            "'notBefore':'2999-01-02T00:00:00Z','deadline':'2999-01-01T00:00:00Z'",
            "deadline:",
            "notBefore"),
        // Where, and with what.
        job("'pool':'My Pool'", "pool:", "a-z"),
        job("'resources':{'gpu':0}", "resources.gpu:", "1 to 1000000"),
        job("'licences':{'a b':1}", "licences:", "letter"),
        job("'requires':'memory >='", "requires"),
        job("'share':'a b'", "share:", "letters"),
        job("'runAs':'Root!'", "runAs:", "user"),
        job("'envFile':'x.env'", "envFile:", "absolute"),
        job("'secrets':{'KEY':'../key'}", "secrets.KEY:", "secrets folder"),
        // Retries, dependencies, lanes, arrays.
        job("'retry':{'max':-1}", "retry", "not be negative"),
        job("'retry':{'max':1,'on':['weather']}", "retry", "weather", "timeout"),
        job("'retry':{'max':1,'exitCodes':[0]}", "retry.exitCodes:", "1 to 255"),
        job("'restart':true,'retry':{'max':1}", "retry:", "restart"),
        job("'failover':'1h'", "failover:", "single or lane"),
        job("'after':[{'job':0}]", "after", "from 1"),
        job("'after':[{'job':987654321}]", "after:", "987654321"),
        job("'lane':'a b'", "lane:", "letters"),
        job("'array':'10-1'", "array", "must not exceed the last"),
        job("'array':'some'", "array", "1-1000%50"),
        job("'array':'1-100000000'", "array", "at most 10000000"),
        job("'array':'1-10','single':'x'", "single:", "array"),
        job("'tags':['Upper']", "tags:", "a-z"),
        job("'tags':" + numbers(21, "'t%d'"), "tags:", "at most 20"),
        job("'notify':{'webhook':'ftp://x'}", "notify.webhook:", "http"),
        job("'input':{'queue':'a','node':'b'}", "input:", "define a queue"),
        // Batches.
        post("/v1/jobs/batch", "[]", ErrorCode.INVALID_REQUEST, "1 to 10000"),
        post("/v1/jobs/batch", with(""), ErrorCode.INVALID_REQUEST, "list"),
        post(
            "/v1/jobs/batch",
            "[" + with("") + "," + with("'slots':-1") + "]",
            ErrorCode.INVALID_REQUEST,
            "[1]",
            "slots:"),
        post(
            "/v1/jobs/batch",
            "[" + with("") + "," + with("'pool':'A B'") + "]",
            ErrorCode.INVALID_REQUEST,
            "[1]",
            "pool:"),
        post(
            "/v1/jobs/batch",
            "[" + with("'nam':'x'") + "]",
            ErrorCode.INVALID_REQUEST,
            "[0]",
            "nam:",
            "did you mean 'name'?"),
        post("/v1/jobs/batch", "[null]", ErrorCode.INVALID_REQUEST, "[0]", "null"),
        post(
            "/v1/jobs/batch",
            numbers(10_001, with("'name':'n%d'")),
            ErrorCode.INVALID_REQUEST,
            "10001",
            "send 1 to 10000"),
        // Actions on many.
        action("{'ids':[1]}", "verb:", "cancel"),
        action("{'verb':'KILL','ids':[1]}", "verb:", "cancel"),
        action("{'verb':'CANCEL'}", "ids:", "search"),
        action("{'verb':'CANCEL','ids':[1],'search':'state:failed'}", "ids:", "search"),
        action("{'verb':'CANCEL','search':'kind:all'}", "search:", "state:waiting"),
        action("{'verb':'CANCEL','search':'colour:red'}", "search:", "colour", "tag"),
        action("{'verb':'PRIORITY','ids':[1]}", "priority:"),
        action("{'verb':'HOLD','ids':[1],'priority':3}", "priority:", "leave it out"),
        action("{'verb':'HOLD','id':1}", "id:", "did you mean 'ids'?"),
        action("{'verb':'HOLD','ids':['one']}", "ids[0]", "one"),
        // Single jobs.
        post("/v1/jobs/0/cancel", "", ErrorCode.INVALID_REQUEST, "id", "from 1"),
        post("/v1/jobs/x/hold", "", ErrorCode.INVALID_REQUEST, "id", "'x'"),
        post("/v1/jobs/987654321/cancel", "", ErrorCode.UNKNOWN_JOB, "987654321"),
        post("/v1/jobs/987654321/release", "", ErrorCode.UNKNOWN_JOB, "987654321"),
        post("/v1/jobs/987654321/priority", "{'priority':1}", ErrorCode.UNKNOWN_JOB, "987654321"),
        post("/v1/jobs/1/priority", "{}", ErrorCode.INVALID_REQUEST, "priority:"),
        post("/v1/jobs/1/priority", "{'value':1}", ErrorCode.INVALID_REQUEST, "value:", "priority"),
        // Lists.
        get("/v1/jobs?state=done", "not a state", "succeeded"),
        get("/v1/jobs?kind=things", "not a kind", "worker"),
        get("/v1/jobs?array=x", "array:", "'x'"),
        get("/v1/jobs?limit=0", "limit", "from 1 to 1000"),
        get("/v1/jobs?before=x", "before", "'x'"),
        get("/v1/jobs?search=state:failed&state=failed", "state:", "twice"),
        get("/v1/jobs?search=colour:red", "colour", "owner"),
        get("/v1/jobs?search=%22open", "double quote"),
        get("/v1/jobs/1/wait?timeout=soon", "timeout", "soon"));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void isRefusedWithAMessageThatNamesTheFieldAndTheFix(Bad bad) throws Exception {
    Problem problem = refusal(ask(bad));
    assertThat(problem.code()).isEqualTo(bad.code().name());
    assertThat(problem.status()).isEqualTo(bad.code().status()).isBetween(400, 499);
    assertThat(problem.detail()).contains(bad.words());
    assertThat(problem.detail().toLowerCase(Locale.ROOT))
        .doesNotContain("exception", "io.millrace", "com.fasterxml", "java.");
  }

  @Test
  void anIdempotencyKeyReusedForAnotherJobIsRefused() throws Exception {
    String key = "bad-requests-1";
    assertThat(submit(key, with("'hold':true")).statusCode()).isEqualTo(201);
    Problem problem = refusal(submit(key, with("'hold':true,'name':'other'")));
    assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT.name());
    assertThat(problem.detail()).contains("Idempotency-Key", key, "use a new key");
    assertThat(refusal(submit("two words", with(""))).detail()).contains("Idempotency-Key");
  }

  @Test
  void anActionThatDoesNotFitTheStateIsRefused() throws Exception {
    long id =
        Json.mapper().readTree(submit(null, with("'hold':true")).body()).path("id").longValue();
    for (String verb : List.of("hold", "retry")) {
      Problem problem = refusal(ask(post("/v1/jobs/" + id + "/" + verb, "", ErrorCode.CONFLICT)));
      assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT.name());
      assertThat(problem.detail()).contains("job " + id);
    }
  }

  @Test
  void aBatchWithAnInvalidJobSubmitsNothing() throws Exception {
    String batch = "[" + with("'name':'lonely','hold':true") + "," + with("'cwd':'x'") + "]";
    refusal(ask(post("/v1/jobs/batch", batch, ErrorCode.INVALID_REQUEST)));
    assertThat(ask(get("/v1/jobs?name=lonely")).body()).contains("\"jobs\":[]");
  }

  private HttpResponse<String> ask(Bad bad) throws Exception {
    HttpRequest.Builder request = request(bad.path());
    if (bad.body() != null) {
      request.POST(BodyPublishers.ofString(bad.body().replace('\'', '"')));
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> submit(String key, String body) throws Exception {
    HttpRequest.Builder request =
        request("/v1/jobs").POST(BodyPublishers.ofString(body.replace('\'', '"')));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(CLUSTER.address().resolve(path))
        .header("Content-Type", "application/json")
        .header(
            "Authorization", "Bearer " + CLUSTER.token(Principal.of(Role.OPERATOR, "operator")));
  }

  private static Problem refusal(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(400, 499);
    Problem problem = Json.read(answer.body(), Problem.class);
    assertThat(problem.status()).isEqualTo(answer.statusCode());
    return problem;
  }
}
