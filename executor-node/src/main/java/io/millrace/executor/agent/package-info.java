/**
 * Talks to the central managers: registers, polls, starts and ends attempts in slots, reports what
 * became of them, and renews the leases of exclusive ones.
 */
package io.millrace.executor.agent;
