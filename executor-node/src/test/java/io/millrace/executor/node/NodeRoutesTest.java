package io.millrace.executor.node;

import static io.millrace.executor.node.NodeDrill.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.http.AttemptLogRoutes;
import io.millrace.executor.http.StatusRoutes.ExecutorStatus;
import io.millrace.platform.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeRoutesTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);

  @TempDir private Path folder;
  private NodeDrill drill;

  @BeforeEach
  void startNode() {
    drill = new NodeDrill(folder);
    drill.start();
  }

  @AfterEach
  void stopNode() {
    drill.close();
  }

  @Test
  void servesTheOutputOfAnEndedAttemptFromAnOffsetOn() throws IOException {
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo 0123456789; echo oops >&2"));
    drill.end(FIRST);

    HttpAnswer output = get("/v1/attempts/1.1/logs/stdout?offset=4", Role.VIEWER);

    assertThat(output.text()).isEqualTo("456789\n");
    assertThat(output.headers())
        .containsEntry(AttemptLogRoutes.OFFSET_HEADER.toLowerCase(Locale.ROOT), "4");
    assertThat(get("/v1/attempts/1.1/logs/stderr", Role.OPERATOR).text()).isEqualTo("oops\n");
  }

  @Test
  void followsTheOutputUntilTheAttemptHasEnded() throws IOException {
    Path go = drill.file("go");
    String script = "echo one; while [ ! -e " + go + " ]; do sleep 0.05; done; echo two";
    drill.cluster.central().place(NodeDrill.shell(FIRST, script));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    HttpCall call = call("/v1/attempts/1.1/logs/stdout?follow=true", Role.OPERATOR);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new UrlTransport().stream(call), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("one");
      drill.touch(go);
      assertThat(lines.readLine()).isEqualTo("two");
      assertThat(lines.readLine()).isNull();
    }
  }

  @Test
  void knowsNothingOfAttemptsThatWereNeverHere() throws IOException {
    HttpAnswer answer = get("/v1/attempts/99.1/logs/stdout", Role.ADMIN);

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text()).contains("UNKNOWN_ATTEMPT");
  }

  @Test
  void takesNoPathForAnAttemptAndNoOtherStream() throws IOException {
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo done"));
    drill.end(FIRST);

    assertThat(get("/v1/attempts/..%2F..%2Fnode-id/logs/stdout", Role.ADMIN).status())
        .isEqualTo(400);
    assertThat(get("/v1/attempts/1.1/logs/assignment.json", Role.ADMIN).status()).isEqualTo(400);
  }

  @Test
  void showsLogsToThoseWhoMayLookOnly() throws IOException {
    drill.cluster.central().place(NodeDrill.shell(FIRST, "echo done"));
    drill.end(FIRST);

    assertThat(get("/v1/attempts/1.1/logs/stdout", Role.PRODUCER).status()).isEqualTo(403);
    assertThat(get("/v1/attempts/1.1/logs/stdout", Role.EXECUTION_NODE).status()).isEqualTo(401);
  }

  @Test
  void tellsItsStatus() throws IOException {
    drill.cluster.central().place(NodeDrill.command(FIRST, "sleep", "600"));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    ExecutorStatus status = get("/v1/status", Role.VIEWER).as(ExecutorStatus.class);

    assertThat(status.name()).isEqualTo("e1");
    assertThat(status.registered()).isTrue();
    assertThat(status.used()).isEqualTo(1);
    assertThat(status.attempts()).containsExactly(FIRST);
    assertThat(Json.write(status)).contains("\"1.1\"");
  }

  private HttpAnswer get(String path, Role role) throws IOException {
    return new UrlTransport().send(call(path, role));
  }

  private HttpCall call(String path, Role role) {
    URI uri = URI.create(drill.node().address() + path);
    return HttpCall.get(uri)
        .with("Authorization", "Bearer " + drill.token(role))
        .with("Connection", "close");
  }
}
