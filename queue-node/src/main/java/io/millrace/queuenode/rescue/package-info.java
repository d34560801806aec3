/**
 * Brings the events of a dead host's store back into the cluster, under their own ids. Called by
 * the command line; no queue node runs on the store meanwhile.
 */
package io.millrace.queuenode.rescue;
