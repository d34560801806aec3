/**
 * How many workers a queue manager submits at each tick, and why: the policies and the circuit
 * breaker (pure; the simulator runs the same classes), the queue manager program, what the central
 * manager grants it, and the supervision that keeps one manager for each segment in need.
 */
package io.millrace.manager.pacing;
