package io.millrace.platform.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a node's identity comes from when it starts. */
class NodeSettingsTest {
  @TempDir private Path folder;
  private Path tokens;
  private Path data;

  @BeforeEach
  void makeKeys() {
    tokens = folder.resolve("tokens");
    data = folder.resolve("q1");
    KeyFiles.ensure(tokens);
  }

  private UUID start(Role role, String name) {
    NodeSettings settings =
        new NodeSettings(
            name,
            data,
            List.of(URI.create("http://127.0.0.1:1")),
            tokens.resolve(KeyFiles.PUBLIC),
            Optional.empty());
    return settings.credential(role, new SystemClock()).identity().id();
  }

  @Test
  void whereTheClustersKeyIsANodeCreatesItsIdentityOnce() {
    UUID first = start(Role.QUEUE_NODE, "q1");
    assertThat(start(Role.QUEUE_NODE, "q1")).isEqualTo(first);
    assertThat(NodeIdFile.read(data)).contains(first);
  }

  @Test
  void aDirectoryOfAnEarlierVersionKeepsItsId() throws IOException {
    UUID before = UUID.randomUUID();
    Files.createDirectories(data);
    Files.writeString(data.resolve("node-id"), before + "\n");
    assertThat(start(Role.QUEUE_NODE, "q1")).isEqualTo(before);
  }

  @Test
  void afterANewKeyPairItIsCertifiedAgainWithTheSameId() throws IOException {
    UUID first = start(Role.QUEUE_NODE, "q1");
    Files.delete(tokens.resolve(KeyFiles.PRIVATE));
    Files.delete(tokens.resolve(KeyFiles.PUBLIC));
    KeyFiles.ensure(tokens);
    assertThat(start(Role.QUEUE_NODE, "q1")).isEqualTo(first);
  }

  @Test
  void aFileThatIsNoIdentityIsNeverReplaced() throws IOException {
    Files.createDirectories(data);
    Path file = Files.writeString(data.resolve(NodeCredential.FILE), "somebody else's\n");
    refused(() -> start(Role.QUEUE_NODE, "q1"), "is not an identity file");
    assertThat(file).hasContent("somebody else's\n");
  }

  @Test
  void elsewhereItMustHaveJoined() throws IOException {
    Files.delete(tokens.resolve(KeyFiles.PRIVATE));
    refused(() -> start(Role.QUEUE_NODE, "q1"), "millrace join");
  }

  @Test
  void anIdentityIsThatOfOneRoleAndName() {
    start(Role.QUEUE_NODE, "q1");
    refused(() -> start(Role.QUEUE_NODE, "q2"), "is the identity of queue-node q1");
    refused(() -> start(Role.EXECUTION_NODE, "q1"), "is the identity of queue-node q1");
  }

  private static void refused(Runnable start, String message) {
    assertThatThrownBy(start::run)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining(message);
  }
}
