/**
 * Forwards batches and streams of events to queue nodes by weight and reports the outcome to the
 * sender. Which node gets the next batch, and which nodes are skipped for a while, is decided by
 * pure rules without I/O, threads or clock.
 */
package io.millrace.loadbalancer.forward;
