package io.millrace.platform.data;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.ECPublicKey;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Files and addresses of a node's configuration.
 *
 * @param name of the node
 * @param dataDirectory of the node
 * @param central the central managers
 * @param publicKeyFile the cluster's public key
 * @param identityFile the node's identity; empty for the usual file in its data directory
 */
public record NodeSettings(
    String name,
    Path dataDirectory,
    List<URI> central,
    Path publicKeyFile,
    Optional<Path> identityFile) {
  private Path identity() {
    return identityFile.orElse(dataDirectory.resolve(NodeCredential.FILE));
  }

  /** The cluster's public key, which verifies the node's callers. */
  public ECPublicKey clusterKey() {
    return KeyFiles.publicKey(publicKeyFile);
  }

  /**
   * Reads the node's identity, and claims its data directory for it. Where the cluster's key is
   * beside the public key, on the machine of a central manager, a missing identity, or one of
   * former keys, is created anew.
   *
   * @param role in which the node runs
   * @throws MillraceException CONFIGURATION if the identity is missing or that of another role or
   *     node
   */
  public NodeCredential credential(Role role, Clock clock) {
    ECPublicKey cluster = clusterKey();
    Path keys = publicKeyFile.toAbsolutePath().getParent();
    boolean certifies = Files.isReadable(keys.resolve(KeyFiles.PRIVATE));
    if (certifies && NodeCredential.isMissingOrOfOtherKeys(identity(), cluster)) {
      UUID id = NodeIdFile.ensure(dataDirectory);
      NodeIdentity node = new NodeIdentity(role, name, id);
      new TokenIssuer(KeyFiles.privateKey(keys), clock).credential(node).write(identity());
    }
    NodeCredential credential = NodeCredential.read(identity(), cluster);
    NodeIdentity found = credential.identity();
    if (found.role() != role || !found.name().equals(name)) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "%s is the identity of %s %s, not of %s %s; use its name and role, or join again"
              .formatted(identity(), found.role().label(), found.name(), role.label(), name));
    }
    NodeIdFile.claim(dataDirectory, found);
    return credential;
  }
}
