/**
 * The queues as the central manager knows them: definitions in force, weight rows, reported
 * segments, history and decisions, and what of it nodes, queue managers and people are told.
 */
package io.millrace.manager.queue;
