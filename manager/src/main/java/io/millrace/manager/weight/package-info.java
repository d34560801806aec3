/**
 * The 1000 points of each queue: how they are assigned and moved, and how those of a lost node are
 * reassigned. The decisions are pure; the rest stores rows, versions and history.
 */
package io.millrace.manager.weight;
