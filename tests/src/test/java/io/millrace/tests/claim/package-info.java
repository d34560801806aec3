/** The contract of claims, run on every database. */
package io.millrace.tests.claim;
