package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A queue node that delivers what a test says, knows who is registered, and remembers what was
 * reported. Thread-safe.
 */
final class FakeSessionNode implements HttpTransport {
  static final Duration DEADLINE = Duration.ofMinutes(2);

  // All guarded by this.
  final List<WorkerRegistration> registrations = new ArrayList<>();
  final List<SessionPoll> polls = new ArrayList<>();
  final List<SessionResult> results = new ArrayList<>();
  final List<UUID> left = new ArrayList<>();
  private final Map<ResultKind, ResultOutcome> outcomes = new EnumMap<>(ResultKind.class);
  private List<SessionDelivery> deliveries = new ArrayList<>();
  private List<RevokedSession> revoked = new ArrayList<>();
  private boolean leave;
  private boolean silent;
  private UUID registered;
  private boolean retiring;
  private boolean losingRegistration;
  private int losing;
  private String refusedKey;
  private ErrorCode refusal;
  private PollAnswered last;

  // ---- what the test says

  /** A session without a snapshot, from its first event on. */
  static SessionDelivery session(String key, String number, SessionEvent... events) {
    return new SessionDelivery(
        key, SessionNumber.of(number), events[0].n(), null, 0, List.of(events));
  }

  /** An event whose data is its place. */
  static SessionEvent event(long n) {
    return new SessionEvent(n, "e" + n, Instant.EPOCH, 1, null, Json.mapper().valueToTree(n));
  }

  synchronized FakeSessionNode delivers(SessionDelivery... some) {
    deliveries.addAll(List.of(some));
    notifyAll();
    return this;
  }

  synchronized void revokes(String key, String number) {
    revoked.add(new RevokedSession(key, SessionNumber.of(number)));
    notifyAll();
  }

  synchronized void asksToLeave() {
    leave = true;
    notifyAll();
  }

  /** What the results of a kind come to from now on. */
  synchronized FakeSessionNode says(ResultKind kind, ResultOutcome outcome) {
    outcomes.put(kind, outcome);
    return this;
  }

  /** Whoever is registered is not any more. */
  synchronized void retiresTheWorker() {
    registered = null;
    notifyAll();
  }

  /** Whoever is registered is not any more when the next registration comes. */
  synchronized void retiresTheWorkerBeforeItRegisters() {
    retiring = true;
  }

  /** The same, and the connection breaks before the answer to it. */
  synchronized void retiresTheWorkerAndLosesTheAnswerToItsRegistration() {
    retiring = true;
    losingRegistration = true;
  }

  /** Polls with results of that session are refused, and nothing of them is noted. */
  synchronized FakeSessionNode refuses(String key, ErrorCode code) {
    refusedKey = key;
    refusal = code;
    return this;
  }

  /** The connection breaks before the answers to that many polls. */
  synchronized FakeSessionNode loses(int answers) {
    losing = answers;
    return this;
  }

  /** Nothing is answered any more, or is again. */
  synchronized void silent(boolean is) {
    silent = is;
    notifyAll();
  }

  // ---- what the test waits for

