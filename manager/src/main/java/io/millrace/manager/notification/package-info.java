/**
 * Notifications about jobs, runs of tasks, queues and problems: written into an outbox with what
 * happened, delivered by a claimed duty, and a problem themselves while they cannot be delivered.
 */
package io.millrace.manager.notification;
