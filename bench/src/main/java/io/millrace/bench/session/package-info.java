/**
 * Benchmarks of queues of sessions, the load that they send, and the check that the events of each
 * key arrived in order at one worker at a time.
 */
package io.millrace.bench.session;
