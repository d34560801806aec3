package io.millrace.api.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Servers end a wait before the caller wants to; the clients repeat it. */
class WaitPiecesTest {
  private static final Duration LONG = Duration.ofSeconds(75);

  private final Server server = new Server();
  private final ApiClient api =
      new ApiClient(server, new Endpoints(List.of(URI.create("http://10.0.0.1:7700"))), () -> null);

  @Test
  void aJobIsAwaitedAsLongAsTheCallerWants() {
    server.body = "{'id':17,'state':'RUNNING','name':'n','kind':'SUBMITTED'}";
    assertThat(new CentralClient(api).await(17, LONG).state().ended()).isFalse();
    assertThat(server.asked).containsExactlyElementsOf(pieces("/v1/jobs/17"));
  }

  @Test
  void aWorkflowIsAwaitedAsLongAsTheCallerWants() {
    server.body = "{'id':17,'state':'RUNNING','name':'n'}";
    assertThat(new WorkflowClient(api).await(17, LONG).state().ended()).isFalse();
    assertThat(server.asked).containsExactlyElementsOf(pieces("/v1/workflows/17"));
  }

  @Test
  void aRunIsAwaitedAsLongAsTheCallerWants() {
    server.body = "{'run':{'id':17,'state':'RUNNING'},'failedChunks':[]}";
    assertThat(new TaskClient(api).await(17, LONG).run().state().ended()).isFalse();
    assertThat(server.asked).containsExactlyElementsOf(pieces("/v1/task-runs/17"));
  }

  @Test
  void theEndIsAnsweredAtOnce() {
    server.body = "{'id':17,'state':'FAILED','name':'n','kind':'SUBMITTED'}";
    assertThat(new CentralClient(api).await(17, LONG).state().ended()).isTrue();
    assertThat(server.asked).hasSize(1);
  }

  @Test
  void aServerThatAnswersEarlyIsNotAskedMoreOften() {
    server.body = "{'id':17,'state':'RUNNING','name':'n','kind':'SUBMITTED'}";
    new CentralClient(api).await(17, Duration.ZERO);
    new CentralClient(api).await(17, Duration.ofSeconds(30));
    assertThat(server.asked)
        .containsExactly("/v1/jobs/17/wait?timeout=0s", "/v1/jobs/17/wait?timeout=30s");
  }

  private static List<String> pieces(String path) {
    return List.of(
        path + "/wait?timeout=30s", path + "/wait?timeout=30s", path + "/wait?timeout=15s");
  }

  private static final class Server implements HttpTransport {
    private final List<String> asked = new ArrayList<>();
    private String body;

    @Override
    public HttpAnswer send(HttpCall call) {
      asked.add(call.uri().getPath() + "?" + call.uri().getQuery());
      byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
      return new HttpAnswer(200, Map.of("content-type", "application/json"), json);
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      throw new IOException("not streamed");
    }
  }
}
