package io.millrace.api.job;

/** Why a job waits; stable names. */
public enum WaitCode {
  /** Held by an operator, or submitted on hold. */
  HELD,
  /** Its start time has not come. */
  NOT_BEFORE,
  /** It failed and waits for its next attempt. */
  BACKOFF,
  /** Waits for the end of other jobs. */
  DEPENDENCY,
  /** Another job of its serial lane comes first. */
  LANE,
  /** The limit of running elements of its array is reached. */
  ARRAY_LIMIT,
  /** Other elements of its array come first, or none of the array may start. */
  ARRAY_TURN,
  /** No execution node serves its pool. */
  NO_NODE,
  /** No node of the pool meets its requirements. */
  NO_MATCH,
  /** No matching node runs jobs as the user that it names, or jobs that name none. */
  NO_USER,
  /** It asks for more than any matching node has in all. */
  TOO_LARGE,
  /** Every matching node is drained, in maintenance, short of disk or silent. */
  NODES_CLOSED,
  /** No matching node has a slot free. */
  NO_SLOT,
  /** Matching nodes have free slots, but not the processors, memory or consumables. */
  NO_RESOURCE,
  /** A licence that it needs is in use. */
  LICENCE,
  /**
   * Matching nodes are on its denylist: it failed there repeatedly and quickly, or they refused it.
   */
  QUICK_FAILURES,
  /** Matching nodes take only jobs that ask for them. */
  NOT_ASKED,
  /** Capacity is reserved for a larger job that has waited longer. */
  RESERVED,
  /** Jobs with higher priority, below their fair share, or older come first. */
  TURN,
  /** No central manager places jobs of its pool at the moment. */
  NO_DISPATCH,
  /** It is about to be placed. */
  SOON
}
