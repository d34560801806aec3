package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Creates one-time join tokens and exchanges them for tokens of single machines, bound to their
 * names. Only hashes of join tokens are stored. Thread-safe; every method blocks on the database.
 */
public final class JoinService {
  private static final Set<String> ROLES = Set.of("execution-node", "queue-node", "load-balancer");
  private static final Duration DEFAULT_VALIDITY = Duration.ofHours(1);
  private static final Duration MAX_VALIDITY = Duration.ofDays(7);
  private static final Duration SHOWN_AFTER_EXPIRY = Duration.ofDays(1);
  private static final String PREFIX = "mrj_";
  private static final int BYTES = 32;

  private final Database database;
  private final DatabaseTime time;
  private final JoinTokenDao store = new JoinTokenDao();
  private final TokenIssuer issuer;
  private final String publicKey;
  private final SecureRandom random = new SecureRandom();

  /**
   * Creates the service.
   *
   * @param publicKey the cluster's public key, PEM
   */
  public JoinService(Database database, TokenIssuer issuer, String publicKey) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
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
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String token = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          store.deleteExpired(handle, now.minus(SHOWN_AFTER_EXPIRY));
          store.insert(handle, hash(token), request.role(), actor, now.plus(validFor));
          return new JoinToken(token, request.role(), now.plus(validFor));
        });
  }

  /**
   * Exchanges a join token for a token of a machine.
   *
   * @param central addresses of central managers, for the machine's configuration
   * @throws MillraceException UNAUTHENTICATED for an unknown or expired token, CONFLICT for a used
   *     one
   */
  public JoinAnswer join(String token, String name, List<URI> central) {
    Names.require("name", name, ErrorCode.INVALID_REQUEST);
    if (Role.of(name).isPresent()) {
      throw refuse("name: '%s' is the name of a role; use another one".formatted(name));
    }
    String role =
        database.transaction(
            handle -> {
              Instant now = time.now(handle);
              JoinTokenDao.Row row =
                  store.lock(handle, hash(token)).orElseThrow(JoinService::unknown);
              if (row.usedAt() != null) {
                throw new MillraceException(
                    ErrorCode.CONFLICT,
                    "this token was used by %s at %s; create another one with 'millrace token join'"
                        .formatted(row.usedBy(), row.usedAt()));
              }
              if (!row.expiresAt().isAfter(now)) {
                throw unknown();
              }
              store.use(handle, hash(token), name, now);
              return row.role();
            });
    String machineToken = issuer.issue(Principal.of(Role.NODE, name), Optional.empty());
    return new JoinAnswer(role, name, machineToken, publicKey, central);
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

  private static String hash(String token) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
