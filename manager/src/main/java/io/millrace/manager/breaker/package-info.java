/**
 * Decides when the workers of a queue count as broken, as after a bad deploy, and when they work
 * again. Pure; the queue side stores its state and carries it out.
 */
package io.millrace.manager.breaker;
