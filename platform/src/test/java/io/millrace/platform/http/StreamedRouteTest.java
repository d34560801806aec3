package io.millrace.platform.http;

import static io.millrace.platform.openapi.RouteDescription.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies of any size, and refusals that say when to come back. */
class StreamedRouteTest {
  private static final Set<Role> ADMINS = Set.of(Role.ADMIN);
  private static final int LONG = 20 << 20;

  private static final RequestParameter<String> CODE =
      RequestParameter.pathText("code", "the refusal");

  @TempDir Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    WebSettings settings =
        new WebSettings(
            "127.0.0.1", 0, false, List.of(), new DataSize(1000), 99, 99, Optional.empty());
    List<Route> routes =
        List.of(
            Route.post(
                    "/v1/length",
                    ADMINS,
                    ctx -> {
                      try (InputStream body = Requests.stream(ctx)) {
                        ctx.result("size " + body.transferTo(OutputStream.nullOutputStream()));
                      }
                    })
                .streamed(),
            Route.post(
                    "/v1/refusals/{code}",
                    ADMINS,
                    ctx -> {
                      throw new MillraceException(
                          ErrorCode.valueOf(Requests.value(ctx, CODE)), "no");
                    })
                .described(named("refuse", "Refuses").reads(CODE))
                .streamed(),
            Route.get(
                    "/v1/refusals/{code}",
                    ADMINS,
                    ctx -> {
                      throw new MillraceException(
                          ErrorCode.valueOf(Requests.value(ctx, CODE)), "no");
                    })
                .described(named("refused", "Refuses").reads(CODE)));
    fixture = new ServerFixture(folder, settings, new Health(Map.of()), routes);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void streamedRouteTakesBodiesAboveTheServersLimit() throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture.as(
                Role.ADMIN, "POST", "/v1/length", BodyPublishers.ofByteArray(new byte[LONG])));
    assertThat(answer.body()).isEqualTo("size " + LONG);
  }

  @Test
  void refusalReachesTheClientThatStillWrites() throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture.as(
                Role.ADMIN,
                "POST",
                "/v1/refusals/QUEUE_FULL",
                BodyPublishers.ofByteArray(new byte[LONG])));
    assertThat(ServerFixture.problem(answer).code()).isEqualTo("QUEUE_FULL");
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void strangerIsRefusedThoughHeStillWrites() throws Exception {
    HttpResponse<String> answer =
        fixture.send(
            fixture.request("POST", "/v1/length", BodyPublishers.ofByteArray(new byte[LONG])));
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
  }

  @ParameterizedTest
  @CsvSource({
    "QUEUE_FULL, 429, 1",
    "RATE_LIMITED, 429, 1",
    "UNAVAILABLE, 503, 1",
    "NO_SEGMENT, 503, 2",
    "QUEUE_PAUSED, 503, 10",
    "DISK_FULL, 507, 10",
    "MALFORMED_BODY, 400, ",
    "CONFLICT, 409, "
  })
  void refusalsThatPassSayWhenToTryAgainAndMistakesDoNot(String code, int status, String seconds)
      throws Exception {
    HttpResponse<String> answer = fixture.send(fixture.get(Role.ADMIN, "/v1/refusals/" + code));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Retry-After")).isEqualTo(Optional.ofNullable(seconds));
  }
}
