package io.millrace.tests.drill.session;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.session.SessionEntry.Answered;
import io.millrace.tests.drill.session.SessionEntry.Received;
import io.millrace.tests.drill.session.SessionEntry.Sent;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Writes down the polls of one worker at one queue node before they are sent, and their answers
 * before the worker sees them. For one thread.
 */
final class JournalingTransport implements HttpTransport {
  private static final String POLLS = "/polls";

  private final HttpTransport transport;
  private final JournalWorker worker;
  private final SessionJournal journal;
  private final BiConsumer<String, SessionNumber> listener;
  // The last poll, which may be sent again.
  private UUID incarnation;
  private long poll;
  private double sentAt;
  // The last number of each session of this process.
  private final Map<String, SessionNumber> received = new HashMap<>();

  /**
   * A transport of one worker at one queue node.
   *
   * @param listener notified of each key that the worker receives, with its number
   */
  JournalingTransport(
      HttpTransport transport,
      JournalWorker worker,
      SessionJournal journal,
      BiConsumer<String, SessionNumber> listener) {
    this.transport = transport;
    this.worker = worker;
    this.journal = journal;
    this.listener = listener;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (!call.uri().getPath().endsWith(POLLS)) {
      return transport.send(call);
    }
    SessionPoll asked =
        Json.read(new String(call.body(), StandardCharsets.UTF_8), SessionPoll.class);
    sending(asked);
    HttpAnswer answer = transport.send(call);
    if (answer.ok()) {
      answered(asked.results(), answer.as(PollAnswered.class));
    }
    return answer;
  }

  private void sending(SessionPoll asked) {
    if (asked.poll() == poll && asked.incarnation().equals(incarnation)) {
      return;
    }
    incarnation = asked.incarnation();
    poll = asked.poll();
    sentAt = Uptime.now();
    for (SessionResult one : asked.results()) {
      journal.add(new Sent(sentAt, worker, one.key(), one.number(), one.through(), one.kind()));
    }
  }

  private void answered(List<SessionResult> results, PollAnswered answer) {
    double now = Uptime.now();
    for (int i = 0; i < answer.answers().size() && i < results.size(); i++) {
      SessionResult one = results.get(i);
      ResultAnswer said = answer.answers().get(i);
      if (!said.key().equals(one.key()) || !said.number().equals(one.number())) {
        throw new AssertionError("answer " + i + " is not that of result " + one + ": " + said);
      }
      journal.add(
          new Answered(
              now,
              worker,
              one.key(),
              one.number(),
              one.through(),
              one.kind(),
              sentAt,
              said.outcome()));
    }
    for (SessionDelivery one : answer.sessions()) {
      if (!one.number().equals(received.put(one.key(), one.number()))) {
        listener.accept(one.key(), one.number());
        journal.add(new Received(now, worker, one.key(), one.number(), from(one)));
      }
    }
  }

  /** Negative, which the checker refuses, if the snapshot is not that of the events before. */
  private static long from(SessionDelivery delivery) {
    long through = delivery.snapshot() == null ? 0 : KeyState.of(delivery.snapshot()).through();
    return through == delivery.from() - 1 ? delivery.from() : -delivery.from();
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    return transport.stream(call);
  }
}
