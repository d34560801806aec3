package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.ChunkHandout;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that take chunks over HTTP; positions of chunks count from 0. */
class ChunkReportTest {
  private static final Duration LEASE = Duration.ofMinutes(10);

  @TempDir Path folder;
  private final JdkTransport transport = new JdkTransport();
  private CentralManager manager;
  private TaskClient tasks;
  private long run;

  @BeforeEach
  void start() {
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder, WebSettings.loopback(0)), new SystemClock());
    manager.start();
    ApiClient api =
        new ApiClient(
            transport,
            new Endpoints(List.of(manager.address())),
            () -> TokenFiles.read(TokenFiles.of(manager.tokens(), Role.OPERATOR)));
    String task = "{kind: task, name: t, chunks: {list: [a, b]}, job: {command: [work]}}";
    new CentralClient(api)
        .apply(new ApplyRequest(List.of(new SourceFile("task.yaml", task)), false));
    tasks = new TaskClient(api);
    run = tasks.run("t").id();
  }

  @AfterEach
  void stop() {
    manager.stop();
  }

  @Test
  void theFirstChunkOfARunIsReportedDone() {
    ChunkHandout first = first();

    tasks.chunkDone(run, first);

    assertThat(tasks.details(run).run().done()).isEqualTo(1);
  }

  @Test
  void theFirstChunkOfARunIsReportedFailed() {
    ChunkHandout first = first();

    tasks.chunkFailed(run, first, "no paper");

    assertThat(tasks.details(run).run().running()).isZero();
  }

  @Test
  void aPositionBelowTheFirstIsRefused() {
    ChunkHandout first = first();
    ChunkHandout below =
        new ChunkHandout(
            -1, first.chunk(), first.left(), first.token(), first.until(), first.attempt());

    assertThatThrownBy(() -> tasks.chunkDone(run, below))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
  }

  private ChunkHandout first() {
    ChunkHandout first = tasks.nextChunk(run, LEASE).orElseThrow();
    assertThat(first.position()).isZero();
    return first;
  }
}
