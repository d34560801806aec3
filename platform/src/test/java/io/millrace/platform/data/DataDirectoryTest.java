package io.millrace.platform.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  @TempDir private Path folder;

  @Test
  void aDirectoryBelongsToTheNodeThatUsedItFirst() {
    NodeIdentity first = new NodeIdentity(Role.QUEUE_NODE, "q1", UUID.randomUUID());
    NodeIdentity other = new NodeIdentity(Role.QUEUE_NODE, "q1", UUID.randomUUID());
    NodeIdFile.claim(folder.resolve("data"), first);
    NodeIdFile.claim(folder.resolve("data"), first);
    assertThat(NodeIdFile.read(folder.resolve("data"))).contains(first.id());
    assertThat(NodeIdFile.read(folder.resolve("another"))).isEmpty();
    assertThatThrownBy(() -> NodeIdFile.claim(folder.resolve("data"), other))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("belongs to node " + first.id());
  }

  @Test
  void aBrokenIdIsNotReplacedByANewOne() throws IOException {
    Path file = Files.writeString(folder.resolve("node-id"), "half of an i");
    assertThatThrownBy(() -> NodeIdFile.read(folder))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining("node-id");
    assertThat(file).hasContent("half of an i");
  }

  @Test
  void aFolderIsHeldByOneAtATime() throws IOException {
    Path file = folder.resolve("lock");
    try (FolderLock held = FolderLock.tryTake(file).orElseThrow()) {
      assertThat(held).isNotNull();
      assertThat(FolderLock.tryTake(file)).isEmpty();
    }
    try (FolderLock next = FolderLock.tryTake(file).orElseThrow()) {
      assertThat(next).isNotNull();
    }
  }
}
