/** Elements of arrays that have ended, on every database. */
package io.millrace.tests.element;
