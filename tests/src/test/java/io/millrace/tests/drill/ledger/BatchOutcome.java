package io.millrace.tests.drill.ledger;

/** The outcome of a batch, as far as its producer knows. */
public enum BatchOutcome {
  /** Acknowledged: every event of it must be processed. */
  STORED,
  /** Explicitly refused: no part of it is stored. */
  REFUSED,
  /** It may or may not be stored. */
  UNKNOWN
}
