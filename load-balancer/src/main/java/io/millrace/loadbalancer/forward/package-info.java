/**
 * Forwards batches and streams of events to queue nodes by weight, and tells the sender what became
 * of each event.
 */
package io.millrace.loadbalancer.forward;
