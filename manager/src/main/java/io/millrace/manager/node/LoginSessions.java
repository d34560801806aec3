package io.millrace.manager.node;

import io.millrace.manager.node.LoginCodeDao.Holder;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.BoundedCache;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Sessions of the dashboard, valid at every central manager until they expire or their user logs
 * out. A browser gets a random value and never a token; only the value's hash is stored.
 * Thread-safe; blocks on the database.
 */
public final class LoginSessions {
  /** How long a session is valid. */
  public static final Duration VALIDITY = Duration.ofHours(12);

  /** How long a session is not looked up again, so also how soon a log-out works elsewhere. */
  static final Duration CACHED = Duration.ofSeconds(5);

  /** How many sessions a user may have; a further log-in ends the oldest one. */
  static final int MAX_OF_USER = 1_000;

  private static final int BYTES = 32;
  private static final int LONGEST = 100;
  private static final int MAX_CACHED = 10_000;

  private final Database database;
  private final DatabaseTime time;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final BoundedCache<String, Known> known = new BoundedCache<>(MAX_CACHED);

  private record Known(Optional<Principal> user, long at) {}

  public LoginSessions(Database database, Clock clock) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.clock = clock;
  }

  /** Opens a session of the user; returns the value for the cookie. */
  public String open(Principal user) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String value = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Holder holder = new Holder(user.subject(), user.role().label());
    database.transaction(
        handle -> {
          Instant now = time.now(handle);
          LoginSessionDao.deleteExpired(handle, now);
          makeRoom(handle, holder);
          LoginSessionDao.insert(handle, hash(value), holder, now.plus(VALIDITY));
          return null;
        });
    return value;
  }

  /** Ends the oldest sessions of a user who has too many. */
  private static void makeRoom(Handle handle, Holder holder) {
    int tooMany = LoginSessionDao.count(handle, holder) - MAX_OF_USER + 1;
    if (tooMany > 0) {
      LoginSessionDao.first(handle, holder, tooMany)
          .forEach(hash -> LoginSessionDao.delete(handle, hash));
    }
  }

  /** The user of the session; empty if it is unknown, has expired or was ended. */
  public Optional<Principal> find(String value) {
    if (value.isEmpty() || value.length() > LONGEST) {
      return Optional.empty();
    }
    String hash = hash(value);
    Optional<Known> recent =
        known.get(hash).filter(one -> clock.nanoTime() - one.at() < CACHED.toNanos());
    if (recent.isPresent()) {
      return recent.get().user();
    }
    Optional<Principal> user =
        database
            .read(handle -> LoginSessionDao.find(handle, hash, time.now(handle)))
            .flatMap(
                holder -> Role.of(holder.role()).map(role -> Principal.of(role, holder.subject())));
    known.put(hash, new Known(user, clock.nanoTime()));
    return user;
  }

  /** Ends the session; does nothing, and writes nothing, if there is none. */
  public void end(String value) {
    if (find(value).isEmpty()) {
      return;
    }
    String hash = hash(value);
    database.transaction(
        handle -> {
          LoginSessionDao.delete(handle, hash);
          return null;
        });
    known.put(hash, new Known(Optional.empty(), clock.nanoTime()));
  }

  private static String hash(String value) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
