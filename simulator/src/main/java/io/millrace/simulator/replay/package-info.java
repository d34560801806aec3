/**
 * Replays of a live queue with recorded and other settings: arrivals and workers derived from the
 * record, and the policies of the queue managers. Called by the command line; pure except for
 * reading the record.
 */
package io.millrace.simulator.replay;
