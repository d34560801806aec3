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

/** The first server leaves an archive of its classes, with which later ones start faster. */
@Tag("drill")
class StartArchiveTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;

  @BeforeAll
  static void built() {
    Distribution.assumeBuilt();
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "what a process maps is read from /proc");
  }

  @Test
  void laterServersUseTheArchiveThatTheFirstOneLeft() throws Exception {
    Distribution distribution = Distribution.recording(folder);

    assertThat(mapped(distribution, "first")).isEmpty();
    await("the archive is made, and nothing is left besides")
        .atMost(LONG)
        .until(() -> archives().size() == 1 && archives().get(0).toString().endsWith(".jsa"));
    assertThat(mapped(distribution, "second")).contains(archives().get(0).toString());
  }

  /** What a server maps of the archives. */
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

  private List<Path> archives() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("distribution/lib"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("server-")).toList();
    }
  }
}
