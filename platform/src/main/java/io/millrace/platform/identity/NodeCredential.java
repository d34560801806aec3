package io.millrace.platform.identity;

import com.fasterxml.jackson.core.JacksonException;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.TokenVerifier.Certificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's private key, and the certificate by which the cluster binds it to the node's identity.
 * The key never leaves the machine; only signatures of single calls do.
 *
 * @param identity as certified
 * @param certificate signed with the cluster's key
 * @param key the node's private key
 */
public record NodeCredential(NodeIdentity identity, String certificate, ECPrivateKey key) {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeCredential.class);

  /** The usual name of the file. */
  public static final String FILE = "node.identity";

  /** The content of the file. */
  private record Stored(String certificate, String key) {
    /** Does not show the key. */
    @Override
    public String toString() {
      return certificate;
    }
  }

  /**
   * Reads a credential.
   *
   * @param cluster verifies the certificate
   * @throws MillraceException CONFIGURATION if it is missing, unreadable, of another cluster, or
   *     accessible to other users
   */
  public static NodeCredential read(Path file, ECPublicKey cluster) {
    Stored stored = stored(file);
    requirePrivate(file);
    ECPrivateKey key = KeyFiles.privateKey(Base64.getDecoder().decode(stored.key()));
    Certificate certificate =
        TokenVerifier.certificate(stored.certificate(), cluster)
            .orElseThrow(
                () -> refused(file, "was not issued by this cluster (see publicKeyFile)", null));
    return new NodeCredential(certificate.identity(), stored.certificate(), key);
  }

  /** Whoever reads the key is this node; whoever may write to the folder can replace the file. */
  private static void requirePrivate(Path file) {
    if (!PrivateFiles.isPrivate(file)) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "other users can read the identity file %1$s, which contains the node's private key; run 'chmod 600 %1$s', and if somebody may have read it, withdraw the identity ('millrace identity withdraw') and join again"
              .formatted(file));
    }
    Path folder = file.toAbsolutePath().getParent();
    if (PrivateFiles.isWritableByOthers(folder)) {
      LOGGER.warn(
          "other users can replace the identity file {}; run 'chmod go-w {}'", file, folder);
    }
  }

  private static Stored stored(Path file) {
    try {
      Stored stored = Json.mapper().readValue(Files.readString(file), Stored.class);
      if (stored == null || stored.certificate() == null || stored.key() == null) {
        throw refused(file, "is not an identity file", null);
      }
      KeyFiles.privateKey(Base64.getDecoder().decode(stored.key()));
      return stored;
    } catch (JacksonException | IllegalArgumentException e) {
      throw refused(file, "is not an identity file; move it away or name another", e);
    } catch (IOException e) {
      throw refused(file, "cannot be read", e);
    }
  }

  /**
   * Whether a credential may be written to the file: there is none, or one that was certified with
   * another key of a cluster. Any other file belongs to somebody else.
   */
  public static boolean isMissingOrOfOtherKeys(Path file, ECPublicKey cluster) {
    if (Files.notExists(file)) {
      return true;
    }
    return TokenVerifier.certificate(stored(file).certificate(), cluster).isEmpty();
  }

  /** Writes it, readable by its owner only. */
  public void write(Path file) {
    write(file, certificate, key);
  }

  /** Writes the credential of a node that has joined. */
  public static void write(Path file, String certificate, ECPrivateKey key) {
    String text = Base64.getEncoder().encodeToString(key.getEncoded());
    PrivateFiles.write(file, Json.write(new Stored(certificate, text)) + "\n");
  }

  private static MillraceException refused(Path file, String why, Exception cause) {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        "the identity file %s %s; 'millrace join' or 'millrace token node' creates one"
            .formatted(file, why),
        cause);
  }

  /** Does not show the key. */
  @Override
  public String toString() {
    return identity.audience();
  }
}
