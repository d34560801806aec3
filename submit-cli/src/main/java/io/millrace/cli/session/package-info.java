/** {@code millrace session …}: sessions of queues, and the workers that have them. */
package io.millrace.cli.session;
