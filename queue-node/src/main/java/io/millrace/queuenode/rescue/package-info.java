/**
 * Sends the events of a dead host's store to the cluster, with their ids. Called by the command
 * line while no queue node uses the store.
 */
package io.millrace.queuenode.rescue;
