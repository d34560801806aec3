package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFoldersTest {
  private static final LimitSettings NONE = LimitSettings.defaults();

  @TempDir private Path folder;

  @Test
  void missingParentsOfADataDirectoryLetTheUsersOfJobsPass() throws IOException {
    assumeRoot();
    Path closed = Files.createDirectory(folder.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-x---"));
    Path data = closed.resolve("a/b/data");

    assertThat(JobFolders.create(data, NONE.withUser(Optional.of("nobody")))).isEqualTo(data);

    for (Path created : List.of(closed.resolve("a"), closed.resolve("a/b"), data)) {
      assertThat(mode(created)).as(created.toString()).isEqualTo("rwx--x--x");
    }
    assertThat(mode(closed)).isEqualTo("rwxr-x---");
  }

  @Test
  void aJobsUserReachesADataDirectoryWhoseParentsWereMissing() throws IOException {
    assumeRoot();
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    LimitSettings limits = NONE.withUser(Optional.of("nobody"));
    Path data = JobFolders.create(folder.resolve("a/b/data"), limits);

    new UserLookup(limits, new SystemClock()).prepare(data, data.resolve("attempts"));

    assertThat(mode(data.resolve("attempts"))).isEqualTo("rwx--x--x");
  }

  @Test
  void withoutOtherUsersNobodyElsePasses() throws IOException {
    Path data = JobFolders.create(folder.resolve("a/data"), NONE);

    assertThat(mode(data)).isEqualTo("rwx------");
    assertThat(mode(folder.resolve("a"))).isEqualTo("rwx------");
  }

  @Test
  void foldersThatExistAreNotChanged() throws IOException {
    Path data = Files.createDirectories(folder.resolve("a/data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));

    JobFolders.createPassable(data);

    assertThat(mode(data)).isEqualTo("rwxr-x---");
  }

  @Test
  void aFileInItsPlaceIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("data"), "");
    assertThatThrownBy(() -> JobFolders.create(file, NONE))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot create the folder " + file);
  }

  private static void assumeRoot() {
    assumeTrue(JobFolders.isRoot(), "jobs become other users only if the agent runs as root");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
