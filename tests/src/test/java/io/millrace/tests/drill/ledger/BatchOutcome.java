package io.millrace.tests.drill.ledger;

/** What a producer knows of its batch. */
public enum BatchOutcome {
  /** Acknowledged: every event of it must be worked on. */
  STORED,
  /** Refused in so many words: nothing of it is stored. */
  REFUSED,
  /** It may be stored or not. */
  UNKNOWN
}
