package io.millrace.tests.drill.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.tests.drill.cluster.Uptime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WatchdogScriptTest {
  @TempDir Path folder;

  private Process start(String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(new WatchdogScript(folder).watched(List.of(command)))
            .directory(folder.toFile());
    return builder.start();
  }

  private Path awaitFile(String name) {
    Path file = folder.resolve(name);
    await(name + " is written").until(() -> Files.exists(file));
    return file;
  }

  @Test
  void aProcessThatHasStoppedIsKilledAtItsDeadline() throws Exception {
    // It may live for a moment, and cannot look at its deadline itself.
    Process process =
        start("sh", "-c", "echo $$ > pid.new; mv pid.new pid; kill -s STOP $$; echo on >> went");
    awaitFile("pid");
    WatchdogScript.write(folder.resolve("deadline"), Uptime.now() + 0.3);

    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("went")).doesNotExist();
    long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void aProcessWithoutDeadlineRunsToItsEnd() throws Exception {
    Process process = start("sh", "-c", "echo done > \"$0\"");

    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("deadline")).hasContent("done");
  }

  @Test
  void aRequestToEndEndsTheProcessToo() throws Exception {
    Process process = start("sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 600");
    Path pid = awaitFile("pid");

    process.destroy();

    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))).isNotPresent();
  }
}
