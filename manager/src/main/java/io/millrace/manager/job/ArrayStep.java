package io.millrace.manager.job;

/** What an array needs next so that it follows its elements. */
enum ArrayStep {
  /** Nothing. */
  NONE,
  /** It has ended and so have all its elements: nobody looks at it any more. */
  SETTLE,
  /** It had ended, and an element of it waits again. */
  REVIVE,
  /** Its deadline has passed. */
  EXPIRE,
  /** Its first element has started. */
  START,
  /** It was asked to end, and elements of it were not yet. */
  CANCEL_ELEMENTS,
  /** It is held, and elements of it wait for a slot. */
  TAKE_BACK,
  /** It is tried again, and ended elements of it were not yet. */
  TRY_AGAIN,
  /** Elements of it wait for their turn, and the feed has given it up. */
  WAKE,
  /** All its elements have ended. */
  END
}
