/**
 * The drill of sessions: producers that await answers, workers that write down what they do, faults
 * of every role while slots move, and the check of what was written.
 */
package io.millrace.tests.drill.session;
