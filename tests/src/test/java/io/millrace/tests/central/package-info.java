/** Several central managers on one database server. */
package io.millrace.tests.central;
