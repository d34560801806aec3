package io.millrace.manager.login;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.login.LoginCodeDao.Holder;
import io.millrace.platform.database.Database;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.Sha256;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * One-time login codes that a person's token is exchanged for, valid at any central manager; only
 * their hash is stored. Thread-safe; every method blocks on the database.
 */
public final class LoginCodes {
  /** How long a code is valid. */
  public static final Duration CODE_VALIDITY = Duration.ofMinutes(10);

  /** The roles of people, as opposed to nodes and workers. */
  public static final Set<Role> USER_ROLES =
      Set.copyOf(EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.VIEWER));

  private static final int CODE_BYTES = 24;

  private final Database database;
  private final SecureRandom random = new SecureRandom();

  public LoginCodes(Database database) {
    this.database = database;
  }

  /** A new code for a person. */
  public String create(Principal user) {
    if (!USER_ROLES.contains(user.role())) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN, "the role " + user.role().label() + " cannot open the dashboard");
    }
    byte[] bytes = new byte[CODE_BYTES];
    random.nextBytes(bytes);
    String code = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Holder holder = new Holder(user.subject(), user.role().label());
    Instant now = database.now();
    database.transaction(
        handle -> {
          LoginCodeDao.add(handle, Sha256.of(code), holder, now, now.plus(CODE_VALIDITY));
          return null;
        });
    return code;
  }

  /** Uses up a code; returns its user, or empty when it is unknown, used or expired. */
  public Optional<Principal> redeem(String code) {
    Instant now = database.now();
    return database
        .transaction(handle -> LoginCodeDao.take(handle, Sha256.of(code), now))
        .flatMap(
            holder -> Role.of(holder.role()).map(role -> Principal.of(role, holder.subject())));
  }
}
