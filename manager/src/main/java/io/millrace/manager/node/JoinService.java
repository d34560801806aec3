package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.manager.node.JoinTokenDao.Terms;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Creates one-time join tokens and exchanges them for identities of single machines. Only hashes of
 * join tokens are stored. Thread-safe; every method blocks on the database.
 */
public final class JoinService {
  private static final Set<String> ROLES =
      Role.nodes().stream().map(Role::label).collect(Collectors.toUnmodifiableSet());
  private static final Pattern NAME_PATTERN = Pattern.compile("[A-Za-z0-9._*-]{1,60}");
  private static final Duration DEFAULT_VALIDITY = Duration.ofHours(1);
  private static final Duration MAX_VALIDITY = Duration.ofDays(7);
  private static final Duration SHOWN_AFTER_EXPIRY = Duration.ofDays(1);
  private static final String PREFIX = "mrj_";
  private static final int BYTES = 32;

  private final Database database;
  private final DatabaseTime time;
  private final JoinTokenDao store = new JoinTokenDao();
  private final NodeIdentities identities;
  private final TokenIssuer issuer;
  private final String publicKey;
  private final SecureRandom random = new SecureRandom();

  /**
   * Creates the service.
   *
   * @param publicKey the cluster's public key, PEM
   */
  public JoinService(
      Database database, NodeIdentities identities, TokenIssuer issuer, String publicKey) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.identities = identities;
    this.issuer = issuer;
    this.publicKey = publicKey;
  }

  /** Creates a join token. */
  public JoinToken create(JoinTokenRequest request, String actor) {
    if (request.role() == null || !ROLES.contains(request.role())) {
      throw refuse("role: use one of %s, not '%s'".formatted(new TreeSet<>(ROLES), request.role()));
    }
    Duration validFor = request.validFor() == null ? DEFAULT_VALIDITY : request.validFor();
    if (validFor.isNegative() || validFor.isZero() || validFor.compareTo(MAX_VALIDITY) > 0) {
      throw refuse("validFor: use more than 0 and at most " + Durations.format(MAX_VALIDITY));
    }
    if (request.name() != null && !NAME_PATTERN.matcher(request.name()).matches()) {
      throw refuse(
          "name: use a name, or a pattern such as 'rack7-*', not '%s'".formatted(request.name()));
    }
    if (request.replace() && (request.name() == null || request.name().contains("*"))) {
      throw refuse("replace: name the one node that loses its identity; a pattern is not allowed");
    }
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          store.deleteExpired(handle, now.minus(SHOWN_AFTER_EXPIRY));
          store.insert(handle, hash(token), request, actor, now.plus(validFor));
          return new JoinToken(token, request.role(), now.plus(validFor));
        });
  }

  /**
   * Exchanges a join token for the identity of a machine. A machine that repeats its request, with
   * the same token, name and key, gets the same identity again.
   *
   * @param central addresses of central managers, for the machine's configuration
   * @throws MillraceException UNAUTHENTICATED for an unknown or expired token, CONFLICT for a used
   *     one and for a name or ID in use (with a token that replaces: in use by a node of another
   *     role), FORBIDDEN for a role or a name that the token does not allow; what is refused uses
   *     up no token
   */
  public JoinAnswer join(String token, JoinRequest request, List<URI> central) {
    String name = request.name();
    ECPublicKey key = key(request);
    Names.require("name", name, ErrorCode.INVALID_REQUEST);
    if (Role.of(name).isPresent()) {
      throw refuse("name: '%s' is the name of a role; use another one".formatted(name));
    }
    String keyHash = hash(request.key());
    NodeIdentity node =
        database.transaction(
            handle -> {
              Instant now = time.now(handle);
              JoinTokenDao.Row row =
                  store.lock(handle, hash(token)).orElseThrow(JoinService::unknown);
              Terms terms = store.terms(handle, hash(token));
              if (row.usedAt() != null) {
                return repeated(handle, row, terms, name, keyHash);
              }
              if (!row.expiresAt().isAfter(now)) {
                throw unknown();
              }
              requireRole(row, request.role());
              requireAllowed(terms, name);
              UUID id = request.id() == null ? UUID.randomUUID() : request.id();
              NodeIdentity joined = new NodeIdentity(Role.of(row.role()).orElseThrow(), name, id);
              store.use(handle, hash(token), joined.name(), joined.id(), keyHash, now);
              identities.add(handle, joined, row.madeBy(), terms.takesOver(), now);
              return joined;
            });
    return new JoinAnswer(node.role().label(), name, issuer.certify(node, key), publicKey, central);
  }

  /** The identity that a request before got, whose answer the machine may not have received. */
  private NodeIdentity repeated(
      Handle handle, JoinTokenDao.Row row, Terms terms, String name, String keyHash) {
    return Optional.ofNullable(terms.nodeId())
        .filter(id -> keyHash.equals(terms.keyHash()))
        .flatMap(id -> identities.valid(handle, id))
        .filter(node -> node.name().equals(name))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.CONFLICT,
                    "this token was used by %s at %s; create another one with 'millrace token join'"
                        .formatted(row.usedBy(), row.usedAt())));
  }

  private static ECPublicKey key(JoinRequest request) {
    if (request.key() == null) {
      throw refuse("key: missing; send the machine's public key");
    }
    try {
      return KeyFiles.publicKey(Base64.getDecoder().decode(request.key()));
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "key: not a P-256 public key in X.509, Base64", e);
    }
  }

  /** A machine of an earlier version names no role, and gets that of the token. */
  private static void requireRole(JoinTokenDao.Row row, String wanted) {
    if (wanted != null && !wanted.equals(row.role())) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token is for the role %1$s, not %2$s, and stays valid; use --role %1$s, or create a token with 'millrace token join --role %2$s'"
              .formatted(row.role(), wanted));
    }
  }

  private static void requireAllowed(Terms terms, String name) {
    if (terms.namePattern() == null) {
      return;
    }
    String[] parts = terms.namePattern().split("\\*", -1);
    String pattern = Stream.of(parts).map(Pattern::quote).collect(Collectors.joining(".*"));
    if (!name.matches(pattern)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token is for the name %s, not %s, and stays valid; use --name, or create another token with 'millrace token join'"
              .formatted(terms.namePattern(), name));
    }
  }

  private static MillraceException unknown() {
    return new MillraceException(
        ErrorCode.UNAUTHENTICATED,
        "the join token is unknown or has expired; an administrator creates one with 'millrace token"
            + " join'");
  }

  private static MillraceException refuse(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
