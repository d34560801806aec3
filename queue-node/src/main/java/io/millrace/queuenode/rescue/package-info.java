/**
 * Sends the events of a dead host's store to the cluster, with their ids, and its sessions to the
 * nodes that have their slots now. Called by the command line while no queue node uses the store.
 */
package io.millrace.queuenode.rescue;
