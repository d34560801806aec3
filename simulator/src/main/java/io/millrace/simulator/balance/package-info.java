/**
 * Days of a queue cluster on a virtual clock: the production rules for node states and balancing on
 * the published configurations (H-130..H-138). Pure; called by the {@code simulate} command and by
 * tests.
 */
package io.millrace.simulator.balance;
