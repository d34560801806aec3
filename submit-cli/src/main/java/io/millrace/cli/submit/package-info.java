/** {@code millrace submit}: its options and job files, made into the specification of a job. */
package io.millrace.cli.submit;
