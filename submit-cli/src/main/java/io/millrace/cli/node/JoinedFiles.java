package io.millrace.cli.node;

import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.cli.invocation.Refusal;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;

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

  /**
   * The configuration of a node that has joined; what is not said is as usual. Pure.
   *
   * @param role what it runs
   * @param name unique in the cluster
   * @param central the central managers
   * @param host address to bind, by which the others reach it
   * @param remote whether that is not a loopback address
   * @param port to listen on
   * @param members host and port of members of the cluster view; empty for none known
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
    String text(String publicKeyFile, String tokenFile) {
      StringBuilder text = new StringBuilder();
      text.append("# Written by 'millrace join'; more keys are explained in conf/cluster/.\n");
      text.append("name: ").append(quoted(name)).append('\n');
      text.append("dataDirectory: data\n");
      text.append("central: ").append(list(central)).append('\n');
      text.append("publicKeyFile: ").append(publicKeyFile).append('\n');
      text.append("tokenFile: ").append(tokenFile).append('\n');
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

    // What others named stands between quotes: YAML reads 'on' as a truth and '0x1' as a number.
    private static String quoted(String text) {
      return "'" + text.replace("'", "''") + "'";
    }
  }
}
