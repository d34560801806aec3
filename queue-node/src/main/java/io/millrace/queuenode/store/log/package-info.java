/**
 * An append-only log of groups of records in numbered files, with checkpoints: the disk under the
 * log store. It knows events by their sequence numbers only; the package {@code store} is the only
 * caller.
 */
package io.millrace.queuenode.store.log;
