/**
 * The store of sessions: events, assignments and remembered keys in a log of their own, changed by
 * one writer. Used by {@code session}.
 */
package io.millrace.queuenode.session.store;
