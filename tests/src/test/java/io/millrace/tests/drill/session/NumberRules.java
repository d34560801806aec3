package io.millrace.tests.drill.session;

import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.tests.drill.session.KeyJournal.Holding;
import io.millrace.tests.drill.session.SessionEntry.Answered;
import io.millrace.tests.drill.session.SessionEntry.Received;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What must hold of the numbers of a session: one worker for each, a start from the last snapshot,
 * no result of a former worker, one end. Collects what does not. Not thread-safe.
 */
final class NumberRules {
  private final List<String> disorder = new ArrayList<>();
  private final List<String> stale = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();

  /** Checks a session. */
  void check(KeyJournal journal) {
    requireOneWorker(journal);
    journal.received().values().forEach(all -> all.forEach(one -> requireFrom(journal, one)));
    journal.answered().forEach(answer -> requireCurrent(journal, answer));
    requireOneEnd(journal);
  }

  /** Two workers with one number, and starts without what came before. */
  List<String> disorder() {
    return disorder;
  }

  /** Results of a former worker that were accepted. */
  List<String> stale() {
    return stale;
  }

  /** Sessions that ended twice, or were delivered after their end. */
  List<String> ends() {
    return ends;
  }

  private void requireOneWorker(KeyJournal journal) {
    Map<SessionNumber, JournalWorker> workers = new HashMap<>();
    for (Holding holding : journal.received().keySet()) {
      JournalWorker other = workers.putIfAbsent(holding.number(), holding.worker());
      if (other != null) {
        disorder.add(
            "%s: %s and %s have the number %s"
                .formatted(journal.key(), other, holding.worker(), holding.number()));
      }
    }
  }

  /** A worker begins at the start, or after the last snapshot. */
  private void requireFrom(KeyJournal journal, Received received) {
    long from = received.from();
    boolean sent =
        journal.sent().stream()
            .anyMatch(
                one ->
                    one.at() <= received.at()
                        && one.kind() == ResultKind.SNAPSHOT
                        && one.through() == from - 1);
    if (from != 1 && !sent) {
      disorder.add(
          "%s: %s begins with event %d at %.2f, without a snapshot of those before"
              .formatted(
                  journal.key(),
                  new Holding(received.number(), received.worker()),
                  from,
                  received.at()));
    }
    journal.answered().stream()
        .filter(one -> one.accepted() && one.at() < received.at())
        .filter(one -> one.kind() == ResultKind.SNAPSHOT && one.through() >= from)
        .filter(one -> one.number().compareTo(received.number()) < 0)
        .findFirst()
        .ifPresent(
            one ->
                disorder.add(
                    "%s: %s begins with event %d at %.2f, though a snapshot of %d was accepted at %.2f"
                        .formatted(
                            journal.key(),
                            new Holding(received.number(), received.worker()),
                            from,
                            received.at(),
                            one.through(),
                            one.at())));
  }

  private void requireCurrent(KeyJournal journal, Answered answer) {
    if (!answer.accepted()) {
      return;
    }
    journal.received().values().stream()
        .flatMap(List::stream)
        .filter(one -> one.number().compareTo(answer.number()) > 0 && one.at() < answer.sentAt())
        .findFirst()
        .ifPresent(
            one ->
                stale.add(
                    "%s: %s of %s under %s, sent at %.2f, though %s had %s at %.2f"
                        .formatted(
                            journal.key(),
                            answer.kind(),
                            answer.worker(),
                            answer.number(),
                            answer.sentAt(),
                            one.worker(),
                            one.number(),
                            one.at())));
  }

  // The answer with an earlier number reached its worker after the end, as it was frozen, and it
  // did nothing of it.
  private static boolean onlyArrivedLate(KeyJournal journal, Received received, Answered end) {
    Holding holding = new Holding(received.number(), received.worker());
    return received.number().compareTo(end.number()) < 0
        && journal.begun().getOrDefault(holding, List.of()).stream()
            .noneMatch(one -> one.at() > end.at());
  }

  private void requireOneEnd(KeyJournal journal) {
    List<Answered> completed = journal.answered().stream().filter(Answered::completes).toList();
    if (completed.stream().map(Answered::number).distinct().count() > 1) {
      ends.add("%s: completed twice: %s".formatted(journal.key(), completed));
    }
    for (Answered end : completed) {
      journal.received().values().stream()
          .flatMap(List::stream)
          .filter(one -> one.at() > end.at())
          .filter(one -> !one.number().equals(end.number()))
          .filter(one -> !onlyArrivedLate(journal, one, end))
          .findFirst()
          .ifPresent(
              one ->
                  ends.add(
                      "%s: completed by %s at %.2f, and delivered to %s at %.2f"
                          .formatted(
                              journal.key(), end.worker(), end.at(), one.worker(), one.at())));
    }
  }
}
