package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
        .hasMessageContaining("cannot be read");
  }

  @Test
  void aUserThatTheNodeDoesNotNameIsRefused() {
    UserLookup lookup = new UserLookup(Set.of("daemon"));
    assertThat(lookup.find(null)).isEmpty();
    assertThatThrownBy(() -> lookup.find("nobody")).hasMessageContaining("runAsUsers");
    assertThatThrownBy(() -> lookup.find("-u 0")).hasMessageContaining("not a user name");
  }

  @Test
  void jobsNeverRunAsRootEvenWhenTheSettingsSaySo() {
    UserLookup lookup = new UserLookup(Set.of("root", "no-such-user"));
    if (System.getProperty("user.name").equals("root")) {
      assertThatThrownBy(() -> lookup.find("root")).hasMessageContaining("never run as root");
      assertThatThrownBy(() -> lookup.find("no-such-user")).hasMessageContaining("no such user");
    } else {
      assertThatThrownBy(() -> lookup.find("root")).hasMessageContaining("does not run as root");
    }
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
