/**
 * {@code millrace bench}: measures queue nodes as separate processes over real HTTP, beside the
 * disk's own limit in the same run.
 */
package io.millrace.cli.bench;
