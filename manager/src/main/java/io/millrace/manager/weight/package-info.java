/**
 * The 1000 points of each queue: who holds them, how they move, and what becomes of those of a lost
 * node. The decisions are pure; the rest keeps their rows, versions and history.
 */
package io.millrace.manager.weight;
