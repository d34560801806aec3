/** The SQL of notices; only the package {@code notification} and the problems list call it. */
package io.millrace.manager.notification.store;
