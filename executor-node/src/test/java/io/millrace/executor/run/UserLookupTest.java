package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.node.AcceptedUsers;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserLookupTest {
  private static final boolean ROOT = true;
  private static final LimitSettings NONE = LimitSettings.defaults();

  @TempDir private Path folder;

  @Test
  void anAgentThatRunsAsRootRefusesAJobThatNamesNoUser() {
    assertThatThrownBy(() -> lookup(NONE, ROOT).find(null))
        .hasMessageContaining("runs as root and the job names no user")
        .hasMessageContaining("limits.defaultUser");
    assertThat(lookup(NONE, !ROOT).find(null)).isEmpty();
  }

  @Test
  void jobsThatNameNoUserRunAsTheDefaultUserOrAsRootIfTheSettingsSaySo() {
    assertThat(lookup(NONE.withUser(Optional.of("nobody")), ROOT).find(null).map(RunAs::name))
        .hasValue("nobody");
    assertThat(lookup(NONE.withUser(Optional.empty()), ROOT).find(null)).isEmpty();
  }

  @Test
  void aUserThatTheNodeDoesNotNameIsRefused() {
    for (boolean root : List.of(ROOT, !ROOT)) {
      UserLookup lookup = lookup(allowing("daemon"), root);
      assertThatThrownBy(() -> lookup.find("nobody")).hasMessageContaining("runAsUsers");
      assertThatThrownBy(() -> lookup.find("-u 0")).hasMessageContaining("not a user name");
    }
  }

  @Test
  void jobsNeverRunAsRootByNameEvenIfTheSettingsSaySo() {
    UserLookup lookup = lookup(allowing("root", "no-such-user"), ROOT);
    assertThatThrownBy(() -> lookup.find("root")).hasMessageContaining("never run as root");
    assertThatThrownBy(() -> lookup.find("no-such-user")).hasMessageContaining("no such user");
    assertThatThrownBy(
            () ->
                lookup(NONE.withUser(Optional.of("root")), ROOT)
                    .prepare(folder, folder.resolve("attempts")))
        .hasMessageContaining("never run as root");
  }

  @Test
  void anAgentWithoutTheRightsOfRootRefusesOtherUsers() {
    assertThatThrownBy(() -> lookup(allowing("nobody"), !ROOT).find("nobody"))
        .hasMessageContaining("does not run as root and cannot become another user");
    assertThatThrownBy(
            () -> lookup(NONE.withUser(Optional.of("nobody")), !ROOT).prepare(folder, folder))
        .hasMessageContaining("cannot become another user");
  }

  @Test
  void theDefaultUserPassesThroughTheNodesFoldersAndListsNone() throws IOException {
    assumeTrue(System.getProperty("user.name").equals("root"), "becoming another user needs root");
    mode(folder, "rwxr-xr-x");
    Path data = Files.createDirectory(folder.resolve("data"));
    mode(data, "rwx------");
    UserLookup lookup = lookup(NONE.withUser(Optional.of("nobody")), ROOT);

    assertThatCode(() -> lookup.prepare(data, data.resolve("attempts"))).doesNotThrowAnyException();

    for (Path one : List.of(data, data.resolve("attempts"))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(one)))
          .isEqualTo("rwx--x--x");
    }
    mode(folder, "rwx------");
    assertThatThrownBy(() -> lookup.prepare(data, data.resolve("attempts")))
        .hasMessageContaining("jobs run as 'nobody', who cannot enter " + folder)
        .hasMessageContaining("use a data directory that this user can reach");
  }

  @Test
  void anAgentAnnouncesTheUsersThatItAccepts() {
    LimitSettings named = allowing("daemon", "reports", "root", "-u 0");
    assertThat(lookup(named, ROOT).accepted())
        .isEqualTo(new AcceptedUsers(Set.of("daemon", "reports"), false));
    assertThat(lookup(NONE.withUser(Optional.of("nobody")), ROOT).accepted())
        .isEqualTo(new AcceptedUsers(Set.of("nobody"), true));
    assertThat(lookup(NONE.withUser(Optional.empty()), ROOT).accepted())
        .isEqualTo(new AcceptedUsers(Set.of(), true));
    assertThat(lookup(named, !ROOT).accepted())
        .isEqualTo(new AcceptedUsers(Set.of(System.getProperty("user.name")), true));
  }

  @Test
  void usersForWhichARegistrationHasNoRoomAreNotAnnounced() {
    Map<String, String> labels = Map.of("label.rack", "r1");
    String[] users =
        IntStream.range(0, 200).mapToObj(i -> "a-rather-long-name-" + i).toArray(String[]::new);
    Map<String, String> few = lookup(allowing("daemon"), ROOT).announcedWith(labels);
    assertThat(few).containsEntry("users", "daemon").containsEntry("withoutUser", "false");
    assertThat(lookup(allowing(users), ROOT).announcedWith(labels)).isEqualTo(labels);
  }

  private static void mode(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private static LimitSettings allowing(String... users) {
    return new LimitSettings(
        NONE.logHead(),
        NONE.logTail(),
        Optional.empty(),
        List.of(users),
        Optional.empty(),
        false,
        Optional.empty());
  }

  private static UserLookup lookup(LimitSettings limits, boolean root) {
    return new UserLookup(limits, new SystemClock(), root);
  }
}
