package io.millrace.platform.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationLoaderTest {

  enum Mode {
    SAFE,
    FAST
  }

  record Limits(int workers, DataSize body, Duration patience) {
    Limits {
      if (workers < 1) {
        throw new IllegalArgumentException("workers must be at least 1; give a larger number");
      }
    }

    static Limits defaults() {
      return new Limits(4, new DataSize(1024), Duration.ofSeconds(10));
    }
  }

  record Peer(String name, URI address) {}

  record Server(
      String name,
      Mode mode,
      boolean open,
      long bytes,
      double ratio,
      Path folder,
      Optional<String> motto,
      List<Peer> peers,
      Map<String, String> labels,
      Limits limits) {
    static Server defaults() {
      return new Server(
          null,
          Mode.SAFE,
          false,
          7,
          0.5,
          null,
          Optional.empty(),
          List.of(),
          Map.of(),
          new Limits(9, new DataSize(99), Duration.ofSeconds(9)));
    }
  }

  private static final String COMPLETE =
      """
      name: alpha
      mode: fast
      open: true
      bytes: 5000000000
      ratio: 0.75
      folder: data/../store
      motto: "onwards"
      peers:
        - name: beta
          address: http://127.0.0.1:7701
      labels:
        rack: r1
      limits:
        workers: 12
        body: 64KB
        patience: PT1M
      """;

  private final ConfigurationLoader loader = new ConfigurationLoader();

  @TempDir Path folder;

  @Test
  void everyKindOfValueIsRead() {
    Server server = parse(COMPLETE);

    assertThat(server)
        .isEqualTo(
            new Server(
                "alpha",
                Mode.FAST,
                true,
                5_000_000_000L,
                0.75,
                folder.resolve("store"),
                Optional.of("onwards"),
                List.of(new Peer("beta", URI.create("http://127.0.0.1:7701"))),
                Map.of("rack", "r1"),
                new Limits(12, new DataSize(64 * 1024), Duration.ofMinutes(1))));
  }

  @Test
  void absentKeysTakeTheDefaultOfTheEnclosingRecord() {
    Server server = parse("name: alpha\nfolder: x\nlimits:\n  workers: 2\n");

    assertThat(server.mode()).isEqualTo(Mode.SAFE);
    assertThat(server.motto()).isEmpty();
    assertThat(server.limits()).isEqualTo(new Limits(2, new DataSize(99), Duration.ofSeconds(9)));
  }

  @Test
  void anEmptyFileGivesTheDefaults() {
    assertThat(loader.parse("", folder.resolve("limits.yaml"), Limits.class))
        .isEqualTo(Limits.defaults());
    assertThat(loader.parse("# nothing\n", folder.resolve("limits.yaml"), Limits.class))
        .isEqualTo(Limits.defaults());
  }

  @Test
  void allProblemsAreReportedTogetherWithFileAndPath() {
    assertThatThrownBy(
            () ->
                parse(
                    """
                    mode: sloppy
                    opn: true
                    bytes: many
                    ratio: "half"
                    folder: x
                    peers:
                      - name: beta
                        address: "http://bad host"
                        colour: red
                    limits:
                      workers: 0
                      patience: soon
                    """))
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("8 problems in " + folder.resolve("server.yaml"))
        .hasMessageContaining("name (line 1): missing")
        .hasMessageContaining("mode (line 1): expected one of safe, fast, found \"sloppy\"")
        .hasMessageContaining("opn (line 2): unknown key; did you mean 'open'?")
        .hasMessageContaining("bytes (line 3): expected a whole number, found \"many\"")
        .hasMessageContaining("ratio (line 4): expected a number")
        .hasMessageContaining("peers[0].address (line 8): ")
        .hasMessageContaining("peers[0].colour (line 9): unknown key; known keys: name, address")
        .hasMessageContaining("limits.patience (line 12): 'soon' is not a duration");
  }

  @Test
  void theTokenFileOfEarlierVersionsIsRefusedWithTheCommandThatReplacesIt() {
    assertThatThrownBy(() -> parse("name: alpha\ntokenFile: node.token\n"))
        .hasMessageContaining("tokenFile (line 2): unknown key; joined nodes have an identity")
        .hasMessageContaining("millrace join")
        .hasMessageContaining("docs/operations.md#upgrading");
  }

  @Test
  void aRefusalByARecordsConstructorIsAProblemOfItsPath() {
    assertThatThrownBy(() -> parse("name: a\nfolder: x\nlimits:\n  workers: 0\n"))
        .hasMessageContaining("limits (line 3): workers must be at least 1; give a larger number");
  }

  @Test
  void aTextThatYamlTookForANumberMustBeQuotedBecauseItsDigitsAreLost() {
    assertThatThrownBy(() -> parse("name: 0123\nfolder: x\n"))
        .hasMessageContaining("name (line 1): expected a string; put it in quotes");
  }

  @Test
  void aNumberThatDoesNotFitIsRefusedInsteadOfCutOff() {
    assertThatThrownBy(() -> parse("name: a\nfolder: x\nlimits:\n  workers: 5000000000\n"))
        .hasMessageContaining("limits.workers (line 4): expected a whole number below");
  }

  @Test
  void aKeyGivenTwiceIsRefused() {
    assertThatThrownBy(() -> parse("name: a\nname: b\n"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("the key 'name' is given twice");
  }

  @Test
  void brokenYamlNamesTheLine() {
    assertThatThrownBy(() -> parse("name: a\nlimits: [1,\n"))
        .isInstanceOf(MillraceException.class)
        .hasMessageMatching("(?s).*server.yaml, line \\d+: not valid YAML.*");
  }

  @Test
  void aFileOfAnotherShapeIsRefused() {
    assertThatThrownBy(() -> parse("- a\n- b\n"))
        .hasMessageContaining("(top level) (line 1): expected an object");
  }

  @Test
  void aMissingFileIsNamed() {
    Path missing = folder.resolve("none.yaml");

    assertThatThrownBy(() -> loader.load(missing, Server.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(missing.toString());
  }

  @Test
  void pathsAreRelativeToTheFilesFolder() throws Exception {
    Path nested = Files.createDirectory(folder.resolve("conf"));
    Path file = Files.writeString(nested.resolve("a.yaml"), "name: a\nfolder: ../data\n");

    assertThat(loader.load(file, Server.class).folder()).isEqualTo(folder.resolve("data"));
  }

  private Server parse(String text) {
    return loader.parse(text, folder.resolve("server.yaml"), Server.class);
  }
}
