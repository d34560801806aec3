/** Groups that share resources, on every database and over HTTP. */
package io.millrace.tests.partition;
