package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first server and the first command create class archives for faster starts. */
@Tag("drill")
class StartArchiveTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;

  @BeforeAll
  static void built() {
    Distribution.assumeBuilt();
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "memory maps are read from /proc");
  }

  @Test
  void laterServersUseTheArchiveOfTheFirstOne() throws Exception {
    Distribution distribution = Distribution.recording(folder);

    assertThat(mapped(distribution, "first")).isEmpty();
    awaitArchive("server-");
    assertThat(mapped(distribution, "second")).contains(archives("server-").get(0).toString());
  }

  @Test
  void theFirstCommandThatReachesAServerCreatesAnArchiveForLaterOnes() throws Exception {
    Distribution distribution = Distribution.recording(folder);
    assertThat(distribution.run("job", "list").exitCode()).as("no server yet").isNotZero();
    assertThat(archives("client-")).noneMatch(file -> file.toString().endsWith(".jsa"));
    ServerProcess up =
        distribution.start("up", "up", "--port", "0", "--data", folder.resolve("up").toString());
    try {
      assertThat(up.firstLine()).isNotEmpty();
      forgetFailedRecording();
      assertThat(distribution.run("job", "list").exitCode()).isZero();
      awaitArchive("client-");
      assertThat(distribution.run("submit", "--wait", "--", "true").exitCode()).isZero();
    } finally {
      up.end();
    }
  }

  /** A join token is for one server only, and arguments stay arguments. */
  @Test
  void theRecordingSendsNoTokenElsewhereAndRunsNothingElse() throws Exception {
    Distribution distribution = Distribution.recording(folder);
    Path token = Files.writeString(folder.resolve("join.token"), "secret");
    distribution.run(
        "join",
        "http://127.0.0.1:1",
        "--role",
        "execution-node",
        "--name",
        "e9",
        "--token-file",
        token.toString());
    assertThat(archives("client-")).as("not even begun").isEmpty();

    ServerProcess up =
        distribution.start("up", "up", "--port", "0", "--data", folder.resolve("up").toString());
    try {
      assertThat(up.firstLine()).isNotEmpty();
      Path made = folder.resolve("made");
      distribution.run("job", "list", "--data", folder.resolve("up") + " submit -- touch " + made);
      forgetFailedRecording();
      assertThat(distribution.run("job", "list").exitCode()).isZero();
      awaitArchive("client-");
      assertThat(distribution.run("job", "list").out()).doesNotContain("touch");
    } finally {
      up.end();
    }
  }

  private void awaitArchive(String prefix) {
    await("the archive exists without temporary files")
        .atMost(LONG)
        .until(
            () ->
                archives(prefix).size() == 1
                    && archives(prefix).get(0).toString().endsWith(".jsa"));
  }

  /** After a failure the launcher waits for two minutes; the test does not. */
  private void forgetFailedRecording() throws IOException {
    for (Path mark : archives("client-")) {
      if (mark.toString().endsWith(".making")) {
        Files.deleteIfExists(mark);
      }
    }
  }

  /** The archives that a server maps. */
  private String mapped(Distribution distribution, String name) throws Exception {
    ServerProcess up =
        distribution.start(name, "up", "--port", "0", "--data", folder.resolve(name).toString());
    try {
      assertThat(up.firstLine()).isNotEmpty();
      try (Stream<String> lines = Files.lines(Path.of("/proc/" + up.pid() + "/maps"))) {
        return String.join("\n", lines.filter(line -> line.contains("/server-")).toList());
      }
    } finally {
      up.end();
    }
  }

  private List<Path> archives(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("distribution/lib"))) {
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
  }
}
