/** {@code millrace task …}: what runs on schedules. */
package io.millrace.cli.task;
