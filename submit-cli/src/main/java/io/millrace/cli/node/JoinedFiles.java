package io.millrace.cli.node;

import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.PrivateFiles;
import io.millrace.platform.identity.ServerCredential;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.ECPrivateKey;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The files of a joined node, in one directory and readable by their owner only: identity, public
 * key and configuration.
 */
final class JoinedFiles {

  private final Path folder;
  private final JoinRole role;

  JoinedFiles(Path folder, JoinRole role) {
    this.folder = folder.toAbsolutePath().normalize();
    this.role = role;
  }

  /** The configuration file. */
  Path configuration() {
    return folder.resolve(role.label() + ".yaml");
  }

  /**
   * Creates the directory first, so that no token is used up if the files cannot be written.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST if it cannot be created or already
   *     contains a node
   */
  void prepare() {
    try {
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
    } catch (IOException e) {
      throw OptionRefusal.of(
          "--data", "cannot create %s (%s); use another directory".formatted(folder, e));
    }
    OptionRefusal.unless(
        Files.isWritable(folder), "--data", folder + " is not writable; use another directory");
    for (Path file : new Path[] {configuration(), folder.resolve(ServerCredential.FILE)}) {
      OptionRefusal.unless(
          !Files.exists(file),
          "--data",
          file + " already exists: this machine has joined; start it, or use another directory");
    }
  }

  /** Writes the files; the configuration last, so that its presence means that all are complete. */
  void write(JoinAnswer answer, ECPrivateKey key, NodeConfiguration configuration) {
    PrivateFiles.write(folder.resolve(KeyFiles.PUBLIC), answer.publicKey());
    ServerCredential.write(folder.resolve(ServerCredential.FILE), answer.certificate(), key);
    PrivateFiles.write(configuration(), configuration.text(KeyFiles.PUBLIC, ServerCredential.FILE));
  }

  /**
   * The configuration of a node that has joined; other settings have their defaults. Pure.
   *
   * @param role of the node
   * @param name unique in the cluster
   * @param central the central managers
   * @param host address to bind, which is reachable by other members
   * @param remote whether it is not a loopback address
   * @param port to listen on
   * @param members host and port of members of the cluster view; may be empty
   */
  record NodeConfiguration(
      JoinRole role,
      String name,
      List<URI> central,
      String host,
      boolean remote,
      int port,
      List<String> members) {
    /** As YAML, with paths relative to the file's folder. */
    String text(String publicKeyFile, String identityFile) {
      StringBuilder text = new StringBuilder();
      text.append("# Written by 'millrace join'; more keys are explained in conf/cluster/.\n");
      text.append("name: ").append(quoted(name)).append('\n');
      text.append("dataDirectory: data\n");
      text.append("central: ").append(list(central)).append('\n');
      text.append("publicKeyFile: ").append(publicKeyFile).append('\n');
      text.append("identityFile: ").append(identityFile).append('\n');
      text.append("web:\n");
      text.append("  host: ").append(quoted(host)).append('\n');
      text.append("  port: ").append(port).append('\n');
      if (remote) {
        text.append(
            "  allowRemote: true   # this port is for the cluster's private network only\n");
      }
      if (role.member()) {
        text.append("membership:\n");
        text.append("  host: ").append(quoted(host)).append('\n');
        text.append("  members: ").append(list(members)).append('\n');
      }
      return text.toString();
    }

    private static String list(List<?> things) {
      return things.stream()
          .map(String::valueOf)
          .map(NodeConfiguration::quoted)
          .collect(Collectors.joining(", ", "[", "]"));
    }

    // Quoted, because YAML reads 'on' as a boolean and '0x1' as a number.
    private static String quoted(String text) {
      return "'" + text.replace("'", "''") + "'";
    }
  }
}
