package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that get their events one by one are real processes here. */
class StreamTrialTest {
  private static final String EACH =
      "while read -r event; do\nid=${event#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\n";
  private static final String OK = "printf '{\"id\":\"%s\",\"ok\":true}\\n' $id\n";
  private static final String REFUSED = "printf '{\"id\":\"%s\",\"ok\":false}\\n' $id\n";

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @TempDir private Path folder;

  @Test
  void aWorkerAnswersSampleEventsWithoutAnyServer() throws IOException {
    String script =
        EACH
            + "case $id in\n"
            + "sample-1) "
            + OK
            + ";;\n"
            + "sample-2) "
            + REFUSED
            + ";;\n"
            + "sample-3) echo \"$event\"; exit 3 ;;\n"
            + "esac\ndone\n";
    assertThat(attempt(script, "", 9)).as(run::messages).isEqualTo(3);
    assertThat(run.output()).contains("\"data\":{\"n\":3}");
    assertThat(run.messages()).contains("exit code 3").contains("1 acknowledged, 1 refused");
    assertThat(cluster.asked()).as("calls of servers").isEmpty();
  }

  @Test
  void aWorkerGetsAtMostABatchThatItHasNotAnswered() throws IOException {
    assertThat(attempt("exec cat", "  timeout: 300ms\n  grace: 100ms\n", 5)).isEqualTo(124);
    assertThat(run.output()).hasLineCount(2);
    assertThat(run.messages())
        .contains("0 acknowledged, 0 refused, 2 leased and not answered, 3 not taken")
        .contains("unanswered events would be redelivered\n");
  }

  @Test
  void itsTimeBeginsAnewWithEachAnswer() throws IOException {
    assertThat(attempt(EACH + "sleep 0.3\n" + OK + "done\n", "  timeout: 1s\n", 6))
        .as(run::messages)
        .isZero();
    assertThat(run.messages()).contains("6 acknowledged");
  }

  private int attempt(String script, String settings, int events) throws IOException {
    Path program = Files.writeString(folder.resolve("worker.sh"), script);
    Path file =
        Files.writeString(
            folder.resolve("alert.yaml"),
            "kind: queue\nname: alert\nbatch: 2\nworker:\n  command: [sh, "
                + program
                + "]\n  input: stream\n"
                + settings);
    StringBuilder samples = new StringBuilder();
    for (int n = 1; n <= events; n++) {
      samples.append("{\"n\":").append(n).append("}\n");
    }
    Path sampleFile = Files.writeString(folder.resolve("samples.ndjson"), samples);
    return run.run("queue", "try", "-f", file.toString(), "--events", sampleFile.toString());
  }
}
