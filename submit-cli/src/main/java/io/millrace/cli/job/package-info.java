/** Commands about jobs: submission, lists, output, actions. */
package io.millrace.cli.job;
