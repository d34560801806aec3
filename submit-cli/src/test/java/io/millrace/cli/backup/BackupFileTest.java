package io.millrace.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupFileTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = folder.resolve("b.zip");
    write(BackupManifest.VERSION);
  }

  private void write(int version) throws IOException {
    // Text that cannot be compressed, so that most of the file is content.
    byte[] content = new byte[20_000];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) random.nextInt();
    }
    try (BackupWriter writer = BackupWriter.create(file, true)) {
      writer.add("stores/q1.ndjson", out -> 0);
      writer.add(
          BackupManifest.CENTRAL,
          out -> {
            out.write(content);
            return 3;
          });
      writer.finish(
          new BackupManifest(
              BackupManifest.FORMAT,
              version,
              "id",
              "1.0",
              Instant.EPOCH,
              Instant.EPOCH,
              Map.of(),
              List.of(),
              List.of(),
              writer.parts(),
              null));
    }
  }

  @Test
  void aBackupIsReadableByItsOwnerOnlyAndHasItsNameWhenItIsWhole() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(folder.toFile().list()).containsExactly("b.zip");
    CommandRun run = new CommandRun(new FakeCluster());
    assertThat(run.run("backup", "verify", file.toString())).isZero();
  }

  @Test
  void whatWasCheckedIsShownInFullHoweverShortTheCheckWas() {
    CommandRun run = new CommandRun(new FakeCluster());
    assertThat(run.run("backup", "verify", file.toString())).isZero();
    assertThat(run.messages()).endsWith("19.5KB of 19.5KB checked\n");
    assertThat(run.output()).endsWith("all checksums match\n");

    CommandRun onTerminal = new CommandRun(new FakeCluster()).onTerminal();
    assertThat(onTerminal.run("backup", "verify", file.toString())).isZero();
    assertThat(onTerminal.messages()).contains("19.5KB of 19.5KB checked");
  }

  @Test
  void aBackupToADirectoryThatDoesNotExistNamesTheDirectory() {
    CommandRun run = new CommandRun(new FakeCluster());
    Path missing = folder.resolve("nope");
    assertThat(run.run("backup", missing.resolve("b.zip").toString())).isEqualTo(2);
    assertThat(run.messages())
        .contains("cannot write to " + missing + ": the directory does not exist");
  }

  @Test
  void aBackupThatFailsLeavesNothingAndKeepsTheOldOne() throws IOException {
    byte[] old = Files.readAllBytes(file);
    assertThatThrownBy(() -> BackupWriter.create(file, false)).hasMessageContaining("--overwrite");
    try (BackupWriter writer = BackupWriter.create(file, true)) {
      assertThatThrownBy(
              () ->
                  writer.add(
                      "x",
                      out -> {
                        throw new IOException("cut off");
                      }))
          .hasMessage("cut off");
    }
    assertThat(folder.toFile().list()).containsExactly("b.zip");
    assertThat(Files.readAllBytes(file)).isEqualTo(old);
  }

  @Test
  void aLinkThatSomebodyPreparedIsNotWrittenThrough() throws IOException {
    byte[] old = Files.readAllBytes(file);
    Path victim = Files.writeString(folder.resolve("victim"), "precious");
    Path nobody = folder.resolve("nobody");
    long guessed = 0xabcL;
    Path link = folder.resolve("b.zip.abc.unfinished");
    for (Path to : List.of(victim, nobody)) {
      Files.createSymbolicLink(link, to);
      assertThatThrownBy(() -> BackupWriter.create(file, true, () -> guessed).close())
          .isInstanceOf(FileAlreadyExistsException.class);
      assertThat(link).as("it is not ours").isSymbolicLink();
      Files.delete(link);
    }
    assertThat(victim).hasContent("precious");
    assertThat(nobody).doesNotExist();
    assertThat(Files.readAllBytes(file)).isEqualTo(old);
  }

  @Test
  void aBackupThatASignalEndsLeavesNothing() throws Exception {
    Process backup =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                UnfinishedBackup.class.getName(),
                file.toString())
            .redirectError(Redirect.INHERIT)
            .start();
    try (BufferedReader output = backup.inputReader()) {
      assertThat(output.readLine()).isEqualTo("b.zip and one that is unfinished");
      backup.destroy();
      assertThat(backup.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      backup.destroyForcibly();
    }
    assertThat(folder.toFile().list()).containsExactly("b.zip");
  }

  /** A process that has begun a backup and does not end. */
  static final class UnfinishedBackup {
    private UnfinishedBackup() {}

    public static void main(String[] args) throws Exception {
      Path file = Path.of(args[0]);
      try (BackupWriter writer = BackupWriter.create(file, true)) {
        writer.add("stores/q1.ndjson", out -> 0);
        String[] names = file.getParent().toFile().list();
        boolean unfinished =
            names.length == 2
                && List.of(names).contains("b.zip")
                && List.of(names).stream().anyMatch(name -> name.endsWith(".unfinished"));
        System.out.println(unfinished ? "b.zip and one that is unfinished" : List.of(names));
        Thread.currentThread().join();
      }
    }
  }

  @Test
  void aBackupDoesNotReplaceAFileThatWasCreatedMeanwhile() throws IOException {
    Files.delete(file);
    try (BackupWriter writer = BackupWriter.create(file, false)) {
      write(BackupManifest.VERSION);
      byte[] other = Files.readAllBytes(file);
      assertThatThrownBy(() -> writer.finish(null)).hasMessageContaining("--overwrite");
      assertThat(Files.readAllBytes(file)).isEqualTo(other);
    }
    assertThat(folder.toFile().list()).containsExactly("b.zip");
  }

  @Test
  void aDamagedByteIsFoundWhereverItIs() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    // Names and times of entries are not content; the zip's own fields are found by its reader.
    for (int at : new int[] {whole.length / 4, whole.length / 2, whole.length * 3 / 4}) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      Files.write(file, damaged);
      assertRefused("damaged");
    }
  }

  private void assertRefused(String reason) {
    assertThatThrownBy(
            () -> {
              try (BackupFile backup = BackupFile.open(file)) {
                backup.verify((bytes, all) -> {});
              }
            })
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining(file.toString())
        .hasMessageContaining(reason);
  }

  @Test
  void aBackupThatWasCutOffIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (int length : new int[] {0, 10, whole.length / 2, whole.length - 1}) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertRefused("cut off");
    }
    Files.delete(file);
    assertRefused("no such file");
  }

  @Test
  void aBackupOfALaterFormatOrWithoutItsPartsIsRefused() throws IOException {
    write(2);
    assertRefused("version 2");
    write(BackupManifest.VERSION);
    change(zip -> Files.delete(zip.getPath(BackupManifest.CENTRAL)));
    assertRefused("missing");
    write(BackupManifest.VERSION);
    change(zip -> Files.writeString(zip.getPath("more"), "x"));
    assertRefused("does not list");
    write(BackupManifest.VERSION);
    change(zip -> Files.delete(zip.getPath(BackupFile.MANIFEST)));
    assertRefused("no manifest");
    write(BackupManifest.VERSION);
    change(zip -> Files.writeString(zip.getPath(BackupFile.MANIFEST), "{}"));
    assertRefused("not a backup of Millrace");
    Files.write(file, "text".getBytes(StandardCharsets.UTF_8));
    CommandRun run = new CommandRun(new FakeCluster());
    assertThat(run.run("backup", "verify", file.toString())).isEqualTo(2);
  }

  private interface Change {
    void in(FileSystem zip) throws IOException;
  }

  private void change(Change change) throws IOException {
    try (FileSystem zip = FileSystems.newFileSystem(file)) {
      change.in(zip);
    }
  }
}
