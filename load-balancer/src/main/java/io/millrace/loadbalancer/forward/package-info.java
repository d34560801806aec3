/**
 * Forwards batches and streams of events to queue nodes by weight, and tells the sender what became
 * of each event. Which node gets the next batch, and which nodes are left alone for a while, are
 * pure rules: no I/O, no threads, no clock.
 */
package io.millrace.loadbalancer.forward;
