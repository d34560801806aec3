/**
 * Tells people and programs of jobs that failed or are late, as the jobs want it: an outbox that is
 * written in the transaction of what happened, and a claimed duty that delivers. Wired by the
 * central manager.
 */
package io.millrace.manager.notification;
