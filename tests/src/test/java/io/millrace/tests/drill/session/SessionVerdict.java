package io.millrace.tests.drill.session;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What the journals of a drained drill of sessions say.
 *
 * @param counts how much was done
 * @param lost accepted events that no worker has handled
 * @param disorder events out of order, handled twice in a session, or without what came before
 * @param stale results of a former worker that were accepted
 * @param watchedOverlaps sessions that a job still worked on when another worker had them
 * @param unexplainedOverlaps the same of programs outside, without a fault that explains it
 * @param outsideOverlaps the same of programs outside, with the faults that explain it
 * @param stuck sessions that are left at the end of the drain
 * @param ends sessions that ended twice, or were worked on after their end
 * @param duplicates events that were refused as duplicates and handled, or refused before the end
 */
record SessionVerdict(
    Counts counts,
    List<String> lost,
    List<String> disorder,
    List<String> stale,
    List<String> watchedOverlaps,
    List<String> unexplainedOverlaps,
    List<String> outsideOverlaps,
    List<String> stuck,
    List<String> ends,
    List<String> duplicates) {

  /**
   * How much was done.
   *
   * @param keys sessions of which a producer has sent an event
   * @param accepted events that were accepted, without those sent again
   * @param unknown events of which the last answer is not known
   * @param handled events that were handled at least once
   * @param replayed times that an event was handled again
   * @param handovers times that a session was received after the first one
   * @param duplicatesSent events that were sent again after they were settled
   * @param duplicatesRefused those of them that were refused, as their session had ended; the
   *     others are recognized as they have no second place in their session
   * @param lateRefused new events refused, as their session had ended
   * @param lateDropped new events of an ended session that were accepted by a node that did not
   *     have its end yet, and not handled
   */
  record Counts(
      long keys,
      long accepted,
      long unknown,
      long handled,
      long replayed,
      long handovers,
      long duplicatesSent,
      long duplicatesRefused,
      long lateRefused,
      long lateDropped) {
    /** The sum of both. */
    Counts plus(Counts other) {
      return new Counts(
          keys + other.keys,
          accepted + other.accepted,
          unknown + other.unknown,
          handled + other.handled,
          replayed + other.replayed,
          handovers + other.handovers,
          duplicatesSent + other.duplicatesSent,
          duplicatesRefused + other.duplicatesRefused,
          lateRefused + other.lateRefused,
          lateDropped + other.lateDropped);
    }
  }

  /** All of several rounds together. */
  static SessionVerdict sum(List<SessionVerdict> rounds) {
    return new SessionVerdict(
        rounds.stream()
            .map(SessionVerdict::counts)
            .reduce(new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), Counts::plus),
        all(rounds, SessionVerdict::lost),
        all(rounds, SessionVerdict::disorder),
        all(rounds, SessionVerdict::stale),
        all(rounds, SessionVerdict::watchedOverlaps),
        all(rounds, SessionVerdict::unexplainedOverlaps),
        all(rounds, SessionVerdict::outsideOverlaps),
        all(rounds, SessionVerdict::stuck),
        all(rounds, SessionVerdict::ends),
        all(rounds, SessionVerdict::duplicates));
  }

  private static List<String> all(
      List<SessionVerdict> rounds, Function<SessionVerdict, List<String>> part) {
    return rounds.stream().map(part).flatMap(List::stream).toList();
  }

  /** Everything that must not be, each line with its kind; empty if all is well. */
  List<String> violations() {
    List<String> all = new ArrayList<>();
    add(all, "lost", lost);
    add(all, "order", disorder);
    add(all, "stale result accepted", stale);
    add(all, "overlap under a watchdog", watchedOverlaps);
    add(all, "overlap outside without a cause", unexplainedOverlaps);
    add(all, "stuck", stuck);
    add(all, "end", ends);
    add(all, "duplicate", duplicates);
    return all;
  }

  private static void add(List<String> all, String kind, List<String> some) {
    some.forEach(one -> all.add(kind + ": " + one));
  }

  /** The figures of the acceptance, in one line. */
  String summary() {
    return ("%d sessions, %d events accepted, %d handled, %d times again, %d hand-overs; lost %d,"
            + " order violations %d, stale results accepted %d, overlaps under a watchdog %d,"
            + " outside %d with cause and %d without, stuck sessions %d, wrong ends %d;"
            + " duplicates sent %d, refused %d, handled %d; late events refused %d, dropped %d")
        .formatted(
            counts.keys,
            counts.accepted,
            counts.handled,
            counts.replayed,
            counts.handovers,
            lost.size(),
            disorder.size(),
            stale.size(),
            watchedOverlaps.size(),
            outsideOverlaps.size(),
            unexplainedOverlaps.size(),
            stuck.size(),
            ends.size(),
            counts.duplicatesSent,
            counts.duplicatesRefused,
            duplicates.size(),
            counts.lateRefused,
            counts.lateDropped);
  }
}
