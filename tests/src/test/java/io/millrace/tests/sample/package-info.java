/** The contract of samples and of what they add up to, run on every database. */
package io.millrace.tests.sample;
