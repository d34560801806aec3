package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.tests.house.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code bin/millrace} of a source tree prints when it builds, and what it tells Java about
 * the terminal, with stand-ins for Maven and Java.
 */
class LauncherBuildTest {
  // Like a Maven whose console resets the colours at its end.
  private static final String MAVEN =
      """
      #!/bin/sh
      case ${MAVEN_OPTS:-} in
        *-Djansi.noreset=true*) ;;
        *) printf '\\033[0m' ;;
      esac
      lib=submit-cli/target/distribution/lib
      mkdir -p $lib/client $lib/server
      : > $lib/client/millrace-submit-cli-1.jar
      : > $lib/server.jvm
      """;

  @TempDir Path folder;

  private Path launcher;

  @BeforeEach
  void aSourceTreeThatWasNeverBuilt() throws IOException {
    Path tree = folder.resolve("tree");
    Files.createDirectories(tree.resolve("submit-cli/src/main"));
    Files.createFile(tree.resolve("pom.xml"));
    Files.createFile(tree.resolve("submit-cli/pom.xml"));
    launcher =
        program(
            tree.resolve("bin/millrace"),
            Files.readString(SourceTree.root().resolve("bin/millrace")));
    program(folder.resolve("programs/mvn"), MAVEN);
    program(folder.resolve("java/bin/java"), "#!/bin/sh\necho \"${COLUMNS:-none} $@\"\n");
    Files.writeString(folder.resolve("java/release"), "JAVA_VERSION=\"17.0.1\"\n");
  }

  @Test
  void theFirstCommandBuildsWithoutCodesForATerminalAndTheNextOneDoesNot() throws Exception {
    assertThat(errors())
        .isEqualTo(
            """
            millrace: building (the first time takes a minute or two) ...
            millrace: built
            """);
    assertThat(errors()).isEmpty();
  }

  @Test
  void aCommandLearnsTheWidthOfItsTerminalAndAServerDoesNot() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "needs /usr/bin/script");
    errors();
    assertThat(onTerminal("version")).startsWith("133 ");
    assertThat(onTerminal("executor-node")).startsWith("none ");
    ended(launcher.toString(), "version");
    assertThat(output()).startsWith("none ");
  }

  /** What a command writes to a terminal of 133 columns. */
  private String onTerminal(String command) throws IOException, InterruptedException {
    ended(
        "/usr/bin/script", "-qec", "stty cols 133; exec " + launcher + " " + command, "/dev/null");
    return output();
  }

  private String errors() throws IOException, InterruptedException {
    ended(launcher.toString(), "version");
    assertThat(output()).endsWith("io.millrace.cli.Main version\n");
    return Files.readString(folder.resolve("err"));
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("out"));
  }

  private void ended(String... command) throws IOException, InterruptedException {
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(err.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("MILLRACE_"));
    environment.remove("MAVEN_OPTS");
    environment.remove("COLUMNS");
    environment.put("MILLRACE_ARCHIVE", "off");
    environment.put("JAVA_HOME", folder.resolve("java").toString());
    environment.merge(
        "PATH", folder.resolve("programs").toString(), (others, first) -> first + ":" + others);
    Process process = builder.start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the launcher does not end");
    }
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
  }

  private static Path program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
