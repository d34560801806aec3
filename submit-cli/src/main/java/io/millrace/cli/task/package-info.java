/** Commands about tasks and partition groups. */
package io.millrace.cli.task;
