/**
 * Gives waiting jobs to nodes: placement under a claim, and the orders that polling nodes are
 * given. Whatever it hands out is in the database first.
 */
package io.millrace.manager.dispatch;
