/**
 * The events of a queue node at rest: one store per node holds all its segments. All changes run on
 * the one thread of {@link io.millrace.queuenode.store.GroupCommitter}. Events are put, leased and
 * ended through {@code segment}; {@code node} opens the store and {@code rescue} empties one that
 * no node uses any more.
 */
package io.millrace.queuenode.store;
