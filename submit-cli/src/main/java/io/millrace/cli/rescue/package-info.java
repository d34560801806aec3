/** {@code millrace queue-node rescue}. */
package io.millrace.cli.rescue;
