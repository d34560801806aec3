package io.millrace.cli.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionClient;
import io.millrace.api.session.SessionView.SessionWorkerView;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Finds the workers of a queue's sessions by ID, by the beginning of it, or by name. */
final class SessionWorkerNames {
  private static final int WHOLE = 36;

  private final SessionClient sessions;
  private final String queue;

  SessionWorkerNames(SessionClient sessions, String queue) {
    this.sessions = sessions;
    this.queue = queue;
  }

  /**
   * The ID of a worker; the server is asked only if the text is not a whole ID, so that one that is
   * no longer listed can be named, too.
   *
   * @throws MillraceException UNKNOWN_WORKER if there is none, INVALID_REQUEST if there are several
   */
  UUID id(String wanted) {
    return whole(wanted).orElseGet(() -> find(wanted).get(0).id());
  }

  /**
   * A worker, once for every queue node that it takes sessions from.
   *
   * @throws MillraceException UNKNOWN_WORKER if there is none, INVALID_REQUEST if there are several
   */
  List<SessionWorkerView> find(String wanted) {
    List<SessionWorkerView> all = sessions.sessionWorkers(queue).found();
    // A worker may be named like the beginning of another one's ID.
    List<SessionWorkerView> found =
        matching(all, beginning(wanted).or(one -> wanted.equals(one.name())));
    List<UUID> ids = found.stream().map(SessionWorkerView::id).distinct().toList();
    if (ids.isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_WORKER,
          "queue %1$s has no session worker '%2$s'; see 'millrace session worker list %1$s'"
              .formatted(queue, wanted));
    }
    if (ids.size() > 1) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "'%s' stands for %d session workers of queue %s; use the ID of one: %s"
              .formatted(wanted, ids.size(), queue, listed(ids)));
    }
    return found;
  }

  private static String listed(List<UUID> ids) {
    int most = 5;
    String first = ids.stream().limit(most).map(UUID::toString).collect(Collectors.joining(", "));
    return ids.size() > most ? first + ", …" : first;
  }

  private static List<SessionWorkerView> matching(
      List<SessionWorkerView> all, Predicate<SessionWorkerView> condition) {
    return all.stream().filter(condition).toList();
  }

  private static Predicate<SessionWorkerView> beginning(String wanted) {
    String lower = wanted.toLowerCase(Locale.ROOT);
    return one -> !lower.isEmpty() && Objects.toString(one.id()).startsWith(lower);
  }

  private static Optional<UUID> whole(String wanted) {
    try {
      return wanted.length() == WHOLE ? Optional.of(UUID.fromString(wanted)) : Optional.empty();
    } catch (IllegalArgumentException notOne) {
      return Optional.empty();
    }
  }
}
