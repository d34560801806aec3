package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobDraft;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Values of environment variables and standard input are for those who may submit jobs. */
class ViewersSeeNoSecretsTest {
  private static final String SECRET = "hunter2";

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void noRouteShowsAViewerTheValueOfAVariableOrTheInputOfAJob() throws Exception {
    apply(SECRET + "-old");
    apply(SECRET);
    long job =
        CLUSTER
            .central()
            .submit(
                JobDraft.command("true")
                    .env(Map.of("TOKEN", SECRET))
                    .stdin("password: " + SECRET)
                    .pool("nowhere")
                    .spec())
            .id();
    List<String> shown = new ArrayList<>();
    List<String> operatorSees = new ArrayList<>();
    for (Route route : CLUSTER.servers().get("manager").routes()) {
      // The stream never ends; it sends what the overview shows.
      boolean ends = !route.path().equals("/v1/stream");
      if (ends && route.method().equals("GET") && route.roles().contains(Role.VIEWER)) {
        for (String path : paths(route, job)) {
          if (answer(Role.VIEWER, path).contains(SECRET)) {
            shown.add(path);
          }
          if (answer(Role.OPERATOR, path).contains(SECRET)) {
            operatorSees.add(path);
          }
        }
      }
    }
    CLUSTER.central().cancel(job);
    assertThat(shown).isEmpty();
    assertThat(operatorSees)
        .contains(
            "/v1/jobs/" + job,
            "/v1/queues/masked",
            "/v1/tasks/masked",
            "/v1/definitions/queue/masked",
            "/v1/definitions/queue/masked/history",
            "/v1/topology");
  }

  private static void apply(String secret) {
    String queue =
        """
        kind: queue
        name: masked
        minSegments: 1
        worker:
          command: ["true"]
          env:
            TOKEN: %s
        """;
    String task =
        """
        kind: task
        name: masked
        schedule: {cron: "0 0 1 1 *"}
        job:
          command: ["true"]
          env: {TOKEN: %s}
        """;
    CLUSTER
        .central()
        .apply(
            new ApplyRequest(
                List.of(
                    new SourceFile("queue.yaml", queue.formatted(secret)),
                    new SourceFile("task.yaml", task.formatted(secret))),
                false));
  }

  /** The route for what was made above, for each kind that its path may name. */
  private static List<String> paths(Route route, long job) {
    String path = route.path().replace("{id}", Long.toString(job)).replace("{queue}", "masked");
    if (path.contains("{kind}")) {
      return List.of(
          path.replace("{kind}", "queue").replace("{name}", "masked"),
          path.replace("{kind}", "task").replace("{name}", "masked"));
    }
    String one = path.replaceAll("\\{[a-z]+}", "masked");
    // It is not waited for.
    return List.of(one.endsWith("/wait") ? one + "?timeout=0s" : one);
  }

  private static String answer(Role role, String path) throws Exception {
    ApiClient client = CLUSTER.api(CLUSTER.address(), role);
    try (InputStream in = client.stream(HttpCall.get(URI.create(path)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (MillraceException e) {
      return e.getMessage();
    }
  }
}
