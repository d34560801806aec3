package io.millrace.cli.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {
  @TempDir private Path folder;

  @Test
  void whiteSpaceAroundTheTokenIsIgnored() throws IOException {
    assertThat(TokenFile.read(file("  abc.def\r\n\n"))).contains("abc.def");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret-of-ann\nsecret-of-bob\n",
        "secret\u001b[31m",
        "secret token",
        "s\u00e9cret"
      })
  void whatIsNoTokenIsNeitherSentNorRepeated(String content) throws IOException {
    Path file = file(content);
    FakeCluster cluster = new FakeCluster();
    CommandRun run = new CommandRun(cluster);

    assertThat(run.run("job", "list", "--token-file", file.toString())).isEqualTo(4);

    assertThat(run.messages())
        .contains(file + " contains no token", "--token-file")
        .doesNotContain("secret");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anEndlessFileIsNotReadToItsEnd() throws IOException {
    assertThat(TokenFile.read(Path.of("/dev/zero"))).isEmpty();
    assertThat(TokenFile.read(file("a".repeat(20_000)))).isEmpty();
  }

  @Test
  void theReasonWhyAFileCannotBeReadIsInPlainWords() {
    CommandRun run = new CommandRun(new FakeCluster());
    assertThat(run.run("job", "list", "--token-file", folder.resolve("none").toString()))
        .isEqualTo(4);
    assertThat(run.messages()).contains("no such file or directory").doesNotContain("Exception");
    CommandRun directory = new CommandRun(new FakeCluster());
    assertThat(directory.run("job", "list", "--token-file", folder.toString())).isEqualTo(4);
    assertThat(directory.messages()).contains("irectory").doesNotContain("Exception");
  }

  private Path file(String content) throws IOException {
    return Files.writeString(folder.resolve("token"), content);
  }
}
