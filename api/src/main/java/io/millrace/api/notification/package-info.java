/** Whom to notify, and of what: jobs, runs of tasks and queues have the same settings. */
package io.millrace.api.notification;
