package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.job.Sinks.OutputForm;
import io.millrace.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptOutputTest {
  private static final String STDOUT = "GET /v1/jobs/3/logs?attempt=1&stream=stdout";
  private static final String STDERR = "GET /v1/jobs/3/logs?attempt=1&stream=stderr";

  private final FakeCluster cluster = new FakeCluster();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final AttemptOutput output =
      new AttemptOutput(
          new CentralClient(
              new ApiClient(
                  cluster, new Endpoints(List.of(URI.create("http://127.0.0.1:1"))), () -> "x")),
          new Sinks(
              new Terminal(
                  InputStream.nullInputStream(),
                  new PrintStream(out, true, StandardCharsets.UTF_8),
                  new PrintStream(err, true, StandardCharsets.UTF_8),
                  false,
                  false),
              OutputForm.RAW));

  @Test
  void anAttemptThatStartsBetweenTwoRequestsIsShownOnce() throws Exception {
    cluster.writing(STDERR, "complaints\n");
    writingOnceAskedFor(STDOUT, "words\n");

    assertThat(output.follow(3, 1, AttemptOutput.BOTH)).isFalse();
    assertThat(out.size() + err.size()).isZero();
    assertThat(output.follow(3, 1, AttemptOutput.BOTH)).isTrue();

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("words\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("complaints\n");
  }

  @Test
  void aStreamThatTheNodeDoesNotKnowYetIsRequestedAgainWhileTheOtherIsFollowed() throws Exception {
    cluster.writing(STDOUT, "words\n");
    writingOnceAskedFor(STDERR, "complaints\n");

    assertThat(output.follow(3, 1, AttemptOutput.BOTH)).isTrue();

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("words\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("complaints\n");
  }

  private void writingOnceAskedFor(String stream, String text) {
    cluster.when(
        stream,
        call -> {
          cluster.writing(stream, text);
          return cluster.refused(ErrorCode.UNKNOWN_ATTEMPT, "not yet");
        });
  }

  @Test
  void anAttemptThatHasNotStartedShowsNothing() throws Exception {
    cluster.refusing("GET /v1/jobs/3/logs", ErrorCode.UNKNOWN_ATTEMPT, "not yet");

    assertThat(output.follow(3, 1, AttemptOutput.BOTH)).isFalse();

    assertThat(out.size() + err.size()).isZero();
  }
}
