package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a made-up {@code /proc}, for what cannot be arranged with real processes. */
class ProcessTableTest {
  private static final UUID ID = new UUID(1, 1);

  private static final ProcessIdentity LEADER = new ProcessIdentity(500, 9_000, "this-boot");

  @TempDir private Path proc;
  private ProcessTable table;

  @BeforeEach
  void boot() throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "this-boot\n");
    Files.writeString(proc.resolve("uptime"), "100.50 180.00\n");
    table = new ProcessTable(proc);
  }

  @Test
  void theAgeOfAProcessIsMeasuredOnTheClockOfTheMachine() {
    assertThat(table.age(LEADER)).isEqualTo(Duration.ofMillis(10_500));
    assertThat(table.age(new ProcessIdentity(500, 99_000, "this-boot"))).isZero();
  }

  @Test
  void aProcessIsAliveOnlyWithItsOwnStartAndBoot() throws IOException {
    process(500, 'S', 500, 500, 9_000);
    assertThat(table.isAlive(LEADER)).isTrue();
    assertThat(table.isAlive(new ProcessIdentity(500, 9_001, "this-boot"))).isFalse();
    assertThat(table.isAlive(new ProcessIdentity(500, 9_000, "an-earlier-boot"))).isFalse();
    process(500, 'Z', 500, 500, 9_000);
    assertThat(table.isAlive(LEADER)).isFalse();
  }

  @Test
  void theFamilyOfALeaderIsItsGroupAndItsSessionWithoutZombies() throws IOException {
    process(500, 'Z', 500, 500, 9_000);
    process(501, 'S', 500, 500, 9_010);
    process(502, 'S', 502, 500, 9_020);
    process(503, 'Z', 500, 500, 9_030);
    process(504, 'S', 504, 504, 9_040);
    assertThat(table.family(LEADER))
        .extracting(ProcessEntry::pid)
        .containsExactlyInAnyOrder(501L, 502L);
  }

  @Test
  void membersOfADeadLeaderAreStillItsFamily() throws IOException {
    process(501, 'S', 500, 500, 9_010);
    assertThat(table.family(LEADER)).extracting(ProcessEntry::pid).containsExactly(501L);
  }

  @Test
  void aLeaderWhoseIdWasGivenToAnotherProcessHasNoFamily() throws IOException {
    process(500, 'S', 500, 500, 9_900);
    process(501, 'S', 500, 500, 9_910);
    assertThat(table.family(LEADER)).isEmpty();
  }

  @Test
  void theAttemptOfAProcessIsReadFromTheMarksOfTheSameNodeOnly() throws IOException {
    AttemptMarks marks = new AttemptMarks(UUID.randomUUID(), Path.of("/data/attempts"));
    process(501, 'S', 500, 500, 9_010);
    Files.writeString(
        proc.resolve("501/environ"),
        "A=B\0MILLRACE_NODE=" + marks.node() + "\0MILLRACE_ATTEMPT=7.2\0");
    assertThat(table.attemptOf(501, marks)).contains(new AttemptId(7, 2));
    assertThat(table.attemptOf(501, new AttemptMarks(UUID.randomUUID(), marks.directory())))
        .isEmpty();
    assertThat(table.attemptOf(502, marks)).isEmpty();
  }

  @Test
  void aProcessOfACopyOfTheNodeInAnotherDirectoryIsNotOfThisNode() throws IOException {
    AttemptMarks marks = AttemptMarks.of(UUID.randomUUID(), folder("data"));
    AttemptMarks copy = AttemptMarks.of(marks.node(), folder("copy"));
    process(501, copy);
    assertThat(table.attemptOf(501, copy)).contains(new AttemptId(7, 2));
    assertThat(table.attemptOf(501, marks)).isEmpty();
  }

  @Test
  void aProcessFromBeforeTheDataDirectoryWasMovedIsOfThisNode() throws IOException {
    Path before = folder("data");
    process(501, AttemptMarks.of(ID, before));
    Path after = proc.resolve("moved");
    Files.move(before, after);
    assertThat(table.attemptOf(501, AttemptMarks.of(ID, after))).contains(new AttemptId(7, 2));
    // Left behind, so that old paths still lead to it.
    Files.createSymbolicLink(before, after);
    assertThat(table.attemptOf(501, AttemptMarks.of(ID, after))).contains(new AttemptId(7, 2));
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectory(proc.resolve(name));
  }

  private void process(long pid, AttemptMarks marks) throws IOException {
    process(pid, 'S', 500, 500, 9_010);
    Files.writeString(
        proc.resolve(pid + "/environ"),
        marks.of(new AttemptId(7, 2)).entrySet().stream()
            .map(one -> one.getKey() + "=" + one.getValue() + "\0")
            .collect(Collectors.joining()));
  }

  private void process(long pid, char state, long group, long session, long start)
      throws IOException {
    Path directory = Files.createDirectories(proc.resolve(Long.toString(pid)));
    Files.writeString(
        directory.resolve("stat"),
        pid
            + " (sleep) "
            + state
            + " 1 "
            + group
            + " "
            + session
            + " 0 -1 4194560 88 0 0 0 0 0 0 0 20 0 1 0 "
            + start
            + " 2465792 227\n");
  }
}
