package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.executor.supervision.ControlGroups.ControlGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a folder that looks like a part of the kernel's tree. */
class ControlGroupsTest {
  private static final UUID NODE = UUID.randomUUID();

  @TempDir private Path root;

  @Test
  void withoutAMemoryControllerThereAreNoLimits() throws IOException {
    tree("cpu pids", "", "");
    assertThat(ControlGroups.at(root, NODE)).isEmpty();
    assertThat(ControlGroups.at(root.resolve("none"), NODE)).isEmpty();
  }

  @Test
  void theAgentMovesAsideBeforeItHandsLimitsOn() throws IOException {
    tree("cpu memory pids", "", "4711\n");
    assertThat(ControlGroups.at(root, NODE)).isPresent();
    assertThat(root.resolve("agent/cgroup.procs")).hasContent("4711");
    assertThat(root.resolve("cgroup.subtree_control")).hasContent("+memory");
  }

  @Test
  void aGroupThatAlreadyDelegatesLimitsIsLeftUnchanged() throws IOException {
    tree("memory", "memory", "");
    assertThat(ControlGroups.at(root, NODE)).isPresent();
    assertThat(root.resolve("agent")).doesNotExist();
  }

  @Test
  void anAttemptGetsAGroupWithItsLimit() throws IOException {
    ControlGroup group = groups().create("7.1", 4096);
    assertThat(group.folder()).isDirectory().hasParent(root);
    assertThat(group.folder().resolve("memory.max")).hasContent("4096");
  }

  @Test
  void aKillForMemoryIsReadWithItsPeak() throws IOException {
    ControlGroup group = groups().create("7.1", 4096);
    assertThat(group.wasKilledForMemory()).isFalse();
    assertThat(group.peakBytes()).isEmpty();
    Files.writeString(group.folder().resolve("memory.events"), "low 0\noom 3\noom_kill 0\n");
    assertThat(group.wasKilledForMemory()).isFalse();
    Files.writeString(group.folder().resolve("memory.events"), "oom 3\noom_kill 1\n");
    Files.writeString(group.folder().resolve("memory.peak"), "4096\n");
    assertThat(group.wasKilledForMemory()).isTrue();
    assertThat(group.peakBytes()).hasValue(4096);
  }

  @Test
  void aGroupIsKilledWithOneWrite() throws IOException {
    ControlGroup group = groups().create("7.1", 4096);
    Files.writeString(group.folder().resolve("cgroup.kill"), "");
    Files.writeString(group.members(), "12\n13\n");
    assertThat(group.processes()).containsExactly(12L, 13L);
    group.kill();
    assertThat(group.folder().resolve("cgroup.kill")).hasContent("1");
  }

  @Test
  void anEmptyGroupIsRemovedAndAMissingOneCountsAsRemoved() throws IOException {
    ControlGroup group = new ControlGroup(Files.createDirectory(root.resolve("empty")));
    assertThat(group.remove()).isTrue();
    assertThat(group.folder()).doesNotExist();
    assertThat(group.remove()).isTrue();
    assertThat(group.processes()).isEmpty();
  }

  @Test
  void emptyGroupsOfEarlierAgentsAreRemovedAndThoseOfOtherNodesAreNot() throws IOException {
    tree("memory", "memory", "");
    Path left = Files.createDirectory(root.resolve(NODE + "-7.1"));
    Path busy = Files.createDirectory(root.resolve(NODE + "-7.2"));
    Files.writeString(busy.resolve("cgroup.procs"), "12\n");
    Path others = Files.createDirectory(root.resolve(UUID.randomUUID() + "-7.3"));
    assertThat(ControlGroups.at(root, NODE)).isPresent();
    assertThat(left).doesNotExist();
    assertThat(busy).exists();
    assertThat(others).exists();
  }

  @Test
  void aGroupThatIsNotDelegatedIsNotUsed() throws IOException {
    Path proc = Files.createDirectories(root.resolve("proc/self"));
    Files.writeString(proc.resolve("cgroup"), "9:name=systemd:/\n0::/user.slice\n");
    Files.createDirectory(root.resolve("user.slice"));
    assertThat(ControlGroups.delegated(root.resolve("proc"), root)).isEmpty();
  }

  private ControlGroups groups() throws IOException {
    tree("memory", "memory", "");
    return ControlGroups.at(root, NODE).orElseThrow();
  }

  private void tree(String controllers, String handedOn, String processes) throws IOException {
    Files.writeString(root.resolve("cgroup.controllers"), controllers);
    Files.writeString(root.resolve("cgroup.subtree_control"), handedOn);
    Files.writeString(root.resolve("cgroup.procs"), processes);
    Files.createDirectories(root.resolve("agent"));
    Files.delete(root.resolve("agent"));
  }
}
