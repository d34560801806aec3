/**
 * Decides about the moves of weight (H-062..H-074, H-115..H-127). Pure: a snapshot, settings,
 * memory, a time and a random source give a decision. Called by the node's balancing agent and by
 * the simulator.
 */
package io.millrace.queuenode.balancing;
