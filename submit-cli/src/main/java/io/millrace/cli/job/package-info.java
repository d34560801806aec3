/** Commands about jobs: submit, list, show, follow, cancel. */
package io.millrace.cli.job;
