package io.millrace.api.pacing;

import java.util.List;

/**
 * What all queue managers of one execution node tell and ask at one tick.
 *
 * @param decisions recorded first, each by itself: a refused one holds up no other; null for none
 * @param views segments to be told about; null for none
 */
public record PacingRound(List<PacedDecision> decisions, List<PacedSegment> views) {
  /** The most of each in one round. */
  public static final int MOST = 5_000;

  public PacingRound {
    decisions = decisions == null ? List.of() : List.copyOf(decisions);
    views = views == null ? List.of() : List.copyOf(views);
  }
}
