package io.millrace.api.pacing;

import java.util.List;

/**
 * The answer to a round.
 *
 * @param refused decisions that were not recorded, with the reason
 * @param views what was asked for, in that order
 */
public record PacingRoundAnswer(List<PacingAnswer> refused, List<PacingAnswer> views) {
  public PacingRoundAnswer {
    refused = refused == null ? List.of() : List.copyOf(refused);
    views = views == null ? List.of() : List.copyOf(views);
  }
}
