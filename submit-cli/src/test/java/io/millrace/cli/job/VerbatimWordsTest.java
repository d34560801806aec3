package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words that begin with {@code @} are passed as they are, and read no file. */
class VerbatimWordsTest {
  @TempDir private Path folder;
  private final FakeCluster cluster =
      new FakeCluster().answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
  private final CommandRun run = new CommandRun(cluster);

  private String secret() throws IOException {
    return "@" + Files.writeString(folder.resolve("secret.txt"), "confidential");
  }

  @Test
  void wordsOfACommandThatNameAFileStayAsTheyAre() throws IOException {
    String word = secret();
    assertThat(run.run("submit", "--tag", word, "--", "echo", word, "@@two", "@"))
        .as(run.messages())
        .isZero();
    assertThat(submitted().command()).containsExactly("echo", word, "@@two", "@");
    assertThat(submitted().tags()).containsExactly(word);
  }

  @Test
  void aScriptDoesNotReadFilesOfWhoeverSubmitsIt() throws IOException {
    String word = secret();
    Path script =
        Files.writeString(folder.resolve("job.sh"), "#MILLRACE --name " + word + "\necho\n");
    assertThat(run.run("submit", "--script", script.toString(), "--", word))
        .as(run.messages())
        .isZero();
    assertThat(submitted().name()).isEqualTo(word);
    assertThat(submitted().command()).endsWith(word);
  }

  private JobSpec submitted() {
    return Json.read(cluster.last().body(), JobSpec.class);
  }
}
