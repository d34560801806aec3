package io.millrace.tests.cluster;

import static io.millrace.tests.cluster.Jobs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobState;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A followed log when the session of its reader ends. */
@Timeout(120)
class EndedSessionLogTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @TempDir Path folder;
  private final HttpClient browser =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Test
  void nothingWrittenAfterTheLogOutIsRead() throws Exception {
    Jobs jobs = new Jobs(CLUSTER.central(Role.OPERATOR));
    Path next = folder.resolve("next");
    long job =
        jobs.submit(shell("echo before; while [ ! -e $1 ]; do sleep 0.1; done; echo after", next));
    jobs.reached(job, JobState.RUNNING, 1);
    String session = logIn();
    try (InputStream log = follow(job, session)) {
      assertThat(text(log.readNBytes("before\n".length()))).isEqualTo("before\n");
      assertThat(send(request("/v1/logout").header("Cookie", session), "").statusCode())
          .isEqualTo(204);

      Files.createFile(next);

      assertThat(text(log.readAllBytes())).isEmpty();
    }
    jobs.ended(job);
    assertThat(jobs.output(job, 0, "stdout")).isEqualTo("before\nafter\n");
  }

  private InputStream follow(long job, String session) throws Exception {
    HttpResponse<InputStream> answer =
        browser.send(
            request("/v1/jobs/" + job + "/logs?follow=true").header("Cookie", session).build(),
            BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }

  /** The session's cookie. */
  private String logIn() throws Exception {
    String token = TokenFiles.read(CLUSTER.tokenFile(Role.VIEWER));
    HttpResponse<String> answer =
        send(
            request("/v1/login").header("Content-Type", "application/json"),
            "{\"token\":\"" + token + "\"}");
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.headers().firstValue("Set-Cookie").orElseThrow().replaceAll(";.*", "");
  }

  private HttpResponse<String> send(HttpRequest.Builder request, String body) throws Exception {
    return browser.send(
        request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(CLUSTER.address().resolve(path));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
