/**
 * The store of sessions: events, assignments and remembered keys in a log of their own, changed by
 * one writer. The types that decide (intake, polls, results, assigning, upkeep, slots) change the
 * state only through {@code SessionChanges} and {@code SlotChanges}, which also write the log and
 * are used to replay it. Used by {@code session}.
 */
package io.millrace.queuenode.session.store;
