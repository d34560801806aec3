package io.millrace.tests.drill.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.cluster.FaultTimeline;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionCheckerTest {
  // Two workers of one node: a program outside, and a job under a watchdog.
  private static final String OUT = "outside:w1@q1";
  private static final String JOB = "job:17.1@q1";

  /**
   * Four events; the program handles two and reports a snapshot of the first one, the job gets the
   * session and goes on from there to its end. One event is sent again later, and a new one comes
   * after the end.
   */
  private static final String CLEAN =
      """
      offered 1.00 p1 k e1 EVENT
      offered 1.00 p1 k e2 EVENT
      settled 1.20 p1 k e1 EVENT ACCEPTED
      settled 1.20 p1 k e2 EVENT ACCEPTED
      received 2.00 OUT k 1.1 1
      begun 2.00 OUT k 1.1 1 e1
      ended 2.10 OUT k 1.1 1
      sent 2.10 OUT k 1.1 1 SNAPSHOT
      answered 2.20 OUT k 1.1 1 SNAPSHOT 2.10 DONE
      begun 2.30 OUT k 1.1 2 e2
      ended 2.40 OUT k 1.1 2
      sent 2.40 OUT k 1.1 2 ACKNOWLEDGED
      answered 2.50 OUT k 1.1 2 ACKNOWLEDGED 2.40 DONE
      offered 3.00 p1 k e3 EVENT
      settled 3.10 p1 k e3 EVENT ACCEPTED
      offered 3.20 p1 k e4 LAST
      settled 3.30 p1 k e4 LAST ACCEPTED
      abandoned 5.00 OUT k 1.1 deadline
      received 6.00 JOB k 2.1 2
      begun 6.00 JOB k 2.1 2 e2
      ended 6.10 JOB k 2.1 2
      begun 6.10 JOB k 2.1 3 e3
      ended 6.20 JOB k 2.1 3
      begun 6.20 JOB k 2.1 4 e4
      ended 6.30 JOB k 2.1 4
      sent 6.30 JOB k 2.1 4 COMPLETED
      answered 6.40 JOB k 2.1 4 COMPLETED 6.30 DONE
      offered 7.00 p1 k e2 DUPLICATE
      settled 7.10 p1 k e2 DUPLICATE DUPLICATE
      offered 7.20 p1 k e5 LATE
      settled 7.30 p1 k e5 LATE DUPLICATE
      """;

  private final List<String> lines = new ArrayList<>(CLEAN.lines().toList());
  private final List<Injected> faults = new ArrayList<>();
  private final List<String> open = new ArrayList<>();

  private SessionVerdict verdict() {
    List<SessionEntry> entries = new ArrayList<>();
    for (String line : lines) {
      entries.add(SessionEntry.parse(line.replace("OUT", OUT).replace("JOB", JOB)));
    }
    entries.sort(Comparator.comparingDouble(SessionEntry::at));
    return SessionChecker.of(entries, faults, open);
  }

  private void replace(String line, String by) {
    int at = lines.indexOf(line);
    assertThat(at).as(line).isNotNegative();
    lines.set(at, by);
  }

  private void remove(String beginning) {
    assertThat(lines.removeIf(line -> line.startsWith(beginning))).as(beginning).isTrue();
  }

  private void replaceAll(String words, String by) {
    lines.replaceAll(line -> line.replace(words, by));
  }

  private void onlyViolation(String beginning) {
    assertThat(verdict().violations()).singleElement().asString().startsWith(beginning);
  }

  @Test
  void aHandOverWithReplayFromTheSnapshotIsAccepted() {
    SessionVerdict verdict = verdict();

    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.counts()).isEqualTo(new SessionVerdict.Counts(1, 4, 0, 4, 1, 1, 1, 1, 1, 0));
  }

  @Test
  void linesAreReadAsTheyAreWritten() {
    for (String line : lines) {
      String written = line.replace("OUT", OUT).replace("JOB", JOB);
      assertThat(SessionEntry.parse(written).line()).isEqualTo(written);
    }
  }

  @Test
  void anAcceptedEventThatNobodyHandledIsLost() {
    lines.add("offered 3.40 p1 k e6 EVENT");
    lines.add("settled 3.50 p1 k e6 EVENT ACCEPTED");

    onlyViolation("lost: k: e6");
  }

  @Test
  void anEventThatWasBegunOnlyByAKilledWorkerIsLost() {
    remove("ended 6.30 JOB k 2.1 4");

    onlyViolation("lost: k: e4");
  }

  @Test
  void anEventWhoseSettlementIsUnknownMayBeHandledOrNot() {
    replace("settled 3.30 p1 k e4 LAST ACCEPTED", "settled 3.30 p1 k e4 LAST UNKNOWN");
    lines.add("offered 3.40 p1 k e6 EVENT");
    lines.add("settled 3.50 p1 k e6 EVENT UNKNOWN");

    assertThat(verdict().violations()).isEmpty();
    assertThat(verdict().counts().unknown()).isEqualTo(2);
  }

  @Test
  void anEventMayBeMissingThatCameAfterTheEndToANodeWithoutIt() {
    replace("settled 7.30 p1 k e5 LATE DUPLICATE", "settled 7.30 p1 k e5 LATE ACCEPTED");

    assertThat(verdict().violations()).isEmpty();
    assertThat(verdict().counts().lateDropped()).isEqualTo(1);
  }

  @Test
  void anEventThatWasAcceptedBeforeTheEndMustNotBeMissing() {
    replace("offered 7.20 p1 k e5 LATE", "offered 3.40 p1 k e5 LATE");
    replace("settled 7.30 p1 k e5 LATE DUPLICATE", "settled 3.50 p1 k e5 LATE ACCEPTED");

    onlyViolation("lost: k: e5");
  }

  @Test
  void eventsInAnotherOrderThanSentAreReported() {
    // The worker's numbers are consecutive, but the node has stored e3 before e2.
    replaceAll("2 e2", "2 e9");
    replaceAll("3 e3", "3 e2");
    replaceAll("2 e9", "2 e3");

    onlyViolation("order: k: event 3 is e2, which was sent before");
  }

  @Test
  void anOmittedEventIsReported() {
    remove("begun 6.10 JOB");
    remove("ended 6.20 JOB");

    assertThat(verdict().violations())
        .anyMatch(one -> one.startsWith("order: k: nobody handled event 3"))
        .anyMatch(one -> one.contains("handled event 4 instead of 3"))
        .anyMatch(one -> one.startsWith("lost: k: e3"));
  }

  @Test
  void aRepetitionUnderOneNumberIsReported() {
    lines.add("begun 2.45 OUT k 1.1 2 e2");

    onlyViolation("order: k: outside:w1@q1 under 1.1 handled event 2 instead of 3");
  }

  @Test
  void aStartWithoutSnapshotIsReported() {
    // An acknowledgement is no snapshot: what it covers must be handled again.
    replaceAll("1 SNAPSHOT", "1 ACKNOWLEDGED");

    onlyViolation("order: k: job:17.1@q1 under 2.1 begins with event 2");
  }

  @Test
  void aStartFromASnapshotOfWhichTheAnswerWasLostIsAccepted() {
    remove("answered 2.20");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void aStartBeforeAnAcceptedSnapshotIsReported() {
    replace("received 6.00 JOB k 2.1 2", "received 5.90 JOB k 2.1 1");
    lines.add("begun 5.90 JOB k 2.1 1 e1");
    lines.add("ended 5.95 JOB k 2.1 1");

    onlyViolation("order: k: job:17.1@q1 under 2.1 begins with event 1 at 5.90, though a snapshot");
  }

  @Test
  void aReplayFromTheStartIsAcceptedWithoutSnapshot() {
    remove("sent 2.10");
    remove("answered 2.20");
    replace("received 6.00 JOB k 2.1 2", "received 5.90 JOB k 2.1 1");
    lines.add("begun 5.90 JOB k 2.1 1 e1");
    lines.add("ended 5.95 JOB k 2.1 1");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void oneNumberForTwoWorkersIsReported() {
    replaceAll("2.1", "1.1");

    assertThat(verdict().violations()).anyMatch(one -> one.contains("have the number 1.1"));
  }

  @Test
  void anEventWithTwoPlacesIsADuplicateThatNobodyNoticed() {
    lines.add("begun 6.32 JOB k 2.1 5 e2");
    lines.add("ended 6.34 JOB k 2.1 5");

    assertThat(verdict().violations())
        .anyMatch(one -> one.contains("e2 was handled as event 2 and again as event 5"));
  }

  @Test
  void anEventThatTwoWorkersKnowAsDifferentOnesIsReported() {
    replace("begun 6.00 JOB k 2.1 2 e2", "begun 6.00 JOB k 2.1 2 e7");

    assertThat(verdict().violations())
        .anyMatch(one -> one.startsWith("order: k: event 2 was e2, and then e7"));
  }

  @Test
  void anEventThatWasNeverSentIsReported() {
    replaceAll("4 e4", "4 e8");

    assertThat(verdict().violations())
        .anyMatch(one -> one.startsWith("order: k: event 4, e8, was never sent"));
  }

  @Test
  void anEventThatWasRefusedAsADuplicateMustNotBeHandled() {
    replace("settled 3.10 p1 k e3 EVENT ACCEPTED", "settled 3.10 p1 k e3 EVENT DUPLICATE");

    onlyViolation("duplicate: k: e3 was refused at 3.10, and handled");
  }

  @Test
  void anEventBeforeTheLastOneMustNotBeRefusedAsADuplicate() {
    lines.add("offered 3.15 p1 k e6 EVENT");
    lines.add("settled 3.16 p1 k e6 EVENT DUPLICATE");

    onlyViolation("duplicate: k: e6 was refused at 3.16, though no last event");
  }

  @Test
  void anAcceptedResultOfAFormerWorkerIsReported() {
    lines.add("sent 6.05 OUT k 1.1 2 ACKNOWLEDGED");
    lines.add("answered 6.07 OUT k 1.1 2 ACKNOWLEDGED 6.05 DONE");

    onlyViolation("stale result accepted: k: ACKNOWLEDGED of outside:w1@q1 under 1.1");
  }

  @Test
  void aResultThatWasSentBeforeTheHandOverMayBeAnsweredAfterIt() {
    replace(
        "answered 2.50 OUT k 1.1 2 ACKNOWLEDGED 2.40 DONE",
        "answered 6.50 OUT k 1.1 2 ACKNOWLEDGED 2.40 DONE");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void aRefusedResultOfAFormerWorkerIsAccepted() {
    lines.add("sent 6.05 OUT k 1.1 2 ACKNOWLEDGED");
    lines.add("answered 6.07 OUT k 1.1 2 ACKNOWLEDGED 6.05 STALE");
    lines.add("sent 6.55 OUT k 1.1 2 COMPLETED");
    lines.add("answered 6.57 OUT k 1.1 2 COMPLETED 6.55 UNKNOWN");

    assertThat(verdict().violations()).isEmpty();
  }

  /** The first worker still handles its second event when the second worker begins. */
  private void overlap(String first) {
    replace("ended 2.40 OUT k 1.1 2", "ended 6.05 OUT k 1.1 2");
    remove("sent 2.40");
    remove("answered 2.50");
    replaceAll("OUT", first);
  }

  @Test
  void anOverlapUnderAWatchdogIsAViolationWhateverHasHappened() {
    overlap("job:16.1@q1");
    faults.add(new Injected("freeze", Set.of("16.1", "q1"), 2.0, 6.0));

    onlyViolation("overlap under a watchdog: k: job:16.1@q1 under 1.1 from 2.00 until 6.05");
  }

  @Test
  void anOverlapUnderAWatchdogIsExcusedOnAMachineThatStoodStill() {
    overlap("job:16.1@q1");
    faults.add(new Injected("stalled", Set.of(FaultTimeline.MACHINE), 2.0, 6.0));

    assertThat(verdict().violations()).isEmpty();
    assertThat(verdict().outsideOverlaps()).hasSize(1);
  }

  @Test
  void anOverlapOutsideIsListedWithItsCause() {
    overlap("OUT");
    faults.add(new Injected("freeze", Set.of("w1"), 2.35, 6.0));

    assertThat(verdict().violations()).isEmpty();
    assertThat(verdict().outsideOverlaps())
        .singleElement()
        .asString()
        .contains("outside:w1@q1 under 1.1", "job:17.1@q1 under 2.1", "frozen: freeze on w1");
  }

  @Test
  void aCutOffProgramOutsideIsListedAsThat() {
    overlap("OUT");
    faults.add(new Injected("cut", Set.of("consumers>q1"), 2.35, 6.0));

    assertThat(verdict().outsideOverlaps()).singleElement().asString().contains("cut off: cut");
  }

  @Test
  void anOverlapOutsideWithoutACauseIsAViolation() {
    overlap("OUT");
    faults.add(new Injected("freeze", Set.of("w2", "consumers>q2"), 2.0, 7.0));
    faults.add(new Injected("freeze", Set.of("w1"), 0.5, 1.5));

    onlyViolation("overlap outside without a cause: k: outside:w1@q1");
  }

  @Test
  void workOfAFormerWorkerAfterItsSuccessorBeganIsAnOverlap() {
    // Between two events of the successor, so that no two events overlap.
    replace("begun 2.30 OUT k 1.1 2 e2", "begun 6.10 OUT k 1.1 2 e2");
    replace("ended 2.40 OUT k 1.1 2", "ended 6.10 OUT k 1.1 2");
    remove("sent 2.40");
    remove("answered 2.50");

    onlyViolation("overlap outside without a cause");
  }

  @Test
  void anEventThatAKillEndedOverlapsNothing() {
    remove("ended 2.40");
    remove("sent 2.40");
    remove("answered 2.50");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void aSessionThatIsLeftIsStuck() {
    open.add("k2 on q3: UNASSIGNED, waits for the events of q1");

    onlyViolation("stuck: k2 on q3");
  }

  @Test
  void twoCompletionsUnderDifferentNumbersAreReported() {
    lines.add("sent 2.40 OUT k 1.1 2 COMPLETED");
    lines.add("answered 2.50 OUT k 1.1 2 COMPLETED 2.40 DONE");

    assertThat(verdict().violations())
        .anyMatch(one -> one.startsWith("end: k: completed twice"))
        .anyMatch(one -> one.startsWith("end: k: completed by outside:w1@q1"));
  }

  @Test
  void aCompletionThatWasAskedForAgainIsOne() {
    lines.add("answered 6.60 JOB k 2.1 4 COMPLETED 6.30 DONE");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void aCompletionThatDoesNotCoverAllIsNoEnd() {
    lines.add("sent 2.40 OUT k 1.1 2 COMPLETED");
    lines.add("answered 2.50 OUT k 1.1 2 COMPLETED 2.40 CONTINUES");

    assertThat(verdict().violations()).isEmpty();
  }

  @Test
  void aDeliveryAfterTheEndIsReported() {
    lines.add("received 6.90 OUT k 2.2 2");

    onlyViolation("end: k: completed by job:17.1@q1 at 6.40, and delivered to outside:w1@q1");
  }

  @Test
  void anEarlierDeliveryThatReachesAFrozenWorkerAfterTheEndIsReportedOnlyIfItWorksOnIt() {
    lines.add("received 6.90 OUT k 1.2 2");

    assertThat(verdict().violations()).isEmpty();

    lines.add("begun 6.95 OUT k 1.2 2 e2");

    assertThat(verdict().violations()).anyMatch(one -> one.startsWith("end: k: completed by"));
  }

  @Test
  void workWithoutDeliveryIsReported() {
    remove("received 2.00");

    assertThat(verdict().violations()).anyMatch(one -> one.contains("handled what it did not"));
  }
}
