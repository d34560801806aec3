package io.millrace.executor.supervision;

/**
 * Why Millrace itself is ending an attempt; decided once per attempt and kept on disk, so that an
 * agent that starts anew in between still tells the right reason.
 */
record Intent(Ending.Kind kind, String reason) {}
