/** Commands about workflows. */
package io.millrace.cli.workflow;
