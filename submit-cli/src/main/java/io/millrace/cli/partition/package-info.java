/** Commands about groups of programs that share resources. */
package io.millrace.cli.partition;
