package io.millrace.manager.login;

import io.millrace.manager.login.LoginCodeDao.Holder;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.identity.AgedCache;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.Sha256;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
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
  private final SecureRandom random = new SecureRandom();
  private final Clock clock;
  private final AgedCache<String, Optional<Principal>> known;

  public LoginSessions(Database database, Clock clock) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.clock = clock;
    this.known = new AgedCache<>(MAX_CACHED, clock);
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
          LoginSessionDao.insert(handle, Sha256.of(value), holder, now.plus(VALIDITY));
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
    String hash = Sha256.of(value);
    Optional<Optional<Principal>> recent = known.within(CACHED, hash);
    if (recent.isPresent()) {
      return recent.get();
    }
    long readAt = clock.nanoTime();
    Optional<Principal> user =
        database
            .read(handle -> LoginSessionDao.find(handle, hash, time.now(handle)))
            .flatMap(
                holder -> Role.of(holder.role()).map(role -> Principal.of(role, holder.subject())));
    known.put(hash, user, readAt);
    return user;
  }

  /** Ends the session; does nothing, and writes nothing, if there is none. */
  public void end(String value) {
    if (find(value).isEmpty()) {
      return;
    }
    String hash = Sha256.of(value);
    database.transaction(
        handle -> {
          LoginSessionDao.delete(handle, hash);
          return null;
        });
    known.put(hash, Optional.empty(), clock.nanoTime());
  }
}
