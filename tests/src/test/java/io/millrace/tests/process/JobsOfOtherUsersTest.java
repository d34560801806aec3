package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.api.notification.Notification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A cluster of six processes that run as root, whose jobs run as two other users: a job of one of
 * them tries to read everything of the other's, of the agent's and of the cluster's.
 */
@Tag("drill")
class JobsOfOtherUsersTest {
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String DEFAULT_USER = "nobody";
  private static final String OTHER_USER = "daemon";
  private static final String SECRET = "hunter2";
  private static final String LIMITS =
      "slots: 8\nlimits: {defaultUser: nobody, runAsUsers: [daemon]}\n";

  /** Prints each file of a list that can be read, or of a folder that can be listed. */
  private static final String TRY_ALL =
      """
      while read -r file; do
        if [ -d "$file" ]; then
          ls -A "$file" > found 2> /dev/null && [ -s found ] && echo "LISTED $file"
        elif head -c 1 "$file" > found 2> /dev/null && [ -s found ]; then
          echo "READ $file"
        fi
      done < "$1"
      echo tried
      """;

  @RegisterExtension
  static final SeparateRoles CLUSTER =
      new SeparateRoles(
          2,
          2,
          Map.of("e1", LIMITS, "e2", "slots: 4\npools: [other]\nlimits: {runAsUsers: [daemon]}\n"));

  @BeforeAll
  static void assumeRoot() {
    assumeTrue(
        System.getProperty("user.name").equals("root"),
        "not run as root: jobs cannot become other users");
  }

  @Test
  void aJobReadsNothingOfAnotherUserOfTheAgentOrOfTheCluster() throws Exception {
    Path folder = CLUSTER.folder("list").getParent();
    String victim = victim(OTHER_USER);
    victim(null);
    List<Path> files = new ArrayList<>();
    for (String part : List.of("data", "tokens")) {
      try (Stream<Path> all = Files.walk(folder.resolve(part))) {
        files.addAll(all.filter(JobsOfOtherUsersTest::hasContent).toList());
      }
    }
    for (String process : List.of(victim, Long.toString(ProcessHandle.current().pid()))) {
      for (String part : List.of("environ", "maps", "fd", "cwd", "fd/1", "root")) {
        files.add(Path.of("/proc", process, part));
      }
    }
    assertThat(files)
        .as("what there is to be read")
        .hasSizeGreaterThan(60)
        .anyMatch(file -> file.endsWith("admin.token"))
        .anyMatch(file -> file.endsWith("cluster.key"))
        .anyMatch(file -> file.endsWith("node.identity"))
        .anyMatch(file -> file.endsWith("assignment.json"))
        .anyMatch(file -> file.endsWith("work/mine"));
    Path list =
        Files.write(folder.resolve("list/files"), files.stream().map(Path::toString).toList());

    List<String> read = tryAll(DEFAULT_USER, list);

    // Of its own user's job it reads what that job has written, which shows that it can.
    assertThat(read).anyMatch(line -> line.endsWith("work/mine"));
    assertThat(read)
        .filteredOn(line -> !isOf(folder, line, DEFAULT_USER))
        .as("read by a job of " + DEFAULT_USER + " besides files of its own user")
        .isEmpty();
  }

