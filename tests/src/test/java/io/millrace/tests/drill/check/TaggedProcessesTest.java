package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TaggedProcessesTest {
  @Test
  void aChildOutsideItsProcessGroupIsFoundUntilItEnds() throws IOException {
    TaggedProcesses tagged = new TaggedProcesses(UUID.randomUUID().toString());
    assertThat(tagged.left()).isEmpty();

    ProcessBuilder builder = new ProcessBuilder("sh", "-c", "setsid sleep 60 & echo $!");
    builder.environment().putAll(tagged.environment());
    builder.start();
    await().until(() -> tagged.left().stream().anyMatch(line -> line.endsWith("sleep 60")));
    for (String line : tagged.left()) {
      ProcessHandle.of(Long.parseLong(line.substring(0, line.indexOf(':'))))
          .ifPresent(ProcessHandle::destroyForcibly);
    }
    await().untilAsserted(() -> assertThat(tagged.left()).isEmpty());
  }
}
