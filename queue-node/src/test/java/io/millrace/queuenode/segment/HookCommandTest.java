package io.millrace.queuenode.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.segment.SegmentHooks.HookCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HookCommandTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;

  @Test
  void aCommandFindsItsVariablesAndMaySucceed() throws Exception {
    Path told = folder.resolve("told");
    HookCommand hook = shell("printf %s \"$MILLRACE_QUEUE\" > '" + told + "'", LONG);
    assertThat(hook.run(Map.of("MILLRACE_QUEUE", "alert"))).isEmpty();
    assertThat(told).hasContent("alert");
  }

  @Test
  void argumentsAreReadByNoShell() throws Exception {
    HookCommand hook = new HookCommand(List.of("/bin/ls", folder + "/$HOME; true"), LONG);
    assertThat(hook.run(Map.of())).get().asString().contains("status 2").contains("$HOME; true");
  }

  @Test
  void aFailureCarriesTheEndOfTheCommandsOutput() throws Exception {
    HookCommand hook = shell("seq 1 5000; echo no disk >&2; exit 3", LONG);
    assertThat(hook.run(Map.of()))
        .get()
        .asString()
        .contains("ended with status 3")
        .endsWith("no disk")
        .hasSizeLessThan(700);
  }

  @Test
  void aCommandThatCannotBeStartedIsAFailure() throws Exception {
    HookCommand hook = new HookCommand(List.of(folder + "/missing"), LONG);
    assertThat(hook.run(Map.of())).get().asString().contains("could not be started");
  }

  @Test
  void aCommandThatDoesNotEndIsKilledWithWhatItStarted() throws Exception {
    Path pid = folder.resolve("pid");
    HookCommand hook = shell("sleep 600 & echo $! > '" + pid + "'; wait", Duration.ofMillis(700));
    assertThat(hook.run(Map.of())).get().asString().contains("did not end within");
    long child = Long.parseLong(Files.readString(pid).strip());
    Awaitility.await()
        .until(() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void noCommandSucceeds() throws Exception {
    assertThat(new HookCommand(List.of(), LONG).run(Map.of())).isEmpty();
  }

  private static HookCommand shell(String script, Duration timeout) {
    return new HookCommand(List.of("/bin/sh", "-c", script), timeout);
  }
}
