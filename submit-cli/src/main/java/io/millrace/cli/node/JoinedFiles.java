package io.millrace.cli.node;

import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.executor.run.JobFolders;
import io.millrace.executor.run.LimitSettings;
import io.millrace.executor.run.UserLookup;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The files of a joined node, in one directory and readable by their owner only: identity, public
 * key and configuration.
 */
final class JoinedFiles {
  private static final String DATA = "data";

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

  /** The data directory, relative to that of the files; may be that directory itself. */
  String dataDirectory() {
    boolean used = NodeIdFile.read(folder).isPresent() || RequestNumbers.isUsed(folder);
    return used ? "." : DATA;
  }

  /** The ID of a data directory that an earlier identity or version has used; empty for none. */
  Optional<UUID> id() {
    return NodeIdFile.read(folder.resolve(dataDirectory()));
  }

  /**
   * Creates the directory first, so that no token is used up if the files cannot be written, or if
   * the user of jobs could not use them.
   *
   * @throws io.millrace.api.MillraceException INVALID_REQUEST if it cannot be created or already
   *     contains a node; CONFIGURATION with what to do if the user of jobs does not exist or cannot
   *     reach the directory
   */
  void prepare(JoinedUsers users, Clock clock) {
    users.runAs().ifPresent(name -> JobFolders.createPassable(folder));
    prepareFolder();
    if (users.runAs().isPresent()) {
      Path data = folder.resolve(dataDirectory()).normalize();
      new UserLookup(LimitSettings.defaults().withUser(users.runAs()), clock)
          .prepare(data, data.resolve("attempts"));
    }
  }

  private void prepareFolder() {
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
    OptionRefusal.unless(
        isJoining() || !Files.exists(identity()),
        "--data",
        identity()
            + " already exists: this machine has joined; start it, use another directory, or delete"
            + " the file to join again");
  }

  /** Whether an earlier request to join was not completed. */
  boolean isJoining() {
    return Files.exists(joiningKey());
  }

  /**
   * The key of the machine. It is stored before the request, so that a request whose answer was
   * lost can be repeated with the same key.
   */
  KeyPair key() {
    try {
      if (!isJoining()) {
        KeyPair pair = KeyFiles.newPair();
        PrivateFiles.write(
            joiningKey(), text(pair.getPublic()) + "\n" + text(pair.getPrivate()) + "\n");
      }
      List<String> lines = Files.readAllLines(joiningKey());
      Base64.Decoder decoder = Base64.getDecoder();
      return new KeyPair(
          KeyFiles.publicKey(decoder.decode(lines.get(0))),
          KeyFiles.privateKey(decoder.decode(lines.get(1))));
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw OptionRefusal.of(
          "--data", "%s contains no key (%s); delete it".formatted(joiningKey(), e.getMessage()));
    }
  }

  private static String text(Key key) {
    return Base64.getEncoder().encodeToString(key.getEncoded());
  }

  /** Deletes the key of a request that was refused. */
  void discardKey() {
    try {
      Files.deleteIfExists(joiningKey());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes the files, and deletes the separate key last: its absence means that all are complete.
   *
   * @return where the configuration of an earlier version is kept; empty if there was none
   */
  Optional<Path> write(JoinAnswer answer, NodeConfiguration configuration) {
    ECPrivateKey key = (ECPrivateKey) key().getPrivate();
    PrivateFiles.write(folder.resolve(KeyFiles.PUBLIC), answer.publicKey());
    NodeCredential.write(identity(), answer.certificate(), key);
    Optional<Path> former = keepConfiguration();
    PrivateFiles.write(configuration(), configuration.text(KeyFiles.PUBLIC, NodeCredential.FILE));
    discardKey();
    return former;
  }

  private Optional<Path> keepConfiguration() {
    if (!Files.exists(configuration())) {
      return Optional.empty();
    }
    try {
      int number = 1;
      while (Files.exists(kept(number))) {
        number++;
      }
      return Optional.of(Files.move(configuration(), kept(number)));
    } catch (IOException e) {
      throw OptionRefusal.of(
          "--data", "cannot rename %s (%s); move it away".formatted(configuration(), e));
    }
  }

  private Path kept(int number) {
    return folder.resolve(configuration().getFileName() + ".old" + number);
  }

  private Path identity() {
    return folder.resolve(NodeCredential.FILE);
  }

  private Path joiningKey() {
    return folder.resolve("joining.key");
  }

  /**
   * The configuration of a node that has joined; other settings have their defaults. Pure.
   *
   * @param role of the node
   * @param name unique in the cluster
   * @param dataDirectory relative to the folder of the files
   * @param central the central managers
   * @param host address to bind, which is reachable by other members
   * @param remote whether it is not a loopback address
   * @param port to listen on
   * @param limits the limits of jobs, as YAML or as a comment; may be empty
   */
  record NodeConfiguration(
      JoinRole role,
      String name,
      String dataDirectory,
      List<URI> central,
      String host,
      boolean remote,
      int port,
      String limits) {
    /** As YAML, with paths relative to the file's folder. */
    String text(String publicKeyFile, String identityFile) {
      StringBuilder text = new StringBuilder();
      text.append("# Written by 'millrace join'; more keys are explained in conf/cluster/.\n");
      text.append("name: ").append(quoted(name)).append('\n');
      text.append("dataDirectory: ").append(dataDirectory).append('\n');
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
      }
      return text.append(limits).toString();
    }

    private static String list(List<?> things) {
      return things.stream()
          .map(String::valueOf)
          .map(JoinedFiles::quoted)
          .collect(Collectors.joining(", ", "[", "]"));
    }
  }

  /**
   * As YAML text in quotes, because YAML reads {@code on} as a boolean and {@code 0x1} as a number.
   */
  static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
