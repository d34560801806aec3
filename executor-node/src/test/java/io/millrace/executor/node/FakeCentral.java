package io.millrace.executor.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportAnswer;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A central manager that keeps in memory what an execution node may see of one. */
final class FakeCentral {
  private static final Pattern NUMBER = Pattern.compile("incarnation=(\\d+)&sequence=(\\d+)");

  private final List<String> diary;
  private final Map<AttemptId, Assignment> recorded = new LinkedHashMap<>();
  private final List<AttemptReport> reports = new ArrayList<>();
  private final List<NodeRegistration> registrations = new ArrayList<>();
  private final List<PollRequest> polls = new ArrayList<>();
  private final List<RequestNumber> numbers = new ArrayList<>();
  private final Set<String> stale = new TreeSet<>();
  private final Set<String> stopping = new TreeSet<>();
  private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
  private boolean known;
  private volatile boolean away;

  FakeCentral(List<String> diary) {
    this.diary = diary;
  }

  /** Records an attempt for the node, which is offered it until it holds it. */
  synchronized void place(Assignment assignment) {
    recorded.put(assignment.attempt(), assignment);
    news.add("placed");
  }

  synchronized void stop(AttemptId attempt) {
    stopping.add(attempt.toString());
    news.add("stop");
  }

  /** Makes an attempt no longer current. */
  synchronized void supersede(AttemptId attempt) {
    stale.add(attempt.toString());
    recorded.remove(attempt);
  }

  /** Forgets the node, as after a retirement. */
  synchronized void forgetNode() {
    known = false;
    news.add("forgotten");
  }

  void goAway(boolean gone) {
    away = gone;
  }

  boolean isAway() {
    return away;
  }

  synchronized List<NodeRegistration> registrations() {
    return List.copyOf(registrations);
  }

  synchronized List<PollRequest> polls() {
    return List.copyOf(polls);
  }

  /** Those of all requests that carry one, in the order of their arrival. */
  synchronized List<RequestNumber> numbers() {
    return List.copyOf(numbers);
  }

  private synchronized void note(String query) {
    Matcher number = NUMBER.matcher(query == null ? "" : query);
    if (number.matches()) {
      numbers.add(
          new RequestNumber(Long.parseLong(number.group(1)), Long.parseLong(number.group(2))));
    }
  }

  synchronized List<AttemptReport> ends(AttemptId attempt) {
    return reports.stream()
        .filter(report -> report.attempt().equals(attempt) && report.ended())
        .toList();
  }

  synchronized Optional<AttemptReport> end(AttemptId attempt) {
    return ends(attempt).stream().findFirst();
  }

  synchronized boolean started(AttemptId attempt) {
    return reports.stream().anyMatch(report -> report.attempt().equals(attempt) && !report.ended());
  }

  Object answer(HttpCall call) throws IOException {
    String path = call.uri().getPath();
    note(call.uri().getQuery());
    if (call.method().equals("DELETE")) {
      diary.add("deregister");
      return Map.of();
    }
    if (path.endsWith("/poll")) {
      return poll(Json.read(call.body(), PollRequest.class));
    }
    if (path.endsWith("/reports")) {
      return report(Json.read(call.body(), ReportRequest.class));
    }
    return register(Json.read(call.body(), NodeRegistration.class));
  }

  private synchronized RegistrationAnswer register(NodeRegistration registration) {
    registrations.add(registration);
    known = true;
    List<AttemptId> end =
        registration.live().stream().filter(id -> stale.contains(id.toString())).toList();
    List<AttemptId> keep =
        registration.live().stream().filter(id -> !stale.contains(id.toString())).toList();
    return new RegistrationAnswer(keep, end, Duration.ofMillis(200), Duration.ofSeconds(10));
  }

  private PollAnswer poll(PollRequest request) throws IOException {
    synchronized (this) {
      polls.add(request);
    }
    PollAnswer answer = work(request);
    if (answer.start().isEmpty() && answer.stop().isEmpty()) {
      try {
        news.poll(request.patience().toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
      return work(request);
    }
    return answer;
  }

  private synchronized PollAnswer work(PollRequest request) {
    if (!known) {
      throw new MillraceException(ErrorCode.UNKNOWN_NODE, "no such node; register");
    }
    List<Assignment> start =
        recorded.values().stream()
            .filter(assignment -> request.accepting())
            .filter(assignment -> !request.held().contains(assignment.attempt()))
            .toList();
    List<AttemptId> stop =
        request.held().stream().filter(id -> stopping.contains(id.toString())).toList();
    return new PollAnswer(start, stop);
  }

  private synchronized ReportAnswer report(ReportRequest request) {
    if (!known) {
      throw new MillraceException(ErrorCode.UNKNOWN_NODE, "no such node; register");
    }
    List<AttemptId> refused = new ArrayList<>();
    for (AttemptReport report : request.reports()) {
      if (stale.contains(report.attempt().toString())) {
        refused.add(report.attempt());
        continue;
      }
      reports.add(report);
      if (report.ended()) {
        recorded.remove(report.attempt());
        diary.add("end " + report.attempt() + " " + report.result().outcome());
      }
    }
    return new ReportAnswer(refused);
  }
}
