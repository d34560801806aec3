/**
 * The events of a queue node at rest: one store per node holds all its segments. All changes run on
 * the one thread of {@link io.millrace.queuenode.store.GroupCommitter}; the package {@code segment}
 * is the only caller.
 */
package io.millrace.queuenode.store;
