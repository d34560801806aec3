package io.millrace.cli.node;

import io.millrace.api.node.JoinAnswer;
import io.millrace.cli.invocation.Refusal;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The files with which a new machine takes its role, all in one folder and readable by its owner
 * only: token, public key and configuration.
 */
final class JoinedFiles {
  private static final String TOKEN = "node.token";

  private final Path folder;
  private final JoinRole role;

  JoinedFiles(Path folder, JoinRole role) {
    this.folder = folder.toAbsolutePath().normalize();
    this.role = role;
  }

  /** The configuration file. */
  Path configuration() {
    return folder.resolve(role.word() + ".yaml");
  }

  /**
   * Makes the folder, so that a token is not used up for files that can't be written.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST when it can't be made or holds a node
   *     already
   */
  void prepare() {
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw Refusal.of("--data", folder + " can't be made (" + e + "); name another folder");
    }
    Refusal.unless(Files.isWritable(folder), "--data", folder + " is not writable; name another");
    for (Path file : new Path[] {configuration(), folder.resolve(TOKEN)}) {
      Refusal.unless(
          !Files.exists(file),
          "--data",
          file + " is there already: this machine has joined; start it, or name another folder");
    }
  }

  /** Writes them; the configuration last, so that its presence says that all are there. */
  void write(JoinAnswer answer, NodeConfiguration configuration) {
    PrivateFiles.write(folder.resolve(KeyFiles.PUBLIC), answer.publicKey());
    PrivateFiles.write(folder.resolve(TOKEN), answer.token() + "\n");
    PrivateFiles.write(configuration(), configuration.text(KeyFiles.PUBLIC, TOKEN));
  }
}
