/** Recorded data of earlier versions, opened by this one. */
package io.millrace.tests.upgrade;
