/**
 * An append-only log of groups of records in numbered files, with checkpoints: the storage of the
 * log store. It identifies events by their sequence numbers only; the package {@code store} is its
 * only user.
 */
package io.millrace.queuenode.store.log;
