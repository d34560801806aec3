package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.platform.identity.Role;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that are small and become large, or deep, when they are read. */
class BodyReaderTest {
  @TempDir private Path folder;
  private ServerFixture fixture;

  private record Labels(Map<String, String> labels, Object anything, Role role) {}

  @BeforeEach
  void start() {
    BodyReader strict = BodyReader.strict();
    fixture =
        new ServerFixture(
            folder,
            WebSettings.loopback(0),
            new Health(Map.of()),
            List.of(
                Route.post(
                    "/v1/strict",
                    EnumSet.of(Role.OPERATOR),
                    ctx -> ctx.result("" + size(strict.one(ctx, Labels.class)))),
                Route.post(
                    "/v1/tolerant",
                    EnumSet.of(Role.OPERATOR),
                    ctx -> ctx.result("" + size(Requests.json(ctx, Labels.class))))));
  }

  private static int size(Labels labels) {
    return labels.labels() == null ? 0 : labels.labels().size();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void constantsMayBeWrittenInLowerCase() throws Exception {
    assertThat(post("/v1/strict", "{\"role\":\"viewer\"}").body()).isEqualTo("0");
    accepted("{\"role\":\"VIEWER\"}", 0);
  }

  @Test
  void aDeepBodyIsRefused() throws Exception {
    refused(
        "{\"anything\":" + "[".repeat(100) + "]".repeat(100) + "}",
        "objects and lists inside each other");
    refused("[".repeat(100_000), "objects and lists inside each other");
    refused("{\"a\":".repeat(100_000), "objects and lists inside each other");
    accepted("{\"anything\":" + "[".repeat(99) + "]".repeat(99) + "}", 0);
  }

  @Test
  void aLongNameIsRefused() throws Exception {
    refused("{\"labels\":{\"" + "n".repeat(100_000) + "\":\"x\"}}", "Name of 1024 characters");
    accepted("{\"labels\":{\"" + "n".repeat(500) + "\":\"x\"}}", 1);
  }

  @Test
  void aBodyOfVeryManyValuesIsRefused() throws Exception {
    refused("{\"anything\":[" + "[],".repeat(600_000) + "[]]}", "Token count");
    refused("[" + "[],".repeat(600_000) + "[]]", "");
    String labels =
        IntStream.range(0, 10_000)
            .mapToObj(number -> "\"l" + number + "\":\"x\"")
            .collect(Collectors.joining(","));
    accepted("{\"labels\":{" + labels + "}}", 10_000);
  }

  @Test
  void aLongNumberIsRefused() throws Exception {
    refused("{\"anything\":" + "9".repeat(100_000) + "}", "Number");
  }

  private void refused(String body, String reason) throws Exception {
    for (String path : List.of("/v1/strict", "/v1/tolerant")) {
      HttpResponse<String> answer = post(path, body);
      assertThat(answer.statusCode()).as(path).isEqualTo(400);
      assertThat(Json.mapper().readTree(answer.body()).path("detail").asText()).contains(reason);
    }
  }

  private void accepted(String body, int size) throws Exception {
    for (String path : List.of("/v1/strict", "/v1/tolerant")) {
      HttpResponse<String> answer = post(path, body);
      assertThat(answer.body()).isEqualTo("" + size);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
    }
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return fixture.send(fixture.as(Role.OPERATOR, "POST", path, BodyPublishers.ofString(body)));
  }
}
