package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeDeletionTest {
  @TempDir private Path folder;
  private Path tree;
  private Path outside;

  @BeforeEach
  void prepare() throws IOException {
    tree = Files.createDirectory(folder.resolve("tree"));
    outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("precious"), "text");
  }

  @Test
  void aLinkIsDeletedAndNotWhatItLeadsTo() throws IOException {
    Files.createSymbolicLink(tree.resolve("link"), outside);
    Files.createSymbolicLink(folder.resolve("itself"), outside);

    TreeDeletion.delete(tree);
    TreeDeletion.delete(folder.resolve("itself"));
    TreeDeletion.delete(folder.resolve("missing"));

    assertThat(tree).doesNotExist();
    assertThat(Files.exists(folder.resolve("itself"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(outside.resolve("precious")).exists();
  }

  @Test
  void aFolderThatIsSwappedForALinkBeforeItIsOpenedLeadsNowhere() throws IOException {
    Files.createDirectories(tree.resolve("a/b"));

    assertThatThrownBy(() -> TreeDeletion.delete(tree, looked -> swap(looked)))
        .isInstanceOf(IOException.class);

    assertThat(outside.resolve("precious")).exists();
    TreeDeletion.delete(tree);
    assertThat(tree).doesNotExist();
    assertThat(outside.resolve("precious")).exists();
  }

  @Test
  void aFolderThatIsSwappedForALinkOnTheWayToAnOpenOneLeadsNowhere() throws IOException {
    Files.createDirectories(tree.resolve("a/precious"));
    Files.writeString(tree.resolve("a/precious/text"), "the attempt's own");

    assertThatThrownBy(
            () ->
                TreeDeletion.delete(
                    tree,
                    looked -> {
                      if (looked.endsWith("precious")) {
                        swap(tree.resolve("a"));
                      }
                    }))
        .isInstanceOf(IOException.class);

    assertThat(outside.resolve("precious")).exists();
  }

  private void swap(Path one) {
    try {
      Files.move(one, tree.resolveSibling("moved"));
      Files.createSymbolicLink(one, outside);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aTreeThatIsDeeperThanPathsMayBeIsDeleted() throws IOException {
    deepen(tree, 3_000);
    assertThatThrownBy(() -> Files.walk(tree).count()).hasMessageContaining("too long");

    TreeDeletion.delete(tree);

    assertThat(tree).doesNotExist();
  }

  // Relative to open folders, because the path of the lower ones is too long.
  private static void deepen(Path top, int levels) throws IOException {
    Path home = Files.createDirectory(top.resolveSibling("made"));
    Path name = Path.of("d");
    for (int level = 0; level < levels; level++) {
      Path next = Files.createDirectory(home.resolve("next"));
      if (level > 0) {
        Files.move(home.resolve(name), next.resolve(name));
      }
      Files.move(next, home.resolve(name));
    }
    Files.move(home.resolve(name), top.resolve(name));
    Files.delete(home);
    try (var opened = Files.newDirectoryStream(top)) {
      assertThat(opened).isInstanceOf(SecureDirectoryStream.class);
    }
  }

  @Test
  void writeProtectedFoldersAreDeletedAtAnyDepth() throws IOException {
    Path deep = tree;
    for (int level = 0; level < 150; level++) {
      deep = deep.resolve("d");
    }
    Files.createDirectories(deep);
    Files.writeString(deep.resolve("file"), "text");
    for (Path one = deep; !one.equals(folder); one = one.getParent()) {
      Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("r-x------"));
    }

    TreeDeletion.delete(tree);

    assertThat(tree).doesNotExist();
  }
}