  @Test
  void aJobThatNamesNoUserRunsAsTheDefaultUserAndWaitsWithoutOne() throws Exception {
    JobView ended = run(JobDraft.command("id", "-un"));
    assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(output(ended)).isEqualTo(DEFAULT_USER + "\n");

    long waiting = CLUSTER.central().submit(JobDraft.command("true").pool("other").spec()).id();
    Awaitility.await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(CLUSTER.central().explain(waiting).reasons())
                    .extracting(WaitReason::code)
                    .contains(WaitCode.NO_USER));
    CLUSTER.central().cancel(waiting);
  }

  @Test
  void theAgentReadsNoFileForAJobThatItsUserCannotRead() throws Exception {
    Path folder = CLUSTER.folder("environment");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path file = Files.writeString(folder.resolve("root.env"), "A=" + SECRET + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    for (Path one : List.of(file, link)) {
      JobView refused = run(JobDraft.command("sh", "-c", "echo $A").envFile(one.toString()));
      assertThat(refused.state()).as(one.toString()).isEqualTo(JobState.FAILED);
      assertThat(refused.reason()).contains("'nobody' can read").doesNotContain(SECRET);
    }
  }

  @Test
  void aJobOfAnotherUserCannotGetOtherRights() throws Exception {
    JobView ended = run(JobDraft.command("grep", "NoNewPrivs", "/proc/self/status"));
    assertThat(output(ended)).isEqualTo("NoNewPrivs:\t1\n");
  }

  @Test
  void aNotificationCommandRunsAsTheUserOfItsJob() throws Exception {
    Path folder = CLUSTER.folder("told");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path told = folder.resolve("user");
    List<String> tell =
        List.of("sh", "-c", "id -un > $1.part; mv $1.part $1", "tell", told.toString());
    JobView failed =
        run(
            JobDraft.command("false")
                .runAs(OTHER_USER)
                .notification(new Notification(null, tell, null, null)));
    assertThat(failed.state()).isEqualTo(JobState.FAILED);
    Awaitility.await("the notification").atMost(LONG).until(() -> Files.exists(told));
    assertThat(told).hasContent(OTHER_USER);
  }

  @Test
  void noFileOfAServerIsOpenToOtherUsers() throws Exception {
    Path folder = CLUSTER.folder("list").getParent();
    victim(OTHER_USER);
    List<Path> files = new ArrayList<>();
    for (String part : List.of("data", "tokens")) {
      try (Stream<Path> all = Files.walk(folder.resolve(part))) {
        files.addAll(all.toList());
      }
    }
    assertThat(files).hasSizeGreaterThan(60);
    assertThat(files).filteredOn(PrivateDataTest::isOpen).isEmpty();
  }

  /** Starts a job that has secrets in its files, its output and its environment; its process ID. */
  private static String victim(String user) {
    long job =
        CLUSTER
            .central()
            .submit(
                JobDraft.command(
                        "sh", "-c", "echo $SECRET > mine; echo $SECRET; echo $$; sleep 600")
                    .env(Map.of("SECRET", SECRET))
                    .stdin(SECRET)
                    .runAs(user)
                    .spec())
            .id();
    Path stdout = attempt(job).resolve("stdout");
    Awaitility.await().atMost(LONG).until(() -> lines(stdout).size() == 2);
    return lines(stdout).get(1);
  }

  private static List<String> tryAll(String user, Path list) throws Exception {
    JobView ended = run(JobDraft.command("sh", "-c", TRY_ALL, "try", list.toString()).runAs(user));
    assertThat(ended.state()).as(ended.reason()).isEqualTo(JobState.SUCCEEDED);
    List<String> lines = output(ended).lines().toList();
    assertThat(lines).last().isEqualTo("tried");
    return lines.subList(0, lines.size() - 1);
  }

  private static JobView run(JobDraft job) {
    long id = CLUSTER.central().submit(job.spec()).id();
    return CLUSTER.central().await(id, LONG);
  }

  private static String output(JobView job) throws IOException {
    return Files.readString(attempt(job.id()).resolve("stdout"));
  }

  private static Path attempt(long job) {
    try {
      return CLUSTER.folder("list").resolveSibling("data/e1/attempts").resolve(job + ".1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file)
          ? Files.readString(file, StandardCharsets.UTF_8).lines().toList()
          : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean hasContent(Path file) {
    try {
      return Files.isDirectory(file) || Files.size(file) > 0;
    } catch (IOException deletedMeanwhile) {
      return false;
    }
  }

  private static boolean isOf(Path folder, String line, String user) {
    Path file = Path.of(line.substring(line.indexOf(' ') + 1));
    try {
      return file.startsWith(folder) && Files.getOwner(file).getName().equals(user);
    } catch (IOException deletedMeanwhile) {
      return false;
    }
  }
}
