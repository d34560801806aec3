package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dead letter is requeued with changed data. */
class DeadLetterEditTest {
  private static final String PATH = "POST /v1/queues/alert/dead/requeue-changed?handle=q1%2F17";

  @TempDir Path folder;
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theOriginalIsShownAndTheDataIsSentAsWritten() throws IOException {
    cluster.answering(PATH, changed());
    Path file = Files.writeString(folder.resolve("fixed.json"), "{\n  \"n\": 1.10\n}\n");
    assertThat(
            run.run(
                "queue",
                "dead",
                "requeue",
                "alert",
                "--handle",
                "q1/17",
                "--data-file",
                file.toString()))
        .isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            dead letter q1/17 requeued with changed data
              before: {"n":1}
              now:    {"n":2}
            """);
    assertThat(new String(cluster.last().body(), StandardCharsets.UTF_8))
        .isEqualTo("{\"data\":{   \"n\": 1.10 } }");
  }

  @Test
  void oneHandleAndJsonAreNeeded() {
    assertThat(run.run("queue", "dead", "requeue", "alert", "--all", "--data", "1")).isNotZero();
    assertThat(run.messages()).contains("--data: only together with one --handle");
    CommandRun broken = new CommandRun(cluster);
    assertThat(
            broken.run(
                "queue", "dead", "requeue", "alert", "--handle", "q1/17", "--data", "{\"n\":"))
        .isNotZero();
    assertThat(broken.messages())
        .contains("--data: not JSON", "; a file is given with --data-file");
    CommandRun two = new CommandRun(cluster);
    assertThat(two.run("queue", "dead", "requeue", "alert", "--handle", "q1/17", "--data", "1},{2"))
        .isNotZero();
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void oneThatWasRequeuedMeanwhileIsRefused() {
    cluster.refusing(PATH, ErrorCode.CONFLICT, "it was requeued or dropped");
    assertThat(run.run("queue", "dead", "requeue", "alert", "--handle", "q1/17", "--data", "1"))
        .isNotZero();
    assertThat(run.messages()).contains("requeued or dropped");
  }

  private static ChangedDeadEvent changed() {
    return Json.read(
        "{\"original\":{\"handle\":\"q1/17\",\"id\":\"a\",\"queue\":\"alert\",\"data\":{\"n\":1}},\"data\":{\"n\":2}}",
        ChangedDeadEvent.class);
  }
}
