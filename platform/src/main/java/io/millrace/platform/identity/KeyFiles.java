package io.millrace.platform.identity;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * The cluster's key pair as PEM files: {@code cluster.key}, for the central managers only (mode
 * 0600), and {@code cluster.pub}, for every server.
 */
public final class KeyFiles {
  /** The file name of the private key. */
  public static final String PRIVATE = "cluster.key";

  /** The file name of the public key. */
  public static final String PUBLIC = "cluster.pub";

  private static final int KEY_BITS = 256;

  private KeyFiles() {}

  /**
   * Creates a key pair in the folder unless there is one; of several central managers that start at
   * the same time on one folder, one creates it and the others wait.
   */
  public static void ensure(Path folder) {
    // A folder that is complete may be one that this process can't write to.
    if (!Files.exists(folder.resolve(PRIVATE))) {
      PrivateFiles.exclusively(folder, () -> make(folder));
    }
  }

  private static void make(Path folder) {
    if (Files.exists(folder.resolve(PRIVATE))) {
      return;
    }
    KeyPair pair = newPair();
    PrivateFiles.write(folder.resolve(PUBLIC), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
    // The private key last: its presence means that the pair is complete.
    PrivateFiles.write(folder.resolve(PRIVATE), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
  }

  /** A new key pair for signatures of this product (P-256). */
  public static KeyPair newPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no P-256 keys", e);
    }
  }

  /** Reads the private key of the folder. */
  public static ECPrivateKey privateKey(Path folder) {
    Path file = folder.resolve(PRIVATE);
    return read(file, KeyFiles::decodePrivate);
  }

  /**
   * A private key from its encoding (PKCS 8).
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static ECPrivateKey privateKey(byte[] bytes) {
    return decoded(bytes, KeyFiles::decodePrivate);
  }

  /**
   * A public key from its encoding (X.509).
   *
   * @throws IllegalArgumentException if it is not a key on the curve that this product uses
   */
  public static ECPublicKey publicKey(byte[] bytes) {
    ECPublicKey key = decoded(bytes, KeyFiles::decodePublic);
    if (key.getParams().getOrder().bitLength() != KEY_BITS) {
      throw new IllegalArgumentException("not a P-256 key");
    }
    return key;
  }

  private static <T> T decoded(byte[] bytes, Decoder<T> decoder) {
    try {
      return decoder.decode(bytes);
    } catch (GeneralSecurityException | ClassCastException e) {
      throw new IllegalArgumentException("not an elliptic curve key", e);
    }
  }

  private static ECPrivateKey decodePrivate(byte[] bytes) throws GeneralSecurityException {
    return (ECPrivateKey) factory().generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }

  private static ECPublicKey decodePublic(byte[] bytes) throws GeneralSecurityException {
    return (ECPublicKey) factory().generatePublic(new X509EncodedKeySpec(bytes));
  }

  /** The text (PEM) of a public key file, checked to be a key. */
  public static String publicText(Path file) {
    return pem("PUBLIC KEY", publicKey(file).getEncoded());
  }

  /** Reads a public key file. */
  public static ECPublicKey publicKey(Path file) {
    return read(file, KeyFiles::decodePublic);
  }

  private static KeyFactory factory() throws GeneralSecurityException {
    return KeyFactory.getInstance("EC");
  }

  private static String pem(String kind, byte[] bytes) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
  }

  private static <T> T read(Path file, Decoder<T> decoder) {
    try {
      String body = Files.readString(file).replaceAll("-----[A-Z ]+-----", "");
      return decoder.decode(Base64.getMimeDecoder().decode(body));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "there is no readable key in "
              + file
              + "; the central manager creates it in its tokens folder, and"
              + " other servers need a copy of "
              + PUBLIC,
          e);
    }
  }

  private interface Decoder<T> {
    T decode(byte[] bytes) throws GeneralSecurityException;
  }
}