  synchronized void await(String what, BooleanSupplier met) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!met.getAsBoolean()) {
      long more = end - System.nanoTime();
      if (more <= 0) {
        throw new AssertionError(
            "not within 20 s: %s; registrations %s, results %s"
                .formatted(what, registrations, results));
      }
      TimeUnit.NANOSECONDS.timedWait(this, more);
    }
  }

  void awaitResult(String key, ResultKind kind, long through) throws InterruptedException {
    await(kind + " of " + key + " through " + through, () -> has(key, kind, through));
  }

  private boolean has(String key, ResultKind kind, long through) {
    return results.stream()
        .anyMatch(one -> one.key().equals(key) && one.kind() == kind && one.through() == through);
  }

  /** Waits until a poll has come that was sent after this call. */
  void awaitNextPoll() throws InterruptedException {
    int before;
    synchronized (this) {
      before = polls.size();
      notifyAll();
    }
    await("another poll", () -> polls.size() > before + 1);
  }

  synchronized int pollsSoFar() {
    return polls.size();
  }

  synchronized List<SessionResult> resultsOf(String key) {
    return results.stream().filter(one -> one.key().equals(key)).toList();
  }

  // ---- the routes

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    return switch (call.method()) {
      case "PUT" -> register(Json.read(call.body(), WorkerRegistration.class));
      case "POST" -> poll(Json.read(call.body(), SessionPoll.class));
      default -> leave(call.uri().getQuery());
    };
  }

  private synchronized HttpAnswer register(WorkerRegistration registration) throws IOException {
    requireAnswers();
    boolean lost = retiring && losingRegistration;
    registered = retiring ? null : registered;
    retiring = false;
    registrations.add(registration);
    notifyAll();
    HttpAnswer answer = outcome(registration);
    if (lost) {
      throw new IOException("the connection broke");
    }
    return answer;
  }

  private HttpAnswer outcome(WorkerRegistration registration) {
    if (registration.change() && !registration.incarnation().equals(registered)) {
      return refused(ErrorCode.UNKNOWN_WORKER, "register again");
    }
    RegistrationOutcome outcome =
        registration.incarnation().equals(registered)
            ? RegistrationOutcome.REPEATED
            : registered == null ? RegistrationOutcome.EMPLOYED : RegistrationOutcome.REPLACED;
    registered = registration.incarnation();
    last = null;
    return ok(new WorkerRegistered(outcome, Duration.ofMinutes(1), DEADLINE));
  }

  private synchronized HttpAnswer poll(SessionPoll poll) throws IOException {
    polls.add(poll);
    notifyAll();
    waitForSomething(poll);
    requireAnswers();
    if (!poll.incarnation().equals(registered)) {
      return refused(ErrorCode.UNKNOWN_WORKER, "register again");
    }
    if (poll.results().stream().anyMatch(one -> one.key().equals(refusedKey))) {
      return refused(refusal, "what is said of " + refusedKey + " cannot be");
    }
    if (last == null || poll.poll() != last.poll()) {
      last = answer(poll);
    }
    notifyAll();
    if (losing > 0) {
      losing--;
      throw new IOException("the connection broke");
    }
    return ok(last);
  }

  private void waitForSomething(SessionPoll poll) throws IOException {
    if (poll.patience() == null) {
      return;
    }
    long end = System.nanoTime() + poll.patience().toNanos();
    try {
      while (deliveries.isEmpty()
          && revoked.isEmpty()
          && !leave
          && !silent
          && poll.incarnation().equals(registered)
          && System.nanoTime() < end) {
        TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private PollAnswered answer(SessionPoll poll) {
    results.addAll(poll.results());
    List<ResultAnswer> answers =
        poll.results().stream()
            .map(
                one ->
                    new ResultAnswer(
                        one.key(),
                        one.number(),
                        outcomes.getOrDefault(one.kind(), ResultOutcome.DONE)))
            .toList();
    List<SessionDelivery> sessions = poll.max() == 0 ? List.of() : deliveries;
    if (poll.max() > 0) {
      deliveries = new ArrayList<>();
    }
    List<RevokedSession> taken = revoked;
    revoked = new ArrayList<>();
    return new PollAnswered(
        poll.poll(), answers, sessions, taken, leave, Duration.ofMinutes(1), DEADLINE);
  }

  private synchronized HttpAnswer leave(String query) throws IOException {
    requireAnswers();
    UUID incarnation = UUID.fromString(query.substring(query.indexOf('=') + 1));
    left.add(incarnation);
    if (incarnation.equals(registered)) {
      registered = null;
    }
    notifyAll();
    return new HttpAnswer(204, Map.of(), new byte[0]);
  }

  private void requireAnswers() throws IOException {
    if (silent) {
      throw new IOException("no answer");
    }
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("session workers read no streams");
  }

  private static HttpAnswer ok(Object body) {
    return new HttpAnswer(200, Map.of("content-type", "application/json"), Json.writeBytes(body));
  }

  private static HttpAnswer refused(ErrorCode code, String words) {
    return new HttpAnswer(
        code.status(),
        Map.of("content-type", Problem.MEDIA_TYPE),
        Json.writeBytes(Problem.of(code, words)));
  }
}
