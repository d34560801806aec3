package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobEnvironmentTest {
  @TempDir private Path folder;
  private Path secrets;

  @BeforeEach
  void prepare() throws IOException {
    secrets = Files.createDirectory(folder.resolve("secrets"));
  }

  @Test
  void theFileComesFirstThenSecretsThenTheJobsOwnVariables() throws IOException {
    Path file = Files.writeString(folder.resolve("env"), "A=file\nB=file\nC=file\n");
    secret("token", "secret\n");
    assertThat(of(Map.of("C", "own"), file.toString(), Map.of("B", "token")))
        .containsExactlyInAnyOrderEntriesOf(Map.of("A", "file", "B", "secret", "C", "own"));
  }

  @Test
  void theFileIsReadAgainAtEachStart() throws IOException {
    Path file = Files.writeString(folder.resolve("env"), "A=1\n");
    assertThat(of(Map.of(), file.toString(), Map.of())).containsEntry("A", "1");
    Files.writeString(file, "A=2\n");
    assertThat(of(Map.of(), file.toString(), Map.of())).containsEntry("A", "2");
  }

  @Test
  void aMissingOrRelativeFileIsRefusedWithTheFix() {
    assertThatThrownBy(() -> of(Map.of(), "/no/such/file", Map.of()))
        .hasMessageContaining("envFile /no/such/file: there is no such file on this node");
    assertThatThrownBy(() -> of(Map.of(), "some/file", Map.of()))
        .hasMessageContaining("write an absolute path");
  }

  @Test
  void aSecretThatOthersMayReadIsRefused() throws IOException {
    Path file = secret("token", "hunter2");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> of(Map.of(), null, Map.of("T", "token")))
        .hasMessageContaining("secret 'token': the file is accessible to others than its owner")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void noNameAndNoLinkLeadsOutOfTheFolder() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "hunter2");
    Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rw-------"));
    Files.createSymbolicLink(secrets.resolve("link"), outside);
    for (String name : List.of("../outside", outside.toString(), "link", "", ".")) {
      assertThatThrownBy(() -> of(Map.of(), null, Map.of("T", name)))
          .hasMessageContaining("secret '" + name + "': it is not a file in the folder");
    }
    assertThatThrownBy(() -> of(Map.of(), null, Map.of("T", "missing")))
        .hasMessageContaining("cannot be read on this node");
  }

  @Test
  void aSecretInAQueuesFolderIsForItsWorkersOnly() throws IOException {
    Files.createDirectories(secrets.resolve("queues/alert"));
    secret("queues/alert/password", "of alert");

    assertThat(as(worker("alert"), Optional.empty())).containsEntry("T", "of alert");
    for (JobDraft other : List.of(worker("other"), JobDraft.command("true"))) {
      assertThatThrownBy(() -> as(other, Optional.empty()))
          .hasMessageContaining("secret 'password': it cannot be read on this node: neither")
          .hasMessageContaining(secrets.resolve("password").toString());
    }
    assertThatThrownBy(() -> of(Map.of(), null, Map.of("T", "queues/alert/password")))
        .hasMessageContaining("is not a file in the folder");
  }

  @Test
  void aSecretInAUsersFolderIsForJobsThatRunAsThisUserOnly() throws IOException {
    Files.createDirectories(secrets.resolve("users/alice"));
    secret("users/alice/password", "of alice");

    assertThat(as(JobDraft.command("true"), Optional.of(new RunAs("alice", 1001, 1001))))
        .containsEntry("T", "of alice");
    for (Optional<RunAs> other :
        List.of(Optional.<RunAs>empty(), Optional.of(new RunAs("bob", 1002, 1002)))) {
      assertThatThrownBy(() -> as(JobDraft.command("true"), other))
          .hasMessageContaining("secret 'password': it cannot be read on this node");
    }
  }

  @Test
  void aNarrowerSecretOverridesTheOneForAllJobs() throws IOException {
    Files.createDirectories(secrets.resolve("queues/alert"));
    secret("queues/alert/password", "of alert");
    secret("password", "of all");

    assertThat(as(worker("alert"), Optional.empty())).containsEntry("T", "of alert");
    assertThat(as(worker("other"), Optional.empty())).containsEntry("T", "of all");
  }

  @Test
  void aFileThatTheJobsUserMayNotReadIsRefused() throws IOException {
    assumeTrue(System.getProperty("user.name").equals("root"), "becoming another user needs root");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path file = Files.writeString(folder.resolve("env"), "A=hunter2\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    RunAs nobody = new RunAs("nobody", 65_534, 65_534);
    for (Path one : List.of(file, link)) {
      assertThatThrownBy(() -> read(one, nobody))
          .hasMessageContaining("not a regular file that the user 'nobody' can read")
          .hasMessageNotContaining("hunter2");
    }

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(read(link, nobody)).containsEntry("A", "hunter2");
  }

  private Map<String, String> read(Path file, RunAs user) {
    return new JobEnvironment(secrets)
        .of(JobDraft.command("true").envFile(file.toString()).spec(), Optional.of(user));
  }

  private static JobDraft worker(String queue) {
    return JobDraft.command("true")
        .input(new BatchInput(queue, "q1", WorkerInput.STDIN, 10, Duration.ofMinutes(1), 1));
  }

  private Map<String, String> as(JobDraft job, Optional<RunAs> user) {
    return new JobEnvironment(secrets).of(job.secrets(Map.of("T", "password")).spec(), user);
  }

  private Map<String, String> of(Map<String, String> own, String file, Map<String, String> named) {
    JobSpec spec = JobDraft.command("true").env(own).envFile(file).secrets(named).spec();
    return new JobEnvironment(secrets).of(spec, Optional.empty());
  }

  private Path secret(String name, String text) throws IOException {
    Path file = Files.writeString(secrets.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }
}
