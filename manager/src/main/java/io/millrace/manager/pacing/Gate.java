package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/** What held a decision below the number of workers that the policy wanted. */
@Pure
public enum Gate {
  /** The policy's own number stands. */
  NONE,
  /** The segment or the workers could not be read, so nothing is submitted (H-157). */
  NO_FIGURES,
  /** Operators have paused consuming. */
  PAUSED,
  /** Too many workers wait for a slot already (H-179). */
  SUBMITTED_NOT_STARTED,
  /** The queue has as many workers in the whole cluster as it may have. */
  MAX_WORKERS,
  /** The queue's segment has started workers for as many events as its rate allows. */
  MAX_RATE,
  /** Workers fail whatever they are given: only probes are let through. */
  BREAKER_OPEN,
  /** One tick may start only so many. */
  MAX_STARTS,
  /** The segment's node is BUSY: half. */
  NODE_BUSY,
  /** The segment's node is TOOBUSY: fewer than finished, so that its load falls (H-216). */
  NODE_TOOBUSY,
  /** More workers bring no more acknowledged events: only what finished is replaced (H-214). */
  COMPLETIONS_FLAT
}
