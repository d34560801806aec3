package io.millrace.api.job;

/** Why a job waits; stable names. */
public enum WaitCode {
  /** Held by an operator, or submitted on hold. */
  HELD,
  /** Its time has not come. */
  NOT_BEFORE,
  /** It failed and pauses before its next try. */
  BACKOFF,
  /** Waits for the end of other jobs. */
  DEPENDENCY,
  /** Another job of its serial lane comes first. */
  LANE,
  /** As many elements of its array run as may. */
  ARRAY_LIMIT,
  /** No execution node serves its pool. */
  NO_NODE,
  /** No node of the pool fulfils what it requires. */
  NO_MATCH,
  /** It asks for more than any matching node has in all. */
  TOO_LARGE,
  /** Every matching node is drained, in maintenance, short of disk or silent. */
  NODES_CLOSED,
  /** No matching node has a slot free. */
  NO_SLOT,
  /** Matching nodes have slots but not the processors, memory or consumables. */
  NO_RESOURCE,
  /** A licence that it needs is in use. */
  LICENCE,
  /** Matching nodes are closed to it because it failed there quickly again and again. */
  QUICK_FAILURES,
  /** Matching nodes take only jobs that ask for them. */
  NOT_ASKED,
  /** Room is kept for a larger job that has waited longer. */
  RESERVED,
  /** Others of higher priority, with less of their fair share, or older, come first. */
  TURN,
  /** No central manager places jobs of its pool at the moment. */
  NO_DISPATCH,
  /** It is about to be placed. */
  SOON
}
